// SPDX-License-Identifier: MIT
// Vectors: components, shuffles, unaligned loads and stores.

//! swizzle 715 65 in:int:2860 out:int:11440
__kernel void swizzle(__global const int *a, __global int *out)
{
	size_t i = get_global_id(0);
	int4 v = vload4(i, a);
	int8 w = (int8)(v.wzyx, v.s0213);
	int16 r;

	w.odd += v;
	w.lo.hi ^= v.xx;
	r = (int16)(w.even, w.hi, v * v.yxwz, w.s7531 - v.wwxy);
	r.sabc = r.s321;
	r.s0f = r.sf0;
	vstore16(r, i, out);
}

//! shuffles 429 39 in:uint:3432 in:ushort:6864 out:uint:3432 out:ushort:6864
__kernel void shuffles(__global const uint *a, __global const ushort *b, __global uint *out, __global ushort *words)
{
	size_t i = get_global_id(0);
	uint8 v = vload8(i, a);
	uint8 mask = v >> 7;
	ushort16 w = vload16(i, b);

	vstore8(shuffle2(v, v * 3, mask), i, out);
	vstore16(shuffle(w, w >> (ushort16)(3)), i, words);
}

//! vector3 715 143 in:float:2145:-100:100 in:uchar:2146 out:float:2145 out:uchar:2146
__kernel void vector3(__global const float *a, __global const uchar *b, __global float *out, __global uchar *bytes)
{
	size_t i = get_global_id(0);
	float3 v = vload3(i, a);
	uchar3 c = vload3(i, b + 1);

	vstore3(v.zxy * 2.f, i, out);
	vstore3(c.yzx + (uchar3)(1, 2, 3), i, bytes + 1);
	if (!i)
		bytes[0] = b[0];
}

//! vector_compare 429 33 in:float:3432 in:short:3432 out:int:3432 out:short:3432
__kernel void vector_compare(__global const float *a, __global const short *b, __global int *out, __global short *words)
{
	size_t i = get_global_id(0);
	float4 x = vload4(2 * i, a), y = vload4(2 * i + 1, a);
	short8 s = vload8(i, b);
	int8 r;

	r.lo = (x < y) + 2 * (x == y);
	r.hi = select((int4)(1, 2, 3, 4), (int4)(-1, -2, -3, -4), isgreater(x, y.wzyx));
	vstore8(r, i, out);
	vstore8(select(s, -s, (s > (short)100) | (s == s.s10325476)), i, words);
}

//! vector_long 429 39 in:long:1716 in:uchar:6864 out:long:1716 out:uchar:6864
__kernel void vector_long(__global const long *a, __global const uchar *b, __global long *out, __global uchar *bytes)
{
	size_t i = get_global_id(0);
	long4 x = vload4(i, a);
	uchar16 c = vload16(i, b);

	vstore4((x.wzyx ^ x) + (x << (x.yzwx & 63)), i, out);
	vstore16(add_sat(c, c.sfedcba9876543210), i, bytes);
}
