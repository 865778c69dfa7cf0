// SPDX-License-Identifier: MIT
// Control flow that differs between the work items of a thread.

//! nested_if 1001 77 in:int:1001 out:int:1001
__kernel void nested_if(__global const int *a, __global int *out)
{
	size_t i = get_global_id(0);
	int x = a[i], r = 0;

	if (x & 1) {
		if (x & 2) {
			r = x * 3;
			if (x < 0)
				r ^= 0x1234;
			else
				r += i;
		} else {
			r = x - 7;
			if (i % 3 == 0)
				r = -r;
		}
		r += 1;
	} else if (x & 4) {
		r = x >> 3;
	} else {
		if (i & 1)
			r = 5;
		if (x > 100 && (x & 8 || i % 5 == 2))
			r += x / 3;
	}
	out[i] = r;
}

//! collatz 1001 91 in:uint:1001:1:100000 out:uint:1001
__kernel void collatz(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);
	uint x = a[i], steps = 0;

	while (x != 1) {
		x = x & 1 ? 3 * x + 1 : x / 2;
		steps++;
	}
	out[i] = steps;
}

//! break_continue 1001 143 in:uint:1001 out:uint:1001
__kernel void break_continue(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);
	uint x = a[i], sum = 0;

	for (uint j = 0; j < 40; j++) {
		x = x * 1664525 + 1013904223;
		if (x >> 28 == 3)
			continue;
		if (x >> 27 == 9)
			break;
		for (uint k = 0; k < (x & 7); k++) {
			if (k * j == 12)
				break;
			if ((k ^ j) & 1)
				continue;
			sum += k + (x >> 16);
		}
		sum = rotate(sum, 3u) + j;
	}
	out[i] = sum;
}

//! switch_cases 1001 77 in:uint:1001 out:int:1001
__kernel void switch_cases(__global const uint *a, __global int *out)
{
	size_t i = get_global_id(0);
	int r = 0;

	for (uint x = a[i], n = 0; n < 8; n++, x >>= 4) {
		switch (x & 15) {
		case 0:
			r += 100;
			break;
		case 1:
		case 2:
			r ^= n;
		case 3:
			r *= 3;
			break;
		case 7:
			r -= x;
			break;
		case 9:
			r = ~r;
			continue;
		case 12:
			r += a[(i + n) % 1001] & 0xff;
			break;
		default:
			r++;
		}
		r = r * 5 + 1;
	}
	out[i] = r;
}

//! early_return 1001 13 in:int:1001 out:int:1001
__kernel void early_return(__global const int *a, __global int *out)
{
	size_t i = get_global_id(0);
	int x = a[i];

	out[i] = -1;
	if (x < 0)
		return;
	for (int j = 1; j < 50; j++) {
		if (x % j == 7) {
			out[i] = j;
			return;
		}
		if (x < j * j) {
			out[i] = -j;
			return;
		}
	}
	out[i] = x;
}

static uint gcd(uint a, uint b)
{
	while (b) {
		uint t = a % b;

		a = b;
		b = t;
	}
	return a;
}

//! gcd_totient 385 35 in:uint:385:2:90 out:uint:385
__kernel void gcd_totient(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);
	uint count = 0, n = a[i];

	for (uint j = 1; j <= n; j++)
		count += gcd(n, j) == 1;
	out[i] = count;
}

//! do_while_states 715 65 in:uint:715 out:uint:1430
__kernel void do_while_states(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);
	uint x = a[i], state = 0, steps = 0, sum = 0;

	do {
		uint bit = x >> 31;

		x = rotate(x, 1u) * 5 + 1;
		if (state == 0)
			state = bit ? 1 : 2;
		else if (state == 1)
			state = bit ? 3 : 0;
		else if (state == 2)
			state = bit ? 0 : steps > 20 ? 3 : 2;
		else
			break;
		sum = sum * 4 + state;
	} while (++steps < 60);
	out[2 * i] = sum;
	out[2 * i + 1] = steps;
}

static int hash_step(int x)
{
	return (x ^ (x >> 3)) * 31;
}

//! short_circuit 45x21 15x7 in:int:945 out:int:945
__kernel void short_circuit(__global const int *a, __global int *out)
{
	size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
	int x = a[i], r = 0;

	if (x > 0 && a[(uint)x % 945] > 0 && a[(uint)hash_step(x) % 945] < 0)
		r |= 1;
	if (x < -1000 || (x & 5) == 4 || a[944 - i] == x)
		r |= 2;
	r |= (x & 1 ? hash_step(x) : hash_step(r)) << 2;
	out[i] = r;
}

//! divergent_loops 945 105 in:uint:945 out:uint:945
__kernel void divergent_loops(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);
	uint x = a[i], sum = 0;

	for (uint j = 0; j < i % 17; j++) {
		for (uint k = j; k < (x & 15); k++)
			sum += x >> (k & 7);
		if (sum & 1) {
			for (uint k = sum & 3; k; k--)
				sum = sum * 7 + k;
		}
		x = x * 69069 + 1;
	}
	out[i] = sum;
}
