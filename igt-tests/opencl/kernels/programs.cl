// SPDX-License-Identifier: MIT
// Small programs of the kinds that GPUs are used for.

#pragma OPENCL FP_CONTRACT OFF

#ifdef REFERENCE
typedef double real;
typedef double2 real2;
#else
typedef float real;
typedef float2 real2;
#endif

//! sgemm 48x35 16x7 in:float:2135:-1:1 in:float:2928:-1:1 out:float:1680:near=0.00001 local:448 local:1024
__kernel void sgemm(__global const float *a, __global const float *b, __global real *out, __local float *ta, __local float *tb)
{
	/* 35 by 61 times 61 by 48, in tiles that are 16 deep. */
	uint x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
	real sum = 0;

	for (uint k = 0; k < 61; k += 16) {
		ta[ly * 16 + lx] = k + lx < 61 ? a[y * 61 + k + lx] : 0;
		for (uint j = ly; j < 16; j += 7)
			tb[j * 16 + lx] = k + j < 61 ? b[(k + j) * 48 + x] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint j = 0; j < 16; j++)
			sum += (real)ta[ly * 16 + j] * (real)tb[j * 16 + lx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[y * 48 + x] = sum;
}

//! mandelbrot 105x63 15x9 out:uint:6615
__kernel void mandelbrot(__global uint *out)
{
	float cx = get_global_id(0) * (3.f / 105) - 2.2f, cy = get_global_id(1) * (2.4f / 63) - 1.2f;
	float x = 0, y = 0;
	uint n = 0;

	while (x * x + y * y < 4 && n < 200) {
		float t = x * x - y * y + cx;

		y = 2 * x * y + cy;
		x = t;
		n++;
	}
	out[get_global_id(1) * 105 + get_global_id(0)] = n;
}

//! nbody 99 33 in:float:396:-5:5 in:float:99:0:0.1 out:float:297:near=0.0001 local:528
__kernel void nbody(__global const float *bodies, __global const float *mass, __global real *out, __local float4 *tile)
{
	uint i = get_global_id(0), l = get_local_id(0);
	float4 me = vload4(i, bodies);
	real fx = 0, fy = 0, fz = 0;

	for (uint t = 0; t < 99; t += 33) {
		tile[l] = (float4)(vload3(0, bodies + 4 * (t + l)), mass[t + l]);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint j = 0; j < 33; j++) {
			real dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
			real inverse = rsqrt(dx * dx + dy * dy + dz * dz + (real)0.01);
			real force = tile[j].w * inverse * inverse * inverse;

			fx += force * dx;
			fy += force * dy;
			fz += force * dz;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[3 * i] = fx;
	out[3 * i + 1] = fy;
	out[3 * i + 2] = fz;
}

__constant uint sha_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

//! sha256_block 143 13 in:uint:2288 out:uint:1144
__kernel void sha256_block(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);
	uint h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	uint w[16], s[8];

	for (int j = 0; j < 16; j++)
		w[j] = a[16 * i + j];
	for (int j = 0; j < 8; j++)
		s[j] = h[j];
	for (int j = 0; j < 64; j++) {
		uint t1, t2, x = w[(j + 1) & 15], y = w[(j + 14) & 15];

		t1 = s[7] + (rotate(s[4], 26u) ^ rotate(s[4], 21u) ^ rotate(s[4], 7u)) +
		     bitselect(s[6], s[5], s[4]) + sha_k[j] + w[j & 15];
		t2 = (rotate(s[0], 30u) ^ rotate(s[0], 19u) ^ rotate(s[0], 10u)) +
		     ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		for (int k = 7; k; k--)
			s[k] = s[k - 1];
		s[4] += t1;
		s[0] = t1 + t2;
		w[j & 15] += w[(j + 9) & 15] + (rotate(x, 25u) ^ rotate(x, 14u) ^ (x >> 3)) +
			     (rotate(y, 15u) ^ rotate(y, 13u) ^ (y >> 10));
	}
	for (int j = 0; j < 8; j++)
		out[8 * i + j] = h[j] + s[j];
}

//! chacha_block 143 11 in:uint:2288 out:uint:2288
__kernel void chacha_block(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);
	uint4 p = vload4(4 * i, a), q = vload4(4 * i + 1, a), r = vload4(4 * i + 2, a), s = vload4(4 * i + 3, a);
	uint4 p0 = p, q0 = q, r0 = r, s0 = s;

	for (int j = 0; j < 20; j++) {
		p += q;
		s = rotate(s ^ p, (uint4)16);
		r += s;
		q = rotate(q ^ r, (uint4)12);
		p += q;
		s = rotate(s ^ p, (uint4)8);
		r += s;
		q = rotate(q ^ r, (uint4)7);
		if (j & 1) {
			q = q.wxyz;
			r = r.zwxy;
			s = s.yzwx;
		} else {
			q = q.yzwx;
			r = r.zwxy;
			s = s.wxyz;
		}
	}
	vstore4(p + p0, 4 * i, out);
	vstore4(q + q0, 4 * i + 1, out);
	vstore4(r + r0, 4 * i + 2, out);
	vstore4(s + s0, 4 * i + 3, out);
}

static uchar times2(uchar x)
{
	return (x << 1) ^ (x & 0x80 ? 0x1b : 0);
}

//! aes_round 429 39 in:uchar:6864 in:uchar:256 in:uchar:176 out:uchar:6864 local:256
__kernel void aes_round(__global const uchar *a, __global const uchar *box, __global const uchar *keys, __global uchar *out,
			__local uchar *table)
{
	size_t i = get_global_id(0), l = get_local_id(0);
	uchar s[16], t[16];

	for (size_t j = l; j < 256; j += get_local_size(0))
		table[j] = box[j];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int j = 0; j < 16; j++)
		s[j] = a[16 * i + j] ^ keys[j];
	for (int round = 1; round <= 10; round++) {
		for (int j = 0; j < 16; j++)
			t[j] = table[s[(j + 4 * (j & 3)) & 15]];
		for (int j = 0; j < 16; j += 4) {
			uchar all = t[j] ^ t[j + 1] ^ t[j + 2] ^ t[j + 3];

			for (int k = 0; k < 4; k++)
				s[j + k] = keys[16 * round + j + k] ^ (round == 10 ? t[j + k] :
					   t[j + k] ^ all ^ times2(t[j + k] ^ t[j + ((k + 1) & 3)]));
		}
	}
	for (int j = 0; j < 16; j++)
		out[16 * i + j] = s[j];
}

//! game_of_life 75x45 15x5 in:uchar:3375:0:1 out:uchar:3375
__kernel void game_of_life(__global const uchar *a, __global uchar *out)
{
	int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1), sum = 0;

	for (int dy = -1; dy <= 1; dy++) {
		for (int dx = -1; dx <= 1; dx++) {
			if (dx || dy)
				sum += a[(y + dy + h) % h * w + (x + dx + w) % w];
		}
	}
	out[y * w + x] = sum == 3 || (sum == 2 && a[y * w + x]);
}

//! fft64 320 32 in:float:1280:-1:1 out:float:1280:near=0.00001 local:1024
__kernel void fft64(__global const float *a, __global real *out, __local real2 *data)
{
	uint l = get_local_id(0), group = get_group_id(0);

	/*
	 * Each of 32 work items has two points of 64, in bit-reversed order. Of the plain loop over six bits Intel's compiler (IGC
	 * 1.0.12504) makes a bfrev of a float.
	 */
	for (uint j = l; j < 64; j += 32) {
		uint r = (uint)((j * 0x0202020202ul & 0x010884422010ul) % 1023 >> 2);

		data[r] = (real2)(a[2 * (64 * group + j)], a[2 * (64 * group + j) + 1]);
	}
	for (uint n = 1; n < 64; n *= 2) {
		uint at = l / n * 2 * n + l % n;
		real angle = -(real)M_PI * (real)(l % n) / (real)n;
		real c = cos(angle), s = sin(angle);
		real2 p, q;

		barrier(CLK_LOCAL_MEM_FENCE);
		p = data[at];
		q = data[at + n];
		q = (real2)(q.x * c - q.y * s, q.x * s + q.y * c);
		data[at] = p + q;
		data[at + n] = p - q;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint j = l; j < 64; j += 32) {
		out[2 * (64 * group + j)] = data[j].x;
		out[2 * (64 * group + j) + 1] = data[j].y;
	}
}

//! crc32 385 35 in:uchar:7700 out:uint:385
__kernel void crc32(__global const uchar *a, __global uint *out)
{
	size_t i = get_global_id(0);
	uint crc = ~0u;

	for (uint j = 0; j < 5 + i % 16; j++) {
		crc ^= a[20 * i + j];
		for (int k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	out[i] = ~crc;
}

//! edit_distance 165 11 in:uchar:3300:97:100 out:uint:165
__kernel void edit_distance(__global const uchar *a, __global uint *out)
{
	size_t i = get_global_id(0);
	__global const uchar *s = a + 20 * i, *t = s + 10;
	uchar row[11];

	for (int j = 0; j <= 10; j++)
		row[j] = j;
	for (int k = 1; k <= 10; k++) {
		uchar last = row[0];

		row[0] = k;
		for (int j = 1; j <= 10; j++) {
			uchar old = row[j];

			row[j] = min(min(row[j], row[j - 1]) + 1, last + (s[k - 1] != t[j - 1]));
			last = old;
		}
	}
	out[i] = row[10];
}

//! shortest_paths 625 125 in:uint:625:1:1000 inout:uint:625:1:1000
__kernel void shortest_paths(__global const uint *a, __global uint *out)
{
	/* Four steps of at most five edges; each work item has a pair of nodes and writes its own result alone. */
	size_t i = get_global_id(0);
	uint from = i / 25, to = i % 25, distance = a[i];

	for (uint k = 0; k < 25; k++) {
		uint first = a[from * 25 + k];

		if (first >= distance)
			continue;
		for (uint j = 0; j < 25; j++) {
			uint total = first + a[k * 25 + j] + (j == to ? 0 : a[j * 25 + to]);

			distance = min(distance, total);
			if (distance < 40)
				break;
		}
	}
	out[i] = distance + (out[i] & 1);
}

//! queens 88 11 out:uint:88
__kernel void queens(__global uint *out)
{
	/* Solutions of eight queens with the first two in given columns; the last 24 work items have none to try. */
	uint i = get_global_id(0), solutions = 0;
	uint columns[9], lefts[9], rights[9], free[9];
	int row = 2;

	out[i] = 77;
	if (i >= 64)
		return;
	{
		uint p = 1u << i / 8, q = 1u << i % 8;

		if (q & (p | p << 1 | p >> 1)) {
			out[i] = 0;
			return;
		}
		columns[2] = p | q;
		lefts[2] = (p << 1 | q) << 1;
		rights[2] = (p >> 1 | q) >> 1;
		free[2] = ~(columns[2] | lefts[2] | rights[2]) & 255;
	}
	while (row >= 2) {
		uint bit = free[row] & -free[row];

		if (!bit) {
			row--;
			continue;
		}
		free[row] ^= bit;
		if (row == 7) {
			solutions++;
			continue;
		}
		columns[row + 1] = columns[row] | bit;
		lefts[row + 1] = (lefts[row] | bit) << 1;
		rights[row + 1] = (rights[row] | bit) >> 1;
		free[row + 1] = ~(columns[row + 1] | lefts[row + 1] | rights[row + 1]) & 255;
		row++;
	}
	out[i] = solutions;
}

//! stencil_heat 63x39 9x13 in:float:2457:0:100 out:float:2457
__kernel void stencil_heat(__global const float *a, __global float *out)
{
	int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
	float c = a[y * w + x];

	if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
		out[y * w + x] = c;
	else
		out[y * w + x] = c + 0.125f * (a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] +
					       a[(y + 1) * w + x] - 4 * c);
}

//! xorshift_pi 385 77 in:uint:770 out:uint:385
__kernel void xorshift_pi(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);
	ulong state = upsample(a[2 * i], a[2 * i + 1] | 1);
	uint hits = 0;

	for (int j = 0; j < 40; j++) {
		float x, y;

		state ^= state >> 12;
		state ^= state << 25;
		state ^= state >> 27;
		x = (float)(uint)(state * 0x2545f4914f6cdd1dul >> 40) * 0x1p-24f;
		y = (float)(uint)(state >> 40) * 0x1p-24f;
		hits += x * x + y * y < 1;
	}
	out[i] = hits * 65536 + (uint)(state & 0xffff);
}

//! binary_search 715 55 in:uint:715:0:40000 out:uint:715
__kernel void binary_search(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);
	uint low = 0, high = 200;

	while (low < high) {
		uint middle = (low + high) / 2;

		if (middle * middle + a[0] % 7 < a[i])
			low = middle + 1;
		else
			high = middle;
	}
	out[i] = low;
}
