// SPDX-License-Identifier: MIT
/**
 * DOC: Devices and programs
 *
 * A compiler needs much longer than a small kernel, above all in an emulated guest. So the binary of a program can
 * be kept in a folder, under a hash of its text, and is loaded when it is there.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"

#define MAX_PLATFORMS	16

void die(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

/**
 * file_read() - reads a whole file
 * @path: the file
 * @size: gets the number of bytes, unless NULL
 *
 * Return: the content with a zero behind it, to be freed; NULL when the file cannot be read, errno says why.
 */
char *file_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	size_t used = 0, space = 65536;
	char *data;

	if (!file)
		return NULL;
	data = malloc(space);
	while (data) {
		size_t got = fread(data + used, 1, space - used - 1, file);

		used += got;
		if (!got)
			break;
		if (space - used < 2) {
			char *more = realloc(data, space *= 2);

			if (!more)
				free(data);
			data = more;
		}
	}
	if (!data || ferror(file))
		die("%s: cannot be read", path);
	fclose(file);
	data[used] = 0;
	if (size)
		*size = used;
	return data;
}

/**
 * device_option() - takes the value of one of DEVICE_OPTIONS
 * @device: the device that is chosen
 * @option: what getopt_long() has returned
 *
 * Return: false when it is none of them.
 */
bool device_option(struct device *device, int option)
{
	if (option == 'p')
		device->platform = optarg;
	else if (option == 'b')
		device->binaries = optarg;
	else
		return false;
	return true;
}

/**
 * device_open() - makes a context and a queue on a platform's first device
 * @device: the device to fill in, with its options
 */
void device_open(struct device *device)
{
	const char *platform = device->platform ? device->platform : "Intel";
	cl_platform_id ids[MAX_PLATFORMS];
	cl_device_fp_config config;
	cl_uint num = 0;
	char name[256];
	cl_int err;

	err = clGetPlatformIDs(MAX_PLATFORMS, ids, &num);
	if (err)
		die("there is no OpenCL platform: error %d", err);
	if (num > MAX_PLATFORMS)
		num = MAX_PLATFORMS;
	for (cl_uint i = 0; i < num; i++) {
		if (clGetPlatformInfo(ids[i], CL_PLATFORM_NAME, sizeof(name), name, NULL) || !strstr(name, platform))
			continue;
		if (clGetDeviceIDs(ids[i], CL_DEVICE_TYPE_ALL, 1, &device->id, NULL))
			continue;
		cl_try(clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof(device->name), device->name, NULL));
		cl_try(clGetDeviceInfo(device->id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(config), &config, NULL));
		device->denormals = config & CL_FP_DENORM;
		cl_try(clGetDeviceInfo(device->id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(config), &config, NULL));
		device->fp64 = config;
		device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &err);
		if (!device->context)
			die("%s: no context: error %d", device->name, err);
		device->queue = clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &err);
		if (!device->queue)
			die("%s: no queue: error %d", device->name, err);
		return;
	}
	die("no OpenCL platform with '%s' in its name has a device", platform);
}

/* Gives back the context and the queue of a device, when all other objects are. */
void device_close(struct device *device)
{
	clReleaseCommandQueue(device->queue);
	clReleaseContext(device->context);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

/**
 * device_run() - runs a kernel and waits for its end
 * @device: the device, whose queue is empty
 * @kernel: the kernel, with its arguments
 * @dims: dimensions
 * @global: work items in each
 * @local: of a work group; NULL: as the driver chooses
 *
 * Return: seconds from the kernel's submission to its end.
 */
double device_run(const struct device *device, cl_kernel kernel, cl_uint dims, const size_t *global,
		  const size_t *local)
{
	double start = now();

	cl_try(clEnqueueNDRangeKernel(device->queue, kernel, dims, NULL, global, local, 0, NULL, NULL));
	cl_try(clFinish(device->queue));
	return now() - start;
}

static bool has_extension(const struct device *device, const char *extension)
{
	size_t size, length = strlen(extension);
	bool found = false;
	char *list, *at;

	cl_try(clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, 0, NULL, &size));
	list = calloc(1, size + 1);
	if (!list)
		die("no memory for %zu bytes", size);
	cl_try(clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, size, list, NULL));
	for (at = list; !found && (at = strstr(at, extension)); at += length)
		found = (at == list || at[-1] == ' ') && (!at[length] || at[length] == ' ');
	free(list);
	return found;
}

/* A device of OpenCL 1 or 2 knows nothing of features. */
static bool has_feature(const struct device *device, const char *feature)
{
	cl_name_version *list;
	bool found = false;
	size_t size;

	if (clGetDeviceInfo(device->id, CL_DEVICE_OPENCL_C_FEATURES, 0, NULL, &size))
		return false;
	list = calloc(1, size + 1);
	if (!list)
		die("no memory for %zu bytes", size);
	cl_try(clGetDeviceInfo(device->id, CL_DEVICE_OPENCL_C_FEATURES, size, list, NULL));
	for (size_t i = 0; i < size / sizeof(*list); i++)
		found |= !strcmp(list[i].name, feature);
	free(list);
	return found;
}

/**
 * device_has() - tells whether a device has an extension or a feature
 * @device: the device
 * @name: the name of the extension or of OpenCL C's feature
 */
bool device_has(const struct device *device, const char *name)
{
	return has_extension(device, name) || has_feature(device, name);
}

static uint64_t hash(uint64_t value, const char *text)
{
	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * 0x100000001b3;
	return value;
}

static cl_program load_binary(const struct device *device, const char *path)
{
	const unsigned char *binary;
	cl_program program;
	cl_int status, err;
	size_t size;

	binary = (const unsigned char *)file_read(path, &size);
	if (!binary)
		return NULL;
	program = clCreateProgramWithBinary(device->context, 1, &device->id, &size, &binary, &status, &err);
	free((void *)binary);
	if (err || status || clBuildProgram(program, 1, &device->id, NULL, NULL, NULL))
		die("%s: no binary for %s", path, device->name);
	return program;
}

static void save_binary(cl_program program, const char *path)
{
	unsigned char *binary;
	FILE *file;
	size_t size;

	cl_try(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
	binary = malloc(size);
	if (!binary)
		die("no memory for %zu bytes", size);
	cl_try(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
	file = fopen(path, "wb");
	if (!file || fwrite(binary, 1, size, file) != size || fclose(file))
		die("%s: cannot be written: %s", path, strerror(errno));
	free(binary);
}

/**
 * device_build() - makes a program, from its binary or its text
 * @device: the device
 * @name: what messages call the program
 * @text: the program's text
 * @options: the compiler's options
 *
 * The device's folder of binaries, if it has one, gets the program's unless the binary is there.
 *
 * Return: the program; NULL when the text does not compile, the compiler's messages are on standard error.
 */
cl_program device_build(const struct device *device, const char *name, const char *text, const char *options)
{
	cl_program program;
	char path[4096];
	char *log;
	size_t size;
	cl_int err;

	if (device->binaries) {
		uint64_t key = hash(hash(hash(0xcbf29ce484222325, device->name), options), text);

		snprintf(path, sizeof(path), "%s/%016llx.bin", device->binaries, (unsigned long long)key);
		program = load_binary(device, path);
		if (program)
			return program;
	}
	program = clCreateProgramWithSource(device->context, 1, &text, NULL, &err);
	if (err)
		die("%s: no program: error %d", name, err);
	if (clBuildProgram(program, 1, &device->id, options, NULL, NULL)) {
		cl_try(clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
		log = calloc(1, size + 1);
		if (!log)
			die("no memory for %zu bytes", size);
		cl_try(clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL));
		fprintf(stderr, "%s: %s\n", name, log);
		free(log);
		clReleaseProgram(program);
		return NULL;
	}
	if (device->binaries)
		save_binary(program, path);
	return program;
}

/**
 * device_build_file() - makes a program from a file, and ends this program when that fails
 * @device: the device
 * @path: the file with the program's text
 *
 * Return: the program.
 */
cl_program device_build_file(const struct device *device, const char *path)
{
	char *text = file_read(path, NULL);
	cl_program program;

	if (!text)
		die("%s: cannot be read", path);
	program = device_build(device, path, text, "");
	if (!program)
		die("%s: does not compile", path);
	free(text);
	return program;
}
