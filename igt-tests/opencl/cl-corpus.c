// SPDX-License-Identifier: MIT
/**
 * DOC: cl-corpus
 *
 * cl-corpus [--platform NAME] [--binaries FOLDER] [--seed N] [--no-denormals] [--only NAME] [--options OPTIONS]
 *	[--profile] (--record FILE | --against FILE) KERNELS...
 *
 * Runs the kernels of each file on the platform whose name has NAME in it. --record keeps what they left, and
 * needs a device with doubles. --against compares with what was kept, and prints a result line for each kernel.
 * --only takes the kernels whose name has NAME in it; --seed makes other inputs; --no-denormals puts zeros in the place
 * of inputs that are denormals of single precision; --binaries keeps programs' binaries. OPTIONS are the compiler's.
 * --profile needs libigen-shim-profile.so; it also prints of each kernel that gives what it should
 *
 *	profile NAME INSTRUCTIONS GENERIC SIMD8 NS
 *
 * (tools/shim/profile.h), NS the least of some runs. Exit status: 0; 1 when a kernel differs; 2 when a call fails.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/shim/profile.h"
#include "corpus.h"

#define GUARD	256		/* bytes behind each buffer that no kernel writes */
#define FILL	0x5a
#define TIMED_RUNS	5

static struct device device;
static const char *only;
static unsigned int seed = 1;
static bool denormals = true;	/* of inputs */
static const char *build_options = "";
static FILE *record;
/* NULL: nothing is measured. */
static void (*take_profile)(struct igen_profile *profile, bool count);

static struct option options[] = {
	DEVICE_OPTIONS,
	{ "seed", required_argument, NULL, 's' },
	{ "no-denormals", no_argument, NULL, 'd' },
	{ "only", required_argument, NULL, 'o' },
	{ "options", required_argument, NULL, 'c' },
	{ "record", required_argument, NULL, 'r' },
	{ "against", required_argument, NULL, 'a' },
	{ "profile", no_argument, NULL, 'm' },
	{ NULL, 0, NULL, 0 },
};

static bool is_buffer(const struct arg *arg)
{
	return arg->kind == ARG_IN || arg->kind == ARG_OUT || arg->kind == ARG_INOUT;
}

static bool is_image(const struct arg *arg)
{
	return arg->kind == ARG_IMAGE || arg->kind == ARG_RESULT;
}

static cl_mem make_buffer(const struct kernel *kernel, unsigned int index)
{
	const struct arg *arg = &kernel->args[index];
	size_t bytes = arg->count * element_size(arg, record);
	char *data = malloc(bytes + GUARD);
	cl_mem buffer;
	cl_int err;

	if (!data)
		die("no memory for %zu bytes", bytes);
	memset(data, FILL, bytes + GUARD);
	if (arg->kind != ARG_OUT) {
		random_seed(kernel->name, index, seed);
		random_fill(arg, denormals, data);
	}
	buffer = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes + GUARD, data, &err);
	if (err)
		die("%s: no buffer: error %d", kernel->name, err);
	free(data);
	return buffer;
}

static cl_mem make_image(const struct kernel *kernel, unsigned int index)
{
	const struct arg *arg = &kernel->args[index];
	cl_image_format format = { arg->format->order, arg->format->type };
	cl_image_desc desc = {
		.image_type = arg->layers ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D,
		.image_width = arg->width, .image_height = arg->height, .image_array_size = arg->layers,
	};
	char *data = malloc(arg->count * arg->type->size);
	cl_mem image;
	cl_int err;

	if (!data)
		die("no memory for %zu components", arg->count);
	random_seed(kernel->name, index, seed);
	random_fill(arg, denormals, data);
	image = clCreateImage(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, data, &err);
	if (err)
		die("%s: no image: error %d", kernel->name, err);
	free(data);
	return image;
}

static void set_value(cl_kernel object, unsigned int index, const struct arg *arg)
{
	char value[8];

	if (arg->type->class == CLASS_FLOAT) {
		float single = arg->value;

		if (arg->type->size == sizeof(float))
			memcpy(value, &single, sizeof(single));
		else
			memcpy(value, &arg->value, sizeof(arg->value));
	} else {
		int64_t integer = arg->value;

		memcpy(value, &integer, sizeof(integer));
	}
	cl_try(clSetKernelArg(object, index, arg->type->size, value));
}

/* Reads a buffer's elements to the end of the results. Returns false when something was written behind them. */
static bool take_results(const struct kernel *kernel, const struct arg *arg, cl_mem buffer, struct results *results)
{
	size_t bytes = arg->count * element_size(arg, record);
	char *data;

	data = realloc(results->data, results->size + bytes + GUARD);
	if (!data)
		die("%s: no memory for %zu bytes", kernel->name, bytes);
	results->data = data;
	data += results->size;
	cl_try(clEnqueueReadBuffer(device.queue, buffer, CL_TRUE, 0, bytes + GUARD, data, 0, NULL, NULL));
	if (arg->kind != ARG_IN)
		results->size += bytes;
	for (size_t i = bytes; i < bytes + GUARD; i++) {
		if (data[i] != FILL)
			return false;
	}
	return true;
}

/* Reads a written image to the end of the results. */
static void take_image(const struct kernel *kernel, const struct arg *arg, cl_mem image, struct results *results)
{
	const size_t origin[3] = { 0 }, region[3] = { arg->width, arg->height, arg->layers ? arg->layers : 1 };
	size_t bytes = arg->count * arg->type->size;
	char *data = realloc(results->data, results->size + bytes);

	if (!data)
		die("%s: no memory for %zu bytes", kernel->name, bytes);
	results->data = data;
	data += results->size;
	cl_try(clEnqueueReadImage(device.queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL));
	results->size += bytes;
}

/* Returns what is wrong besides the results, in words, or NULL. */
static const char *run(cl_program program, const struct kernel *kernel, struct results *results)
{
	cl_mem buffers[MAX_ARGS] = { NULL };
	const char *wrong = NULL;
	cl_kernel object;
	cl_int err;

	object = clCreateKernel(program, kernel->name, &err);
	if (err)
		die("%s: no kernel: error %d", kernel->name, err);
	for (unsigned int i = 0; i < kernel->num_args; i++) {
		const struct arg *arg = &kernel->args[i];

		if (is_buffer(arg)) {
			buffers[i] = make_buffer(kernel, i);
			cl_try(clSetKernelArg(object, i, sizeof(buffers[i]), &buffers[i]));
		} else if (is_image(arg)) {
			buffers[i] = make_image(kernel, i);
			cl_try(clSetKernelArg(object, i, sizeof(buffers[i]), &buffers[i]));
		} else if (arg->kind == ARG_LOCAL) {
			cl_try(clSetKernelArg(object, i, arg->count, NULL));
		} else {
			set_value(object, i, arg);
		}
	}
	device_run(&device, object, kernel->dims, kernel->global, kernel->local);
	for (unsigned int i = 0; i < kernel->num_args; i++) {
		if (is_buffer(&kernel->args[i]) && !take_results(kernel, &kernel->args[i], buffers[i], results))
			wrong = "it wrote behind a buffer";
		if (kernel->args[i].kind == ARG_RESULT)
			take_image(kernel, &kernel->args[i], buffers[i], results);
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	}
	clReleaseKernel(object);
	return wrong;
}

/* Runs the kernel again and compares again. Returns as run(). */
static const char *run_again(cl_program program, const struct kernel *kernel, const struct results *reference)
{
	struct results results = { NULL };
	const char *wrong = run(program, kernel, &results);

	if (!wrong)
		wrong = compare(kernel, &results, reference, device.denormals);
	free(results.data);
	return wrong;
}

/* Measures a kernel, first what it executes, then how long that takes. Returns as run(). */
static const char *profile_kernel(cl_program program, const struct kernel *kernel, const struct results *reference)
{
	struct igen_profile counted, timed;
	const char *wrong;
	uint64_t ns = UINT64_MAX;

	take_profile(&counted, true);
	wrong = run_again(program, kernel, reference);
	take_profile(&counted, false);
	for (int i = 0; i < TIMED_RUNS && !wrong; i++) {
		wrong = run_again(program, kernel, reference);
		take_profile(&timed, false);
		if (timed.instructions != counted.instructions)
			wrong = "its runs differ in the number of instructions";
		ns = timed.ns < ns ? timed.ns : ns;
	}
	if (!wrong)
		printf("profile %s %llu %llu %llu %llu\n", kernel->name, (unsigned long long)counted.instructions,
		       (unsigned long long)counted.generic, (unsigned long long)counted.simd8, (unsigned long long)ns);
	return wrong;
}

/* Has the device one of what the kernel needs? */
static bool has_needs(const struct kernel *kernel)
{
	char names[sizeof(kernel->needs)], *save, *name;

	if (!kernel->needs[0])
		return true;
	snprintf(names, sizeof(names), "%s", kernel->needs);
	for (name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		if (device_has(&device, name))
			return true;
	}
	return false;
}

/* Returns whether the kernel gave what it should. */
static bool run_kernel(cl_program program, const struct kernel *kernel)
{
	struct results results = { NULL };
	const struct results *reference;
	const char *wrong;

	if (only && !strstr(kernel->name, only))
		return true;
	if (!record && !has_needs(kernel)) {
		printf("skip %s: the device lacks %s\n", kernel->name, kernel->needs);
		return true;
	}
	reference = record ? NULL : reference_find(kernel);
	if (!record && !reference) {
		printf("not ok %s: the reference lacks it\n", kernel->name);
		return false;
	}
	wrong = run(program, kernel, &results);
	if (!wrong && record)
		reference_write(record, kernel, &results);
	else if (!wrong)
		wrong = compare(kernel, &results, reference, device.denormals);
	free(results.data);
	if (!wrong && take_profile)
		wrong = profile_kernel(program, kernel, reference);
	if (wrong)
		printf("not ok %s: %s\n", kernel->name, wrong);
	else
		printf("ok %s\n", kernel->name);
	fflush(stdout);
	return !wrong;
}

int main(int argc, char **argv)
{
	const char *against = NULL;
	bool good = true;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			seed = strtoul(optarg, NULL, 10);
			break;
		case 'd':
			denormals = false;
			break;
		case 'o':
			only = optarg;
			break;
		case 'c':
			build_options = optarg;
			break;
		case 'r':
			record = fopen(optarg, "wb");
			if (!record)
				die("%s: %s", optarg, strerror(errno));
			break;
		case 'a':
			against = optarg;
			break;
		case 'm':
			*(void **)&take_profile = dlsym(RTLD_DEFAULT, "igen_profile");
			if (!take_profile)
				die("--profile: libigen-shim-profile.so is not preloaded");
			break;
		default:
			if (!device_option(&device, option))
				return 2;
			break;
		}
	}
	if (optind == argc || !record == !against || (record && take_profile))
		die("usage: cl-corpus [OPTION...] (--record FILE | --against FILE) KERNELS...");
	device_open(&device);
	if (record && !device.fp64)
		die("%s: no doubles, and they are the reference", device.name);
	if (against)
		reference_read(against);
	for (; optind < argc; optind++) {
		struct kernel_file *file = calloc(1, sizeof(*file));
		cl_program program;

		if (!file)
			die("no memory");
		spec_read(file, argv[optind]);
		/* What pocl 3.1 makes of private arrays when it optimises is wrong. */
		program = device_build(&device, file->path, file->text,
				       record ? "-DREFERENCE -cl-opt-disable" : build_options);
		if (!program) {
			printf("not ok %s: it does not compile\n", file->path);
			good = false;
			continue;
		}
		for (unsigned int i = 0; i < file->num; i++)
			good &= run_kernel(program, &file->kernels[i]);
		clReleaseProgram(program);
		free(file->text);
		free(file->path);
		free(file);
	}
	if (record && fclose(record))
		die("the reference cannot be written: %s", strerror(errno));
	device_close(&device);
	return good ? 0 : 1;
}
