// SPDX-License-Identifier: MIT
/**
 * DOC: The Mandelbrot set, by a CPU and by an OpenCL device
 *
 * The numbers of iterations are equal, not nearly equal: programs/mandelbrot.cl and mandelbrot_cpu() make the same
 * additions, multiplications and comparisons of single precision in the same order, IEEE 754 has one result for
 * each, and neither compiler may contract two of them into one. A picture in floats has been chosen since floats are
 * what the execution units are for.
 */
#include <stdlib.h>

#include "mandelbrot.h"

/* The part of the plane from -2.2 to 0.8, with the real axis in the middle. */
static float step_of(unsigned int width)
{
	return 3.f / width;
}

static float top_of(unsigned int width, unsigned int height)
{
	return -step_of(width) * (height / 2.f);
}

static const float left = -2.2f;

/**
 * mandelbrot_cpu() - iterations of each pixel, by the CPU
 * @out: gets them, row by row
 * @width: pixels of a row
 * @height: rows
 */
void mandelbrot_cpu(cl_uint *out, unsigned int width, unsigned int height)
{
	float step = step_of(width), top = top_of(width, height);

	for (unsigned int row = 0; row < height; row++) {
		for (unsigned int column = 0; column < width; column++) {
			float cx = left + column * step, cy = top + row * step;
			float x = 0, y = 0;
			cl_uint n = 0;

			while (x * x + y * y < 4 && n < MANDELBROT_LIMIT) {
				float t = x * x - y * y + cx;

				y = 2 * x * y + cy;
				x = t;
				n++;
			}
			*out++ = n;
		}
	}
}

/**
 * mandelbrot_device() - iterations of each pixel, by a device
 * @device: the device
 * @program: programs/mandelbrot.cl
 * @out: gets them, row by row
 * @width: pixels of a row
 * @height: rows
 *
 * Return: seconds from the kernel's submission to its end.
 */
double mandelbrot_device(const struct device *device, cl_program program, cl_uint *out, unsigned int width,
			 unsigned int height)
{
	const cl_float step = step_of(width), top = top_of(width, height);
	const size_t size[2] = { width, height }, bytes = (size_t)width * height * sizeof(*out);
	const cl_uint limit = MANDELBROT_LIMIT;
	double seconds;
	cl_kernel kernel;
	cl_mem buffer;
	cl_int err;

	kernel = clCreateKernel(program, "mandelbrot", &err);
	if (err)
		die("no kernel \"mandelbrot\": error %d", err);
	buffer = clCreateBuffer(device->context, CL_MEM_WRITE_ONLY, bytes, NULL, &err);
	if (err)
		die("no buffer of %zu bytes: error %d", bytes, err);
	cl_try(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	cl_try(clSetKernelArg(kernel, 1, sizeof(left), &left));
	cl_try(clSetKernelArg(kernel, 2, sizeof(top), &top));
	cl_try(clSetKernelArg(kernel, 3, sizeof(step), &step));
	cl_try(clSetKernelArg(kernel, 4, sizeof(limit), &limit));
	seconds = device_run(device, kernel, 2, size, NULL);
	cl_try(clEnqueueReadBuffer(device->queue, buffer, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
	return seconds;
}
