// SPDX-License-Identifier: MIT
/*
 * Pseudo-random inputs: the same for a kernel's name, an argument's index and a seed on every machine. Without a
 * range an eighth of the values are those at which arithmetic changes its ways, and many are small.
 */
#include <math.h>
#include <float.h>
#include <string.h>

#include "corpus.h"

static uint64_t state;

static uint64_t next(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void random_seed(const char *name, unsigned int index, unsigned int seed)
{
	state = 0xcbf29ce484222325 + seed;
	for (; *name; name++)
		state = (state ^ (unsigned char)*name) * 0x100000001b3;
	state += (uint64_t)index << 32;
}

/* From 0 to just below 1. */
static double unit(void)
{
	return (next() >> 11) / 9007199254740992.0;
}

static double any_float(void)
{
	static const double special[] = {
		0, -0.0, 1, -1, 0.5, -0.5, 2, 1.5, 2.5, -2.5, 3, 10, INFINITY, -INFINITY, NAN, FLT_MAX, -FLT_MAX,
		FLT_MIN, -FLT_MIN, FLT_TRUE_MIN, -FLT_TRUE_MIN, FLT_EPSILON, 2147483648., -2147483648., 16777216.,
		16777215., FLT_MIN / 2 + FLT_TRUE_MIN,
	};
	unsigned int choice = next() & 7;
	uint32_t bits;
	float value;

	if (!choice)
		return special[next() % (sizeof(special) / sizeof(special[0]))];
	if (choice & 1)
		return unit() * 200 - 100;
	bits = next();
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint64_t any_integer(unsigned int bits)
{
	uint64_t top = 1ull << (bits - 1), value = next();

	switch (next() & 7) {
	case 0: {
		uint64_t special[] = { 0, 1, -1ull, top, top - 1, top + 1, 2, -2ull };

		return special[value & 7];
	}
	case 1: case 2:
		return (value & 31) - 16;
	default:
		return value;
	}
}

/**
 * random_fill() - fills a buffer
 * @arg: the buffer's type, its elements and their range
 * @denormals: single precision has denormals; otherwise zeros are in their places
 * @data: the buffer
 */
void random_fill(const struct arg *arg, bool denormals, void *data)
{
	size_t size = arg->type->size;

	for (size_t i = 0; i < arg->count; i++) {
		void *at = (char *)data + i * size;
		uint64_t integer;
		double value;

		if (arg->type->class == CLASS_FLOAT) {
			value = arg->ranged ? arg->low + unit() * (arg->high - arg->low) : any_float();
			if (size == sizeof(float)) {
				float single = value;

				if (!denormals && fabsf(single) < FLT_MIN)
					single = copysignf(0, single);
				memcpy(at, &single, size);
			} else {
				memcpy(at, &value, size);
			}
			continue;
		}
		integer = arg->ranged ? (uint64_t)(int64_t)floor(arg->low + unit() * (arg->high - arg->low + 1)) :
			  any_integer(8 * size);
		memcpy(at, &integer, size);
	}
}
