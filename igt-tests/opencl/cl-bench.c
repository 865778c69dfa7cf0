// SPDX-License-Identifier: MIT
/**
 * DOC: cl-bench
 *
 * cl-bench [--platform NAME] [--binaries FOLDER] PROGRAMS
 *
 * Times two programs of the folder PROGRAMS on the platform whose name has NAME in it, and compares each number of
 * their results with the CPU's, for equality. A line for each program:
 *
 *	NAME SECONDS OPERATIONS NUMBERS DIFFERENT
 *
 * SECONDS is the time from the kernel's submission to its end, the least of some runs; OPERATIONS are what the result
 * takes: multiplications and additions of sgemm, iterations of mandelbrot. Exit status: 0; 1 when a number differs;
 * 2 when something fails.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mandelbrot.h"

#define RUNS		2
#define MATRIX		512
#define TILE		16		/* of programs/sgemm.cl */
#define PICTURE		1024

static const struct option options[] = {
	DEVICE_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

static struct device device;
static const char *programs;

static void *allocate(size_t count, size_t size)
{
	void *data = calloc(count, size);

	if (!data)
		die("no memory for %zu bytes", count * size);
	return data;
}

static cl_program build(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.cl", programs, name);
	return device_build_file(&device, path);
}

static bool report(const char *name, double seconds, double operations, const cl_uint *got, const cl_uint *want,
		   size_t count)
{
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++)
		wrong += got[i] != want[i];
	printf("%s %.6f %.0f %zu %zu\n", name, seconds, operations, count, wrong);
	fflush(stdout);
	return !wrong;
}

/* From -1 to 1, by a linear congruence. */
static void fill(float *matrix, cl_uint seed)
{
	for (size_t i = 0; i < MATRIX * MATRIX; i++) {
		seed = seed * 1664525 + 1013904223;
		matrix[i] = (float)(seed >> 8) / (1 << 23) - 1;
	}
}

/* Sums in the order of programs/sgemm.cl, row by row of b, so that the CPU's caches are used. */
static void multiply(const float *a, const float *b, float *c)
{
	memset(c, 0, MATRIX * MATRIX * sizeof(*c));
	for (size_t row = 0; row < MATRIX; row++) {
		for (size_t k = 0; k < MATRIX; k++) {
			for (size_t column = 0; column < MATRIX; column++)
				c[row * MATRIX + column] = fmaf(a[row * MATRIX + k], b[k * MATRIX + column],
								c[row * MATRIX + column]);
		}
	}
}

static cl_mem matrix_on_device(cl_mem_flags flags, float *data)
{
	cl_int err;
	cl_mem buffer = clCreateBuffer(device.context, flags, MATRIX * MATRIX * sizeof(*data), data, &err);

	if (err)
		die("no buffer: error %d", err);
	return buffer;
}

static bool sgemm(void)
{
	const size_t count = MATRIX * MATRIX, global[2] = { MATRIX, MATRIX }, local[2] = { TILE, TILE };
	float *a = allocate(count, sizeof(*a)), *b = allocate(count, sizeof(*b)), *got = allocate(count, sizeof(*got)),
	      *want = allocate(count, sizeof(*want));
	cl_program program = build("sgemm");
	double best = INFINITY;
	cl_mem buffers[3];
	cl_kernel kernel;
	cl_int err;
	bool good;

	fill(a, 1);
	fill(b, 2);
	kernel = clCreateKernel(program, "sgemm", &err);
	if (err)
		die("no kernel \"sgemm\": error %d", err);
	buffers[0] = matrix_on_device(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, a);
	buffers[1] = matrix_on_device(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, b);
	buffers[2] = matrix_on_device(CL_MEM_WRITE_ONLY, NULL);
	for (cl_uint i = 0; i < 3; i++)
		cl_try(clSetKernelArg(kernel, i, sizeof(buffers[i]), &buffers[i]));
	for (int i = 0; i < RUNS; i++)
		best = fmin(best, device_run(&device, kernel, 2, global, local));
	cl_try(clEnqueueReadBuffer(device.queue, buffers[2], CL_TRUE, 0, count * sizeof(*got), got, 0, NULL, NULL));
	for (int i = 0; i < 3; i++)
		clReleaseMemObject(buffers[i]);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	multiply(a, b, want);
	good = report("sgemm", best, 2.0 * MATRIX * MATRIX * MATRIX, (cl_uint *)got, (cl_uint *)want, count);
	free(a);
	free(b);
	free(got);
	free(want);
	return good;
}

static bool mandelbrot(void)
{
	const size_t count = PICTURE * PICTURE;
	cl_uint *got = allocate(count, sizeof(*got)), *want = allocate(count, sizeof(*want));
	cl_program program = build("mandelbrot");
	double best = INFINITY, iterations = 0;
	bool good;

	for (int i = 0; i < RUNS; i++)
		best = fmin(best, mandelbrot_device(&device, program, got, PICTURE, PICTURE));
	clReleaseProgram(program);
	mandelbrot_cpu(want, PICTURE, PICTURE);
	for (size_t i = 0; i < count; i++)
		iterations += want[i];
	good = report("mandelbrot", best, iterations, got, want, count);
	free(got);
	free(want);
	return good;
}

int main(int argc, char **argv)
{
	bool good;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (!device_option(&device, option))
			return 2;
	}
	if (optind != argc - 1)
		die("usage: cl-bench [OPTION...] PROGRAMS");
	programs = argv[optind];
	device_open(&device);
	good = sgemm();
	good &= mandelbrot();
	device_close(&device);
	return good ? 0 : 1;
}
