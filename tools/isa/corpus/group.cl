// SPDX-License-Identifier: MIT
// Groups: barriers, local memory, atomics, subgroups.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

__kernel void reduce(__global const int *a, __global int *out, __local int *part)
{
	int l = get_local_id(0);

	part[l] = a[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int n = get_local_size(0) / 2; n; n /= 2) {
		if (l < n)
			part[l] += part[l + n];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!l)
		out[get_group_id(0)] = part[0];
}

__kernel void scan(__global const int *a, __global int *out, __local int *part)
{
	int l = get_local_id(0), n = get_local_size(0);

	part[l] = a[get_global_id(0)];
	for (int d = 1; d < n; d *= 2) {
		int t = 0;

		barrier(CLK_LOCAL_MEM_FENCE);
		if (l >= d)
			t = part[l - d];
		barrier(CLK_LOCAL_MEM_FENCE);
		part[l] += t;
	}
	out[get_global_id(0)] = part[l];
}

__kernel void histogram(__global const uchar *a, __global uint *out, int n)
{
	__local uint bins[256];
	int l = get_local_id(0);

	for (int k = l; k < 256; k += get_local_size(0))
		bins[k] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = get_global_id(0); k < n; k += get_global_size(0))
		atomic_inc(&bins[a[k]]);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = l; k < 256; k += get_local_size(0))
		atomic_add(&out[k], bins[k]);
}

__kernel void atomics(__global int *a, __global uint *b, __global int *old)
{
	size_t i = get_global_id(0);

	old[2 * i] = atomic_add(&a[0], 3);
	old[2 * i + 1] = atomic_cmpxchg(&a[1], 5, (int)i);
	atomic_sub(&a[2], 1);
	atomic_xchg(&a[3], (int)i);
	atomic_min(&a[4], (int)i - 7);
	atomic_max(&b[0], (uint)i);
	atomic_and(&b[1], ~(uint)i);
	atomic_or(&b[2], 1u << (i & 31));
	atomic_xor(&b[3], (uint)i);
	atomic_dec(&a[5]);
}

__kernel void float_atomic(__global float *a, __global const float *b)
{
	union { uint u; float f; } old, new;

	do {
		old.f = *(volatile __global float *)a;
		new.f = old.f + b[get_global_id(0)];
	} while (atomic_cmpxchg((volatile __global uint *)a, old.u, new.u) != old.u);
}

#ifdef cl_khr_int64_base_atomics
__kernel void long_atomic(__global long *a)
{
	atom_add(a, (long)get_global_id(0));
	atom_cmpxchg(a + 1, 0L, 7L);
}
#endif

#ifdef cl_intel_subgroups
__kernel void subgroups(__global const int *a, __global int *out)
{
	size_t i = get_global_id(0);
	int x = a[i];

	out[4 * i] = sub_group_reduce_add(x);
	out[4 * i + 1] = sub_group_scan_exclusive_max(x);
	out[4 * i + 2] = intel_sub_group_shuffle(x, get_sub_group_local_id() ^ 5);
	out[4 * i + 3] = sub_group_broadcast(x, 3) + sub_group_any(x > 4);
}

__kernel void block_copy(__global const uint *a, __global uint *out)
{
	size_t i = get_group_id(0) * get_local_size(0);
	uint4 v = intel_sub_group_block_read4(a + i * 4);

	intel_sub_group_block_write4(out + i * 4, v + 1);
}

__kernel __attribute__((intel_reqd_sub_group_size(8))) void narrow(__global const float *a, __global float *out)
{
	size_t i = get_global_id(0);

	out[i] = a[i] * intel_sub_group_shuffle_down(a[i], 1.0f, 1);
}

__kernel __attribute__((intel_reqd_sub_group_size(16))) void wide(__global const float *a, __global float *out)
{
	size_t i = get_global_id(0);

	out[i] = sub_group_reduce_max(a[i]) - a[i];
}
#endif

__kernel void matrix(__global const float *a, __global const float *b, __global float *c, int n)
{
	__local float ta[16][16], tb[16][16];
	int x = get_local_id(0), y = get_local_id(1), row = get_global_id(1), column = get_global_id(0);
	float sum = 0;

	for (int k = 0; k < n; k += 16) {
		ta[y][x] = a[row * n + k + x];
		tb[y][x] = b[(k + y) * n + column];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int j = 0; j < 16; j++)
			sum += ta[y][j] * tb[j][x];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + column] = sum;
}

__kernel void ids(__global uint *out)
{
	size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));

	out[8 * i] = get_local_id(0);
	out[8 * i + 1] = get_local_id(1);
	out[8 * i + 2] = get_local_id(2);
	out[8 * i + 3] = get_group_id(0);
	out[8 * i + 4] = get_group_id(1);
	out[8 * i + 5] = get_num_groups(2);
	out[8 * i + 6] = get_global_offset(0);
	out[8 * i + 7] = get_work_dim();
}

__kernel void say(__global const int *a)
{
	printf("%d %f\n", a[get_global_id(0)], (float)a[get_global_id(0)]);
}
