// SPDX-License-Identifier: MIT
// Memory: private arrays, local memory with barriers, atomics, narrow and scattered accesses.

//! private_sort 429 39 in:int:6864 out:int:6864
__kernel void private_sort(__global const int *a, __global int *out)
{
	size_t i = get_global_id(0);
	int keys[16];

	for (int j = 0; j < 16; j++)
		keys[j] = a[16 * i + j];
	for (int j = 1; j < 16; j++) {
		int key = keys[j], k = j;

		for (; k && keys[k - 1] > key; k--)
			keys[k] = keys[k - 1];
		keys[k] = key;
	}
	for (int j = 0; j < 16; j++)
		out[16 * i + j] = keys[j];
}

//! private_stack 231 33 in:uint:231 out:uint:231
__kernel void private_stack(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);
	uint stack[24], top = 0, sum = 0, visited = 0;
	uchar depth[24];

	depth[top] = 0;
	stack[top++] = a[i];
	while (top && visited++ < 60) {
		uint x = stack[--top];
		uchar d = depth[top];

		sum = sum * 33 + (x ^ d);
		if (d > 8)
			continue;
		if (x & 1 && top < 23) {
			depth[top] = d + 1;
			stack[top++] = x >> 1;
		}
		if (x & 2 && top < 23) {
			depth[top] = d + 2;
			stack[top++] = (x >> 2) ^ 0x55;
		}
	}
	out[i] = sum + visited;
}

//! reduce_local 1001 143 in:int:1001 out:int:7 local:572
__kernel void reduce_local(__global const int *a, __global int *out, __local int *part)
{
	size_t l = get_local_id(0), n = get_local_size(0);

	part[l] = a[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (; n > 1; n = (n + 1) / 2) {
		size_t half_n = (n + 1) / 2;

		if (l < n / 2)
			part[l] += part[l + half_n];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!l)
		out[get_group_id(0)] = part[0];
}

//! prefix_sum 945 105 in:uint:945 out:uint:945 local:840
__kernel void prefix_sum(__global const uint *a, __global uint *out, __local uint *part)
{
	size_t l = get_local_id(0), n = get_local_size(0);
	uint from = 0;

	part[l] = a[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (size_t step = 1; step < n; step *= 2) {
		uint sum = part[from * n + l];

		if (l >= step)
			sum += part[from * n + l - step];
		from ^= 1;
		part[from * n + l] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = part[from * n + l];
}

//! bitonic_sort 640 128 in:int:640 out:int:640 local:512
__kernel void bitonic_sort(__global const int *a, __global int *out, __local int *keys)
{
	uint l = get_local_id(0), n = get_local_size(0);

	keys[l] = a[get_global_id(0)];
	for (uint size = 2; size <= n; size *= 2) {
		for (uint stride = size / 2; stride; stride /= 2) {
			uint other = l ^ stride;

			barrier(CLK_LOCAL_MEM_FENCE);
			if (other > l && (keys[l] > keys[other]) == !(l & size)) {
				int key = keys[l];

				keys[l] = keys[other];
				keys[other] = key;
			}
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = keys[l];
}

//! transpose_local 91x65 13x13 in:float:5915 out:float:5915 local:728
__kernel void transpose_local(__global const float *a, __global float *out, __local float *tile)
{
	size_t x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
	size_t lx = get_local_id(0), ly = get_local_id(1);

	tile[ly * 14 + lx] = a[y * w + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[(get_group_id(0) * 13 + ly) * h + get_group_id(1) * 13 + lx] = tile[lx * 14 + ly];
}

//! histogram_local 1001 91 in:uchar:5005 inout:uint:64:0:5 local:256
__kernel void histogram_local(__global const uchar *a, __global uint *out, __local uint *bins)
{
	size_t l = get_local_id(0);

	if (l < 64)
		bins[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int j = 0; j < 5; j++)
		atomic_inc(&bins[a[j * get_global_size(0) + get_global_id(0)] & 63]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 64 && bins[l])
		atomic_add(&out[l], bins[l]);
}

//! atomics_global 1001 77 in:int:1001 inout:int:48
__kernel void atomics_global(__global const int *a, __global int *out)
{
	size_t i = get_global_id(0);
	int x = a[i];
	__global int *p = out + 8 * (i % 6);

	atomic_add(&p[0], x);
	atomic_sub(&p[1], x);
	atomic_or(&p[2], x & 0x11111111);
	atomic_and(&p[3], x | 0x77777777);
	atomic_xor(&p[4], x);
	atomic_min(&p[5], x);
	atomic_max((volatile __global uint *)&p[6], (uint)x);
	if (x & 1)
		atomic_dec(&p[7]);
}

//! atomics_local 693 99 in:int:693 out:int:56 local:32
__kernel void atomics_local(__global const int *a, __global int *out, __local int *p)
{
	size_t l = get_local_id(0);
	int x = a[get_global_id(0)];

	if (l < 8)
		p[l] = l == 3 ? -1 : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&p[0], x);
	atomic_sub(&p[1], x >> 3);
	atomic_or(&p[2], x & 0x01010101);
	atomic_and(&p[3], x | 0x33333333);
	atomic_xor(&p[4], x * 7);
	atomic_max(&p[5], x);
	atomic_min((volatile __local int *)&p[6], x);
	if (x < 0)
		atomic_inc(&p[7]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 8)
		out[8 * get_group_id(0) + l] = p[l];
}

//! compare_exchange 495 55 in:uint:495 inout:uint:8
__kernel void compare_exchange(__global const uint *a, __global volatile uint *out)
{
	size_t i = get_global_id(0);
	__global volatile uint *p = &out[a[i] & 7];
	uint old = *p, seen;

	/* Adds modulo 1000003. */
	for (;;) {
		seen = atomic_cmpxchg(p, old, (old % 1000003 + a[i] % 1000003) % 1000003);
		if (seen == old)
			break;
		old = seen;
	}
}

//! float_maximum 715 65 in:float:715:0:1000 inout:float:3:0:1
__kernel void float_maximum(__global const float *a, __global float *out)
{
	size_t i = get_global_id(0);
	volatile __global int *p = (volatile __global int *)&out[i % 3];
	int old = *p;

	while (as_float(old) < a[i]) {
		int seen = atomic_cmpxchg(p, old, as_int(a[i]));

		if (seen == old)
			break;
		old = seen;
	}
}

//! tickets 385 35 in:uint:385 inout:uint:1:7:7.9 out:uchar:400
__kernel void tickets(__global const uint *a, __global uint *counter, __global uchar *out)
{
	/* Which ticket a work item gets is open; that each is given once is not. */
	uint ticket = atomic_inc(counter) - 7;

	if (ticket < 385)
		out[ticket] = 1;
	if (!get_global_id(0)) {
		for (uint j = 385; j < 400; j++)
			out[j] = a[j - 385];
	}
}

__constant uint table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
__constant float weights[5] = { 0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f };

//! constant_tables 1001 13 in:uint:1001 in:float:1005:0:100 out:uint:1001 out:float:1001:near=0.000001
__kernel void constant_tables(__global const uint *a, __global const float *b, __global uint *out,
#ifdef REFERENCE
			      __global double *blurred)
#else
			      __global float *blurred)
#endif
{
	size_t i = get_global_id(0);
	uint x = a[i], sum = 0;
	float blur = 0;

	for (int j = 0; j < 8; j++, x >>= 4)
		sum = sum * 10 + table[x & 15];
	for (int j = 0; j < 5; j++)
		blur += weights[j] * b[i + j];
	out[i] = sum;
	blurred[i] = blur;
}

//! gather_scatter 1001 143 in:uint:1001 in:ulong:1001 out:ulong:1001 out:uchar:1001 out:ushort:1001
__kernel void gather_scatter(__global const uint *a, __global const ulong *b, __global ulong *out, __global uchar *bytes,
			     __global ushort *words)
{
	size_t i = get_global_id(0), to = i * 17 % 1001;

	out[to] = b[a[i] % 1001] + b[(a[i] >> 9) % 1001];
	bytes[to] = ((__global const uchar *)b)[a[i] % 8008];
	words[1000 - to] = ((__global const ushort *)b)[a[i] % 4004];
}

//! global_offsets 45x21 9x7 out:uint:8505
__kernel void global_offsets(__global uint *out)
{
	size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);

	out += 9 * i;
	out[0] = get_local_id(0);
	out[1] = get_local_id(1);
	out[2] = get_group_id(0);
	out[3] = get_group_id(1);
	out[4] = get_num_groups(0) * 100 + get_num_groups(1);
	out[5] = get_local_size(0) * 100 + get_local_size(1);
	out[6] = get_work_dim();
	out[7] = get_global_size(0) + get_global_offset(1);
	out[8] = get_global_id(2) + get_local_size(2);
}
