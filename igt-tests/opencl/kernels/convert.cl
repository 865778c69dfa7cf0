// SPDX-License-Identifier: MIT
// Conversions between types, with saturation and each rounding mode.

#pragma OPENCL FP_CONTRACT OFF

//! float_to_int_sat 1001 77 in:float:1001 out:long:8008
__kernel void float_to_int_sat(__global const float *a, __global long *out)
{
	size_t i = get_global_id(0);
	float x = isnan(a[i]) ? 0.25f : a[i];

	out += 8 * i;
	out[0] = convert_char_sat(x);
	out[1] = convert_uchar_sat(x);
	out[2] = convert_short_sat(x);
	out[3] = convert_ushort_sat_rte(x);
	out[4] = convert_int_sat(x);
	out[5] = convert_uint_sat(x);
	out[6] = convert_long_sat(x);
	out[7] = (long)convert_ulong_sat(x);
}

//! float_to_int_rounded 1001 91 in:float:1001:-30000:30000 out:int:12012
__kernel void float_to_int_rounded(__global const float *a, __global int *out)
{
	size_t i = get_global_id(0);
	float x = i % 3 ? a[i] : floor(a[i]) + 0.5f;

	out += 12 * i;
	out[0] = convert_int_rte(x);
	out[1] = convert_int_rtz(x);
	out[2] = convert_int_rtp(x);
	out[3] = convert_int_rtn(x);
	out[4] = convert_short_rte(x);
	out[5] = convert_short_rtp(x);
	out[6] = convert_char_rtn(x / 256);
	out[7] = convert_char_sat_rte(x);
	out[8] = convert_uint_rte(fabs(x));
	out[9] = convert_ushort_rtp(fabs(x));
	out[10] = (int)convert_long_rte(x * 1024);
	out[11] = (int)convert_long_rtn(x * 1024);
}

//! int_to_float_rounded 1001 143 in:int:1001 in:long:1001 out:float:10010
__kernel void int_to_float_rounded(__global const int *a, __global const long *b, __global float *out)
{
	size_t i = get_global_id(0);

	out += 10 * i;
	out[0] = convert_float_rte(a[i]);
	out[1] = convert_float_rtz(a[i]);
	out[2] = convert_float_rtp(a[i]);
	out[3] = convert_float_rtn(a[i]);
	out[4] = convert_float_rte((uint)a[i]);
	out[5] = convert_float_rtp((uint)a[i]);
	out[6] = convert_float((short)a[i]);
	out[7] = convert_float((uchar)a[i]);
	out[8] = convert_float_rte(b[i]);
	out[9] = convert_float_rte((ulong)b[i]);
}

//! narrow_sat 1001 13 in:long:1001 out:int:10010
__kernel void narrow_sat(__global const long *a, __global int *out)
{
	size_t i = get_global_id(0);
	long x = i & 1 ? a[i] : a[i] >> 44;

	out += 10 * i;
	out[0] = convert_int_sat(x);
	out[1] = (int)convert_uint_sat(x);
	out[2] = convert_short_sat(x);
	out[3] = convert_ushort_sat((ulong)x);
	out[4] = convert_char_sat(x);
	out[5] = convert_uchar_sat(x);
	out[6] = convert_char_sat((int)x);
	out[7] = convert_ushort_sat((int)x);
	out[8] = convert_char((uint)x);
	out[9] = convert_short_sat((uint)x);
}

//! half_storage 715 65 in:float:715 in:ushort:715 out:ushort:2860 out:float:715
__kernel void half_storage(__global const float *a, __global const half *b, __global half *out, __global float *back)
{
	size_t i = get_global_id(0);
	float x = isnan(a[i]) ? 1.f : i & 1 ? a[i] : a[i] / 512;

	vstore_half_rte(x, 4 * i, out);
	vstore_half_rtz(x, 4 * i + 1, out);
	vstore_half_rtp(x, 4 * i + 2, out);
	vstore_half_rtn(x, 4 * i + 3, out);
	back[i] = vload_half(i, b);
}

//! double_conversions 715 55 needs:cl_khr_fp64 in:float:715 in:long:715 out:double:2860 out:float:1430 out:long:2145
__kernel void double_conversions(__global const float *a, __global const long *b, __global double *out, __global float *single,
			     __global long *integer)
{
	size_t i = get_global_id(0);
	double x = (double)a[i] * 1.0000001;

	out[4 * i] = a[i];
	out[4 * i + 1] = convert_double_rte((int)b[i]);
	out[4 * i + 2] = convert_double_rte(b[i]);
	out[4 * i + 3] = convert_double_rte((ulong)b[i]);
	single[2 * i] = convert_float_rte(x);
	single[2 * i + 1] = convert_float_rtz(x);
	x = isnan(x) ? 7.5 : x;
	integer[3 * i] = convert_int_sat_rte(x);
	integer[3 * i + 1] = convert_long_sat(x);
	integer[3 * i + 2] = convert_uint_sat(x);
}

//! reinterpret 1001 11 in:ulong:1001 out:ulong:1001
__kernel void reinterpret(__global const ulong *a, __global ulong *out)
{
	size_t i = get_global_id(0);
	uchar8 bytes = as_uchar8(a[i]);
	ushort4 words = as_ushort4(bytes.s76543210);
	uint2 dwords = as_uint2(words.wxzy) + (uint2)(1, 0xffff);

	out[i] = as_ulong(dwords) ^ as_ulong(as_char8(a[i]) >> (char8)(1));
}
