// SPDX-License-Identifier: MIT
// Half floats in registers.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel void half_mix(__global const half *a, __global const half *b, __global half *out)
{
	size_t i = get_global_id(0);
	half x = a[i], y = b[i];

	out[4 * i] = x * y + (half)0.5;
	out[4 * i + 1] = fma(x, y, x);
	out[4 * i + 2] = fmax(x, -y);
	out[4 * i + 3] = x < y ? x / y : sqrt(y);
}

__kernel void half_float(__global const half *a, __global const float *b, __global float *out)
{
	size_t i = get_global_id(0);

	out[i] = a[i] * b[i] + (float)a[i];
}

__kernel void half_vectors(__global const half8 *a, __global half8 *out)
{
	size_t i = get_global_id(0);

	out[i] = a[i].s76543210 * (half8)(2) + floor(a[i]);
}

__kernel void half_int(__global const half *a, __global short *out)
{
	size_t i = get_global_id(0);

	out[i] = convert_short_sat(a[i]) + convert_short(convert_half(a[i] > (half)1));
}
