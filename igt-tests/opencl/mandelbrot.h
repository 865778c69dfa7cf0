/* SPDX-License-Identifier: MIT */
#ifndef IGEN_TESTS_MANDELBROT_H
#define IGEN_TESTS_MANDELBROT_H

#include "device.h"

#define MANDELBROT_LIMIT	256	/* iterations */

void mandelbrot_cpu(cl_uint *out, unsigned int width, unsigned int height);
double mandelbrot_device(const struct device *device, cl_program program, cl_uint *out, unsigned int width,
			 unsigned int height);

#endif
