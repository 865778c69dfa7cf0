// SPDX-License-Identifier: MIT
/**
 * DOC: OpenCL
 *
 * A kernel is compiled and run over a buffer that was written before and is read afterwards. What kernels compute is
 * asked elsewhere (igt-tests/opencl).
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "user.h"

#define ITEMS	1024

int main(void)
{
	const char *text = "__kernel void twice(__global uint *a) { a[get_global_id(0)] *= 2; }";
	cl_uint data[ITEMS], num = 0;
	size_t items = ITEMS;
	cl_platform_id platform;
	cl_command_queue queue;
	cl_context context;
	cl_program program;
	cl_device_id device;
	cl_kernel kernel;
	cl_mem buffer;
	cl_event done;
	cl_int err;

	for (unsigned int i = 0; i < ITEMS; i++)
		data[i] = i;
	err = clGetPlatformIDs(1, &platform, &num);
	step(!err && num, "cl/platform", "error %d", err);
	err = clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, &num);
	step(!err && num, "cl/device", "error %d", err);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	step(context, "cl/context", "error %d", err);
	queue = clCreateCommandQueue(context, device, 0, &err);
	step(queue, "cl/queue", "error %d", err);
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(data), NULL, &err);
	step(buffer, "cl/buffer", "error %d", err);
	err = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL);
	step(!err, "cl/write", "error %d", err);

	program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
	step(program, "cl/program", "error %d", err);
	err = clBuildProgram(program, 1, &device, NULL, NULL, NULL);
	step(!err, "cl/build", "error %d", err);
	kernel = clCreateKernel(program, "twice", &err);
	step(kernel, "cl/kernel", "error %d", err);
	err = clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	step(!err, "cl/argument", "error %d", err);
	err = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &done);
	step(!err, "cl/submit", "error %d", err);
	err = clWaitForEvents(1, &done);
	step(!err, "cl/wait", "error %d", err);
	err = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL);
	step(!err, "cl/read", "error %d", err);
	err = clFinish(queue);
	step(!err, "cl/finish", "error %d", err);

	clReleaseEvent(done);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseMemObject(buffer);
	clReleaseCommandQueue(queue);
	err = clReleaseContext(context);
	step(!err, "cl/end", "error %d", err);
	return 0;
}
