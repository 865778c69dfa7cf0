/* SPDX-License-Identifier: MIT */
/**
 * DOC: OpenCL kernels with known results
 *
 * A file of kernels (kernels/) is one OpenCL program. A line in front of each kernel says how the kernel is run::
 *
 *   //! NAME GLOBAL LOCAL ARGUMENT...
 *
 * GLOBAL and LOCAL are sizes: 1007, 45x21. An argument is one of
 *
 *   in:TYPE:COUNT[:LOW:HIGH]        buffer of pseudo-random values, of all values or of those from LOW to HIGH
 *   out:TYPE:COUNT[:LIMIT]          buffer that the kernel writes
 *   inout:TYPE:COUNT[:LOW:HIGH]     buffer of pseudo-random values that the kernel changes
 *   local:BYTES                     local memory
 *   value:TYPE:NUMBER               scalar
 *   image:FORMAT:WIDTHxHEIGHT[xN]   image of pseudo-random pixels that the kernel reads; with N an array of as many
 *   result:FORMAT:WIDTHxHEIGHT[xN]  image that the kernel writes
 *   needs:NAME[,NAME]               no argument: devices without an extension or feature of a NAME skip the kernel
 *
 * TYPE is one of OpenCL C's scalar types, FORMAT is one of spec.c's. The results on two devices are the same bit for
 * bit, any NaN being like any other, or within LIMIT: ulp=N units in the last place, or near=N times the buffer's
 * largest value. For these the reference computes doubles: its program is built with -DREFERENCE, and the kernel
 * declares the buffer with the type "real". A device without denormals may give zero where a result is one.
 */
#ifndef IGEN_TESTS_CORPUS_H
#define IGEN_TESTS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "device.h"

#define MAX_ARGS	12
#define MAX_KERNELS	64

enum arg_kind {
	ARG_IN,
	ARG_OUT,
	ARG_INOUT,
	ARG_LOCAL,
	ARG_VALUE,
	ARG_IMAGE,
	ARG_RESULT,
};

enum type_class {
	CLASS_SIGNED,
	CLASS_UNSIGNED,
	CLASS_FLOAT,
};

struct type {
	const char *name;
	size_t size;
	enum type_class class;
};

struct format {
	const char *name;
	cl_channel_order order;
	cl_channel_type type;
	unsigned int channels;
	const char *component;		/* its name among the types */
};

struct arg {
	enum arg_kind kind;
	const struct format *format;	/* of images */
	size_t width, height, layers;	/* layers: 0: no array */
	const struct type *type;
	size_t count;			/* elements, or components of pixels; bytes of local memory */
	bool ranged;			/* random values are from low to high */
	double low, high;
	double value;			/* of a scalar */
	double ulp;			/* limit in units in the last place, or 0 */
	double near;			/* limit relative to the largest value, or 0 */
};

struct kernel {
	char name[48];
	cl_uint dims;
	size_t global[2], local[2];
	struct arg args[MAX_ARGS];
	unsigned int num_args;
	char needs[48];
};

struct kernel_file {
	char *path;
	char *text;
	struct kernel kernels[MAX_KERNELS];
	unsigned int num;
};

/* What a kernel left in its buffers, one after another. */
struct results {
	char *data;
	size_t size;
};

void spec_read(struct kernel_file *file, const char *path);

/* Does the kernel write it? */
bool is_result(const struct arg *arg);

/* The size of an element of a buffer: the reference has doubles where results have a limit. */
size_t element_size(const struct arg *arg, bool reference);

void random_seed(const char *name, unsigned int index, unsigned int seed);
void random_fill(const struct arg *arg, bool denormals, void *data);

const char *compare(const struct kernel *kernel, const struct results *got, const struct results *want, bool denormals);

void reference_write(FILE *file, const struct kernel *kernel, const struct results *results);
void reference_read(const char *path);
const struct results *reference_find(const struct kernel *kernel);

#endif
