// SPDX-License-Identifier: MIT
// Control flow that diverges: nested conditions, loops with break and continue, switches, early returns, calls.

__kernel void nested(__global const int *a, __global int *out)
{
	size_t i = get_global_id(0);
	int x = a[i], r = 0;

	if (x > 0) {
		if (x & 1)
			r = x * 3 + 1;
		else if (x & 2)
			r = x / 2;
		else
			r = -x;
	} else if (x < -100) {
		r = 7;
	}
	out[i] = r;
}

__kernel void collatz(__global const uint *a, __global uint *out)
{
	size_t i = get_global_id(0);
	uint x = a[i], n = 0;

	while (x != 1 && n < 1000) {
		x = x & 1 ? 3 * x + 1 : x >> 1;
		n++;
	}
	out[i] = n;
}

__kernel void early_return(__global const int *a, __global int *out, int n)
{
	size_t i = get_global_id(0);

	if (i >= n)
		return;
	for (int k = 0; k < n; k++) {
		if (a[k] == (int)i) {
			out[i] = k;
			return;
		}
	}
	out[i] = -1;
}

__kernel void break_continue(__global const int *a, __global int *out, int n)
{
	size_t i = get_global_id(0);
	int sum = 0;

	for (int k = 0; k < n; k++) {
		int v = a[(i + k) & 63];

		if (v == 0)
			continue;
		if (v < -50)
			break;
		for (int j = v; j > 0; j -= 3) {
			if (j == 7)
				break;
			sum += j;
		}
	}
	out[i] = sum;
}

__kernel void switches(__global const int *a, __global const int *b, __global int *out)
{
	size_t i = get_global_id(0);
	int x = b[i];

	switch (a[i] & 7) {
	case 0:
		x += 1;
		break;
	case 1:
		x *= 5;
	case 2:
		x ^= 0x1234;
		break;
	case 3:
		x = x >> 3;
		break;
	case 5:
		x = -x;
		break;
	default:
		x = popcount(x);
	}
	out[i] = x;
}

__attribute__((noinline)) int gcd(int a, int b)
{
	while (b) {
		int t = a % b;

		a = b;
		b = t;
	}
	return a;
}

__kernel void calls(__global const int *a, __global const int *b, __global int *out)
{
	size_t i = get_global_id(0);

	out[i] = gcd(a[i], b[i]);
	if (out[i] > 3)
		out[i] += gcd(b[i], 36);
}

__kernel void sort(__global int *a, int n)
{
	size_t base = get_global_id(0) * n;

	for (int i = 1; i < n; i++) {
		int v = a[base + i], k = i - 1;

		for (; k >= 0 && a[base + k] > v; k--)
			a[base + k + 1] = a[base + k];
		a[base + k + 1] = v;
	}
}

__kernel void find(__global const int *sorted, __global const int *keys, __global int *out, int n)
{
	size_t i = get_global_id(0);
	int low = 0, high = n;

	do {
		int middle = (low + high) / 2;

		if (sorted[middle] < keys[i])
			low = middle + 1;
		else
			high = middle;
	} while (low < high);
	out[i] = low;
}
