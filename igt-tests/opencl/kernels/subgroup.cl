// SPDX-License-Identifier: MIT
// Subgroups of 16, of which the last of a work group may be smaller. The reference makes them of local
// memory, with barriers in the kernels themselves: pocl 3.1 gets those in functions wrong.

#ifdef REFERENCE
#define SIZE16
#define LANE	(get_local_id(0) % 16)
#define BASE	(get_local_id(0) - LANE)
#define LANES	min((size_t)16, get_local_size(0) - BASE)
#define PUBLISH(x)	{ barrier(CLK_LOCAL_MEM_FENCE); all[get_local_id(0)] = x; barrier(CLK_LOCAL_MEM_FENCE); }

enum { ADD, MAX, MIN };

static int fold(__local int *from, int kind, uint end)
{
	int r = kind == MAX ? INT_MIN : kind == MIN ? INT_MAX : 0;

	for (uint j = 0; j < end; j++)
		r = kind == MAX ? max(r, from[j]) : kind == MIN ? min(r, from[j]) : r + from[j];
	return r;
}

#define REDUCE_ADD(x)	fold(all + BASE, ADD, LANES)
#define REDUCE_MAX(x)	fold(all + BASE, MAX, LANES)
#define SCAN_ADD(x)	fold(all + BASE, ADD, LANE + 1)
#define SCAN_ADD_EX(x)	fold(all + BASE, ADD, LANE)
#define SCAN_MIN(x)	fold(all + BASE, MIN, LANE + 1)
#define BROADCAST(x, n)	all[BASE + (n)]
#define SHUFFLE(x, n)	all[BASE + (n)]
#define ANY(x)		fold(all + BASE, MAX, LANES)
#define ALL(x)		fold(all + BASE, MIN, LANES)
#else
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define SIZE16		__attribute__((intel_reqd_sub_group_size(16)))
#define LANE		get_sub_group_local_id()
#define LANES		get_sub_group_size()
#define PUBLISH(x)
#define REDUCE_ADD(x)	sub_group_reduce_add(x)
#define REDUCE_MAX(x)	sub_group_reduce_max(x)
#define SCAN_ADD(x)	sub_group_scan_inclusive_add(x)
#define SCAN_ADD_EX(x)	sub_group_scan_exclusive_add(x)
#define SCAN_MIN(x)	sub_group_scan_inclusive_min(x)
#define BROADCAST(x, n)	sub_group_broadcast(x, n)
#ifdef cl_intel_subgroups
#define SHUFFLE(x, n)	intel_sub_group_shuffle(x, n)
#else
#define SHUFFLE(x, n)	sub_group_shuffle(x, n)
#endif
#define ANY(x)		!!sub_group_any(x)
#define ALL(x)		!!sub_group_all(x)
#endif

//! subgroup_reduce 616 56 needs:cl_khr_subgroups,__opencl_c_subgroups in:int:616 out:int:2464 local:224
SIZE16 __kernel void subgroup_reduce(__global const int *a, __global int *out, __local int *all)
{
	size_t i = get_global_id(0);
	int x = a[i];

	out += 4 * i;
	PUBLISH(x);
	out[0] = REDUCE_ADD(x);
	out[1] = REDUCE_MAX(x);
	out[2] = BROADCAST(x, 5);
	out[3] = LANE + 100 * LANES;
}

//! subgroup_vote 616 88 needs:cl_khr_subgroups,__opencl_c_subgroups in:int:616 out:int:1232 local:352
SIZE16 __kernel void subgroup_vote(__global const int *a, __global int *out, __local int *all)
{
	size_t i = get_global_id(0);
	int x = a[i] > 1800000000, y = a[i] > -1800000000;

	PUBLISH(x);
	out[2 * i] = ANY(x);
	PUBLISH(y);
	out[2 * i + 1] = ALL(y);
}

//! subgroup_scan 616 77 needs:cl_khr_subgroups,__opencl_c_subgroups in:int:616 out:int:1848 local:308
SIZE16 __kernel void subgroup_scan(__global const int *a, __global int *out, __local int *all)
{
	size_t i = get_global_id(0);
	int x = a[i];

	out += 3 * i;
	PUBLISH(x);
	out[0] = SCAN_ADD(x);
	out[1] = SCAN_ADD_EX(x);
	out[2] = SCAN_MIN(x);
}

//! subgroup_shuffle 640 64 needs:cl_intel_subgroups,cl_khr_subgroup_shuffle in:int:640 out:int:1280 local:256
SIZE16 __kernel void subgroup_shuffle(__global const int *a, __global int *out, __local int *all)
{
	size_t i = get_global_id(0);
	int x = a[i];

	PUBLISH(x);
	out[2 * i] = SHUFFLE(x, (uint)(x >> 5) & 15);
	out[2 * i + 1] = SHUFFLE(x, LANE ^ 9);
}
