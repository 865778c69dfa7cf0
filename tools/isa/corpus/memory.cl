// SPDX-License-Identifier: MIT
// Memory: widths, strides, gathers, private arrays, constant and local memory, pointers.

__kernel void copy_bytes(__global const uchar *a, __global uchar *out)
{
	size_t i = get_global_id(0);

	out[i] = a[i] + 1;
}

__kernel void copy_shorts(__global const ushort *a, __global ushort *out)
{
	size_t i = get_global_id(0);

	out[i] = a[i] << 1;
}

__kernel void copy_wide(__global const float16 *a, __global float16 *out)
{
	size_t i = get_global_id(0);

	out[i] = a[i] + a[i + 1];
}

__kernel void gather(__global const float *a, __global const int *index, __global float *out)
{
	size_t i = get_global_id(0);

	out[i] = a[index[i]] + a[index[i] + 4];
}

__kernel void scatter(__global const int *a, __global const int *index, __global int *out)
{
	size_t i = get_global_id(0);

	out[index[i]] = a[i];
}

__kernel void unaligned(__global const uchar *a, __global uint *out)
{
	size_t i = get_global_id(0);

	out[i] = a[3 * i] | a[3 * i + 1] << 8 | a[3 * i + 2] << 16;
}

__kernel void three_floats(__global const float *a, __global float *out)
{
	size_t i = get_global_id(0);
	float3 v = vload3(i, a);

	vstore3(v.zxy * 2, i, out);
}

__kernel void transpose(__global const float *a, __global float *out, int width, __local float *tile)
{
	int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1), n = get_local_size(0);

	tile[ly * n + lx] = a[y * width + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[x * width + y] = tile[ly * n + lx] + tile[lx * n + ly];
}

__kernel void private_array(__global const int *a, __global int *out, int n)
{
	int stack[32], top = 0;
	size_t i = get_global_id(0);

	for (int k = 0; k < n; k++) {
		if (a[i * n + k] >= 0)
			stack[top++ & 31] = a[i * n + k];
		else if (top)
			out[i] += stack[--top & 31];
	}
	out[i] += top;
}

__kernel void private_large(__global const int *a, __global int *out, int n)
{
	int heap[1024];
	size_t i = get_global_id(0);

	for (int k = 0; k < 1024; k++)
		heap[k] = a[(i + k) & 255];
	for (int k = 0; k < n; k++)
		heap[heap[k & 1023] & 1023] += k;
	out[i] = heap[i & 1023];
}

__constant int lookup[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };

__kernel void table(__global const int *a, __global int *out)
{
	size_t i = get_global_id(0);

	out[i] = lookup[a[i] & 15];
}

struct item {
	int key;
	float value;
	uchar flags;
};

__kernel void structs(__global const struct item *a, __global struct item *out, int key)
{
	size_t i = get_global_id(0);
	struct item it = a[i];

	if (it.key == key)
		it.value *= it.flags;
	it.flags ^= 0x81;
	out[i] = it;
}

__kernel void list(__global const int *next, __global const int *value, __global int *out)
{
	int k = get_global_id(0), sum = 0;

	while (k >= 0) {
		sum += value[k];
		k = next[k];
	}
	out[get_global_id(0)] = sum;
}

__kernel void generic_pointer(__global int *a, __local int *scratch, int which)
{
	int own = a[get_global_id(0)];
	int *p;

	scratch[get_local_id(0)] = own * 2;
	barrier(CLK_LOCAL_MEM_FENCE);
	p = which ? (int *)&scratch[get_local_id(0)] : (int *)&a[get_global_id(0)];
	*p += 5;
	barrier(CLK_LOCAL_MEM_FENCE);
	a[get_global_id(0)] = scratch[get_local_id(0)] + own;
}
