// SPDX-License-Identifier: MIT
/**
 * DOC: cl-fft
 *
 * cl-fft [--platform NAME] [WORD...]
 *
 * Computes Fourier transforms with clFFT on the platform whose name has NAME in it (Intel's by default), and the same
 * transforms on the CPU by their definition. One line is printed a transform, "ok" or "not ok", with the largest error.
 * A WORD chooses the transforms whose names have it in them. Exit status: 0; 1 when a transform differs; 2 when
 * something fails.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

/* It asks for an OpenCL of its own otherwise. */
#include <clFFT.h>

#define BATCHES		2

/* The largest error in parts of the largest value, for a factor of log2(n) and the type's precision. */
#define TOLERANCE	8

enum kind { FORWARD, BACKWARD, PLANAR, REAL };

static const char *const kinds[] = { "forward", "backward", "planar", "real" };

static const size_t shapes[][3] = {
	{ 1, 1, 1 }, { 2, 1, 1 }, { 3, 1, 1 }, { 4, 1, 1 }, { 5, 1, 1 }, { 7, 1, 1 }, { 8, 1, 1 }, { 11, 1, 1 },
	{ 13, 1, 1 }, { 16, 1, 1 }, { 30, 1, 1 }, { 64, 1, 1 }, { 100, 1, 1 }, { 243, 1, 1 }, { 256, 1, 1 },
	{ 1000, 1, 1 }, { 1024, 1, 1 }, { 2048, 1, 1 }, { 8192, 1, 1 }, { 16, 16, 1 }, { 32, 8, 1 }, { 15, 6, 1 },
	{ 64, 128, 1 }, { 8, 8, 8 }, { 12, 10, 9 },
};

#define fft_try(call)								\
	do {									\
		clfftStatus fft_try_err = (call);				\
										\
		if (fft_try_err)						\
			die("%s: error %d", #call, fft_try_err);		\
	} while (0)

static struct device device;

/* One transform, which @values hold before and after it on the CPU. */
struct transform {
	enum kind kind;
	bool doubles;
	const size_t *n;
	size_t count;			/* elements of one batch */
	double complex *values;
};

/* The transform of @n elements that are @stride apart, by its definition. */
static void dft(double complex *values, size_t n, size_t stride, int sign)
{
	double complex *from = malloc(n * sizeof(*from)), *roots = malloc(n * sizeof(*roots));

	if (!from || !roots)
		die("no memory");
	for (size_t i = 0; i < n; i++) {
		from[i] = values[i * stride];
		roots[i] = cexp(sign * 2 * M_PI * I * (double)i / (double)n);
	}
	for (size_t k = 0; k < n; k++) {
		double complex sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += from[i] * roots[i * k % n];
		values[k * stride] = sum;
	}
	free(from);
	free(roots);
}

static void transform_on_cpu(struct transform *t)
{
	const size_t *n = t->n;
	int sign = t->kind == BACKWARD ? 1 : -1;

	for (size_t batch = 0; batch < BATCHES; batch++) {
		double complex *values = t->values + batch * t->count;

		for (size_t i = 0; i < t->count; i += n[0])
			dft(values + i, n[0], 1, sign);
		for (size_t i = 0; n[1] > 1 && i < n[0] * n[2]; i++)
			dft(values + i % n[0] + i / n[0] * n[0] * n[1], n[1], n[0], sign);
		for (size_t i = 0; n[2] > 1 && i < n[0] * n[1]; i++)
			dft(values + i, n[2], n[0] * n[1], sign);
	}
	/* clFFT divides what goes back. */
	for (size_t i = 0; t->kind == BACKWARD && i < BATCHES * t->count; i++)
		t->values[i] /= (double)t->count;
}

/* Elements of clFFT's buffers are doubles or floats. */
static void put(const struct transform *t, void *buffer, size_t i, double value)
{
	if (t->doubles)
		((double *)buffer)[i] = value;
	else
		((float *)buffer)[i] = (float)value;
}

static double get(const struct transform *t, const void *buffer, size_t i)
{
	return t->doubles ? ((const double *)buffer)[i] : (double)((const float *)buffer)[i];
}

/* Random values that floats hold. */
static void fill(struct transform *t)
{
	unsigned long long seed = 0x9e3779b97f4a7c15;

	for (size_t i = 0; i < BATCHES * t->count; i++) {
		double part[2];

		for (unsigned int k = 0; k < 2; k++) {
			seed ^= seed >> 12;
			seed ^= seed << 25;
			seed ^= seed >> 27;
			part[k] = (double)(int)((seed * 0x2545f4914f6cdd1d >> 40) - 0x800000) / 0x800000;
		}
		t->values[i] = part[0] + (t->kind == REAL ? 0 : part[1] * I);
	}
}

static cl_mem buffer_of(size_t bytes)
{
	cl_int err;
	cl_mem buffer = clCreateBuffer(device.context, CL_MEM_READ_WRITE, bytes, NULL, &err);

	cl_try(err);
	return buffer;
}

static clfftPlanHandle plan_of(const struct transform *t)
{
	const size_t *n = t->n;
	clfftDim dims = n[2] > 1 ? CLFFT_3D : n[1] > 1 ? CLFFT_2D : CLFFT_1D;
	clfftPlanHandle plan;

	fft_try(clfftCreateDefaultPlan(&plan, device.context, dims, n));
	fft_try(clfftSetPlanPrecision(plan, t->doubles ? CLFFT_DOUBLE : CLFFT_SINGLE));
	fft_try(clfftSetPlanBatchSize(plan, BATCHES));
	fft_try(clfftSetResultLocation(plan, CLFFT_OUTOFPLACE));
	if (t->kind == REAL) {
		size_t half = n[0] / 2 + 1, in[3] = { 1, n[0], n[0] * n[1] }, out[3] = { 1, half, half * n[1] };

		fft_try(clfftSetLayout(plan, CLFFT_REAL, CLFFT_HERMITIAN_INTERLEAVED));
		fft_try(clfftSetPlanInStride(plan, dims, in));
		fft_try(clfftSetPlanOutStride(plan, dims, out));
		fft_try(clfftSetPlanDistance(plan, t->count, half * n[1] * n[2]));
	} else if (t->kind == PLANAR) {
		fft_try(clfftSetLayout(plan, CLFFT_COMPLEX_PLANAR, CLFFT_COMPLEX_PLANAR));
	} else {
		fft_try(clfftSetLayout(plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED));
	}
	fft_try(clfftBakePlan(plan, 1, &device.queue, NULL, NULL));
	return plan;
}

/* Where a part of an element is: the buffer, and its place there. */
static size_t place(const struct transform *t, size_t i, unsigned int part, unsigned int *buffer)
{
	*buffer = t->kind == PLANAR ? part : 0;
	return t->kind == PLANAR ? i : 2 * i + part;
}

/* Runs the transform on the device; returns the largest error. The CPU's result is in t->values afterwards. */
static double transform_on_device(struct transform *t)
{
	size_t all = BATCHES * t->count, bytes = 2 * all * (t->doubles ? 8 : 4), row = t->n[0];
	size_t half = t->kind == REAL ? row / 2 + 1 : row;
	/* A row of the result is longer than half of a row of reals. */
	size_t space = bytes + (bytes / row) * 2;
	cl_mem in[2] = { buffer_of(space), buffer_of(space) }, out[2] = { buffer_of(space), buffer_of(space) };
	void *host[2] = { calloc(1, space), calloc(1, space) };
	clfftPlanHandle plan = plan_of(t);
	double worst = 0, most = 0;
	unsigned int part, which;
	size_t at;

	if (!host[0] || !host[1])
		die("no memory");
	for (size_t i = 0; i < all; i++) {
		if (t->kind == REAL) {
			put(t, host[0], i, creal(t->values[i]));
			continue;
		}
		for (part = 0; part < 2; part++) {
			at = place(t, i, part, &which);
			put(t, host[which], at, part ? cimag(t->values[i]) : creal(t->values[i]));
		}
	}
	for (which = 0; which < 2; which++)
		cl_try(clEnqueueWriteBuffer(device.queue, in[which], CL_TRUE, 0, space, host[which], 0, NULL, NULL));
	fft_try(clfftEnqueueTransform(plan, t->kind == BACKWARD ? CLFFT_BACKWARD : CLFFT_FORWARD, 1, &device.queue, 0,
				      NULL, NULL, in, out, NULL));
	for (which = 0; which < 2; which++)
		cl_try(clEnqueueReadBuffer(device.queue, out[which], CL_TRUE, 0, space, host[which], 0, NULL, NULL));
	transform_on_cpu(t);
	/* Only the first half of a row is there when it comes of reals. */
	for (size_t i = 0; i < all; i++) {
		double complex found = 0;

		if (i % row >= half)
			continue;
		for (part = 0; part < 2; part++) {
			at = place(t, i / row * half + i % row, part, &which);
			found += (part ? I : 1) * get(t, host[which], at);
		}
		/* fmax() would pass a NaN over. */
		if (!(cabs(found - t->values[i]) <= worst))
			worst = cabs(found - t->values[i]);
		most = fmax(most, cabs(t->values[i]));
	}
	fft_try(clfftDestroyPlan(&plan));
	for (which = 0; which < 2; which++) {
		clReleaseMemObject(in[which]);
		clReleaseMemObject(out[which]);
		free(host[which]);
	}
	return worst / most;
}

static bool wanted(const char *name, char **words)
{
	if (!*words)
		return true;
	for (; *words; words++)
		if (strstr(name, *words))
			return true;
	return false;
}

static bool transform(enum kind kind, bool doubles, const size_t *n, char **words)
{
	struct transform t = { .kind = kind, .doubles = doubles, .n = n, .count = n[0] * n[1] * n[2] };
	double error, limit = ldexp(TOLERANCE, doubles ? -53 : -24) * fmax(1, log2((double)t.count));
	char name[64];
	bool good;

	snprintf(name, sizeof(name), "%s-%s-%zux%zux%zu", doubles ? "double" : "single", kinds[kind], n[0], n[1], n[2]);
	if (!wanted(name, words))
		return true;
	t.values = calloc(BATCHES * t.count, sizeof(*t.values));
	if (!t.values)
		die("no memory");
	fill(&t);
	error = transform_on_device(&t);
	good = error <= limit;
	printf("%s %s: error %.3g, limit %.3g\n", good ? "ok" : "not ok", name, error, limit);
	fflush(stdout);
	free(t.values);
	return good;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { DEVICE_OPTIONS, { NULL, 0, NULL, 0 } };
	clfftSetupData setup;
	bool good = true;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (!device_option(&device, option))
			die("cl-fft [--platform NAME] [WORD...]");
	device_open(&device);
	fft_try(clfftInitSetupData(&setup));
	fft_try(clfftSetup(&setup));
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (enum kind kind = FORWARD; kind <= REAL; kind++) {
			good &= transform(kind, false, shapes[i], argv + optind);
			if (device.fp64)
				good &= transform(kind, true, shapes[i], argv + optind);
		}
	fft_try(clfftTeardown());
	device_close(&device);
	return good ? 0 : 1;
}
