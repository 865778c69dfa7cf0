// SPDX-License-Identifier: MIT
// Doubles, on parts that have them.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void double_mix(__global const double *a, __global const double *b, __global double *out)
{
	size_t i = get_global_id(0);
	double x = a[i], y = b[i];

	out[4 * i] = fma(x, y, 2.5);
	out[4 * i + 1] = fmin(x, -y);
	out[4 * i + 2] = x > y ? x - y : fabs(x + y);
	out[4 * i + 3] = floor(x) * 0.1;
}

__kernel void double_divide(__global const double *a, __global const double *b, __global double *out)
{
	size_t i = get_global_id(0);

	out[2 * i] = a[i] / b[i];
	out[2 * i + 1] = sqrt(a[i]);
}

__kernel void double_convert(__global const double *a, __global int *i32, __global float *f, __global long *i64)
{
	size_t i = get_global_id(0);

	i32[i] = a[i];
	f[i] = a[i];
	i64[i] = a[i];
}

__kernel void double_scalar(__global double *a, double b, int n)
{
	double s = 0;

	for (int k = 0; k < n; k++)
		s = s * b + a[k];
	a[0] = s;
}
