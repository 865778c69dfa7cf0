/* SPDX-License-Identifier: MIT */
#ifndef IGEN_TESTS_DEVICE_H
#define IGEN_TESTS_DEVICE_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <getopt.h>
#include <stdbool.h>

/* Options that all programs have; device_option() takes their values. */
#define DEVICE_OPTIONS								\
	{ "platform", required_argument, NULL, 'p' },				\
	{ "binaries", required_argument, NULL, 'b' }

struct device {
	const char *platform;		/* a part of its platform's name; NULL: Intel's */
	const char *binaries;		/* a folder for the binaries of programs, or NULL */
	cl_device_id id;
	cl_context context;
	cl_command_queue queue;
	char name[256];
	bool denormals;			/* single precision has denormals */
	bool fp64;
};

__attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...);

/* cl_try() - ends the program when an OpenCL call fails */
#define cl_try(call)							\
	do {								\
		cl_int cl_try_err = (call);				\
									\
		if (cl_try_err)						\
			die("%s: error %d", #call, cl_try_err);		\
	} while (0)

bool device_option(struct device *device, int option);
void device_open(struct device *device);
void device_close(struct device *device);
double device_run(const struct device *device, cl_kernel kernel, cl_uint dims, const size_t *global,
		  const size_t *local);
bool device_has(const struct device *device, const char *name);
cl_program device_build(const struct device *device, const char *name, const char *text, const char *options);
cl_program device_build_file(const struct device *device, const char *path);
char *file_read(const char *path, size_t *size);

#endif
