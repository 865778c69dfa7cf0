// SPDX-License-Identifier: MIT
/*
 * Results against the reference's, and the file that keeps the latter: for each kernel a line with its name and
 * the number of bytes, and the bytes.
 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"

#define MAX_RESULTS	512

static struct {
	char name[48];
	struct results results;
} known[MAX_RESULTS];
static unsigned int num_known;

static char said[256];

/* The distance to the next single precision number at a value. */
static double ulp_of(double value)
{
	int exponent;

	if (fabs(value) < FLT_MIN)
		return FLT_TRUE_MIN;
	frexp(value, &exponent);
	return ldexp(1, exponent - FLT_MANT_DIG);
}

static bool within_ulp(float got, double want, double limit, bool denormals)
{
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	/* What rounds to infinity may be infinity, and the largest number is as near to it as to any beyond. */
	if (isinf((float)want) || isinf(got)) {
		if ((float)want == got)
			return true;
		if (isinf(want))
			return false;
		if (isinf(got))
			got = copysignf(0x1p127f, got);
		else
			return fabs(got - want) <= limit * ulp_of(FLT_MAX);
		return fabs(2. * got - want) <= limit * ulp_of(FLT_MAX);
	}
	if (!denormals && fabs(want) < FLT_MIN && !got)
		return true;
	return fabs(got - want) <= limit * ulp_of(want);
}

static bool within_near(float got, double want, double limit)
{
	return fabs(got - want) <= limit || got == want || (isnan(got) && isnan(want));
}

static bool same(const struct arg *arg, const void *got, const void *want, bool denormals)
{
	float single[2];
	double both[2];

	if (!memcmp(got, want, arg->type->size))
		return true;
	if (arg->type->class != CLASS_FLOAT)
		return false;
	if (arg->type->size == sizeof(float)) {
		memcpy(&single[0], got, sizeof(float));
		memcpy(&single[1], want, sizeof(float));
		/* A device without denormals may give zero instead (OpenCL C, 7.5.3). */
		if (!denormals && fabsf(single[1]) < FLT_MIN && !single[0])
			return true;
		return isnan(single[0]) && isnan(single[1]);
	}
	memcpy(&both[0], got, sizeof(double));
	memcpy(&both[1], want, sizeof(double));
	return isnan(both[0]) && isnan(both[1]);
}

static void say_exact(const struct arg *arg, unsigned int index, size_t i, const void *got, const void *want)
{
	uint64_t bits[2] = { 0 };

	memcpy(&bits[0], got, arg->type->size);
	memcpy(&bits[1], want, arg->type->size);
	snprintf(said, sizeof(said), "argument %u, %s %zu: 0x%" PRIx64 " instead of 0x%" PRIx64, index,
		 arg->type->name, i, bits[0], bits[1]);
}

static size_t compare_exact(const struct arg *arg, unsigned int index, const char *got, const char *want,
			    bool denormals)
{
	size_t differ = 0, size = arg->type->size;

	for (size_t i = 0; i < arg->count; i++) {
		if (same(arg, got + i * size, want + i * size, denormals))
			continue;
		if (!differ++)
			say_exact(arg, index, i, got + i * size, want + i * size);
	}
	return differ;
}

static size_t compare_limit(const struct arg *arg, unsigned int index, const char *got, const char *want,
			    bool denormals)
{
	double largest = 0;
	size_t differ = 0;

	for (size_t i = 0; i < arg->count; i++) {
		double value;

		memcpy(&value, want + i * sizeof(value), sizeof(value));
		if (isfinite(value))
			largest = fmax(largest, fabs(value));
	}
	for (size_t i = 0; i < arg->count; i++) {
		double value;
		float single;
		bool good;

		memcpy(&single, got + i * sizeof(single), sizeof(single));
		memcpy(&value, want + i * sizeof(value), sizeof(value));
		if (arg->ulp)
			good = within_ulp(single, value, arg->ulp, denormals);
		else
			good = within_near(single, value, arg->near * largest);
		if (!good && !differ++)
			snprintf(said, sizeof(said),
				 "argument %u, float %zu: %a instead of %a, %.1f units in the last place", index, i,
				 single, value, fabs(single - value) / ulp_of(value));
	}
	return differ;
}

/**
 * compare() - compares what a kernel left with what the reference left
 * @kernel: the kernel
 * @got: the device's results
 * @want: the reference's results
 * @denormals: the device's single precision has denormals
 *
 * Return: the first difference and the number of them in words, or NULL.
 */
const char *compare(const struct kernel *kernel, const struct results *got, const struct results *want, bool denormals)
{
	const char *left = got->data, *right = want->data;
	size_t sizes[2] = { 0 };
	char number[64];

	for (unsigned int i = 0; i < kernel->num_args; i++) {
		const struct arg *arg = &kernel->args[i];

		if (!is_result(arg))
			continue;
		sizes[0] += arg->count * element_size(arg, false);
		sizes[1] += arg->count * element_size(arg, true);
	}
	if (got->size != sizes[0] || want->size != sizes[1])
		die("%s: results of %zu bytes and a reference of %zu", kernel->name, got->size, want->size);
	for (unsigned int i = 0; i < kernel->num_args; i++) {
		const struct arg *arg = &kernel->args[i];
		size_t differ;

		if (!is_result(arg))
			continue;
		if (arg->ulp || arg->near)
			differ = compare_limit(arg, i, left, right, denormals);
		else
			differ = compare_exact(arg, i, left, right, denormals);
		if (differ) {
			snprintf(number, sizeof(number), " (%zu of %zu differ)", differ, arg->count);
			strncat(said, number, sizeof(said) - strlen(said) - 1);
			return said;
		}
		left += arg->count * element_size(arg, false);
		right += arg->count * element_size(arg, true);
	}
	return NULL;
}

void reference_write(FILE *file, const struct kernel *kernel, const struct results *results)
{
	if (fprintf(file, "%s %zu\n", kernel->name, results->size) < 0 ||
	    fwrite(results->data, 1, results->size, file) != results->size)
		die("%s: the reference cannot be written: %s", kernel->name, strerror(errno));
}

void reference_read(const char *path)
{
	size_t size;
	char *data = file_read(path, &size), *end;

	if (!data)
		die("%s: %s", path, strerror(errno));
	end = data + size;
	for (char *at = data; at < end; num_known++) {
		struct results *results;
		int used = 0;

		if (num_known == MAX_RESULTS)
			die("%s: more than %u kernels", path, MAX_RESULTS);
		results = &known[num_known].results;
		if (sscanf(at, "%47s %zu%n", known[num_known].name, &results->size, &used) != 2 || at[used] != '\n' ||
		    results->size > (size_t)(end - at) - used - 1)
			die("%s: no results of kernels", path);
		results->data = at + used + 1;
		at = results->data + results->size;
	}
}

const struct results *reference_find(const struct kernel *kernel)
{
	for (unsigned int i = 0; i < num_known; i++) {
		if (!strcmp(known[i].name, kernel->name))
			return &known[i].results;
	}
	return NULL;
}
