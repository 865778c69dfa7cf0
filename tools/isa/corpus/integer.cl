// SPDX-License-Identifier: MIT
// Integers of all widths: arithmetic, shifts, bits, saturation, division.

__kernel void int_mix(__global const int *a, __global const int *b, __global int *out)
{
	size_t i = get_global_id(0);
	int x = a[i], y = b[i];

	out[4 * i] = x + y * 3 - (x ^ y);
	out[4 * i + 1] = (x << (y & 31)) | (x >> (y & 7));
	out[4 * i + 2] = min(x, y) - max(x, -y);
	out[4 * i + 3] = x > y ? x & ~y : y | 0x55;
}

__kernel void uint_mul_high(__global const uint *a, __global const uint *b, __global uint *out)
{
	size_t i = get_global_id(0);

	out[i] = mul_hi(a[i], b[i]) + mad_hi(a[i], 7u, b[i]) + a[i] * b[i];
}

__kernel void int_divide(__global const int *a, __global const int *b, __global int *out)
{
	size_t i = get_global_id(0);

	out[2 * i] = a[i] / b[i];
	out[2 * i + 1] = a[i] % b[i];
}

__kernel void uint_divide_constant(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);

	out[i] = a[i] / 7 + a[i] % 1000 + a[i] / 1024;
}

__kernel void long_mix(__global const long *a, __global const long *b, __global long *out)
{
	size_t i = get_global_id(0);
	long x = a[i], y = b[i];

	out[4 * i] = x + y;
	out[4 * i + 1] = x * y;
	out[4 * i + 2] = (x << (y & 63)) ^ (x >> (y & 31));
	out[4 * i + 3] = x < y ? x - y : y & x;
}

__kernel void ulong_divide(__global const ulong *a, __global const ulong *b, __global ulong *out)
{
	size_t i = get_global_id(0);

	out[i] = a[i] / (b[i] | 1) + a[i] % (b[i] | 1);
}

__kernel void short_saturate(__global const short *a, __global const short *b, __global short *out)
{
	size_t i = get_global_id(0);

	out[2 * i] = add_sat(a[i], b[i]);
	out[2 * i + 1] = sub_sat(a[i], b[i]);
}

__kernel void char_saturate(__global const char4 *a, __global const uchar4 *b, __global char4 *out)
{
	size_t i = get_global_id(0);

	out[i] = add_sat(a[i], convert_char4_sat(b[i])) + (char4)(1, 2, 3, 4);
}

__kernel void bits(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);
	uint x = a[i];

	out[4 * i] = popcount(x);
	out[4 * i + 1] = clz(x);
	out[4 * i + 2] = rotate(x, 11u);
	out[4 * i + 3] = (x >> 5 & 0x3ff) | (x & 0xf) << 20;
}

__kernel void average(__global const uint *a, __global const uint *b, __global uint *out)
{
	size_t i = get_global_id(0);

	out[i] = hadd(a[i], b[i]) + rhadd(a[i], b[i]) + abs_diff(a[i], b[i]);
}

__kernel void byte_sum(__global const uchar16 *a, __global ushort16 *out)
{
	size_t i = get_global_id(0);
	ushort16 wide = convert_ushort16(a[i]);

	out[i] = wide * (ushort16)(3) + wide.sfedcba9876543210;
}

__kernel void crc(__global const uchar *a, __global uint *out, int n)
{
	size_t i = get_global_id(0);
	uint c = ~0u;

	for (int k = 0; k < n; k++) {
		c ^= a[i * n + k];
		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
	}
	out[i] = ~c;
}

__kernel void hash(__global const uint *a, __global uint *out, uint rounds)
{
	size_t i = get_global_id(0);
	uint x = a[i], y = 0x9e3779b9;

	for (uint r = 0; r < rounds; r++) {
		x += y;
		y = rotate(y, 7u) ^ x;
		x ^= x >> 15;
		x *= 0x2c1b3c6d;
	}
	out[i] = x ^ y;
}

__kernel void sha_round(__global const uint *w, __global uint *state)
{
	size_t i = get_global_id(0) * 8;
	uint a = state[i], b = state[i + 1], c = state[i + 2], d = state[i + 3];
	uint e = state[i + 4], f = state[i + 5], g = state[i + 6], h = state[i + 7];

	for (int r = 0; r < 16; r++) {
		uint s1 = rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u);
		uint t1 = h + s1 + bitselect(g, f, e) + w[r];
		uint s0 = rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u);
		uint t2 = s0 + ((a & b) | (c & (a | b)));

		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	state[i] += a;
	state[i + 1] += b;
	state[i + 2] += c;
	state[i + 3] += d;
	state[i + 4] += e;
	state[i + 5] += f;
	state[i + 6] += g;
	state[i + 7] += h;
}
