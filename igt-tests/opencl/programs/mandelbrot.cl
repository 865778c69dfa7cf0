// SPDX-License-Identifier: MIT
// Iterations of z = z * z + c until z leaves the circle of radius 2. Each operation is one of single precision that IEEE 754
// rounds in one way: a CPU gives the same numbers.

#pragma OPENCL FP_CONTRACT OFF

__kernel void mandelbrot(__global uint *out, float left, float top, float step, uint limit)
{
	uint column = get_global_id(0), row = get_global_id(1);
	float cx = left + column * step, cy = top + row * step;
	float x = 0, y = 0;
	uint n = 0;

	while (x * x + y * y < 4 && n < limit) {
		float t = x * x - y * y + cx;

		y = 2 * x * y + cy;
		x = t;
		n++;
	}
	out[row * get_global_size(0) + column] = n;
}
