// SPDX-License-Identifier: MIT
// C = A B for square matrices of single precision, in tiles of 16 by 16. A sum is made of fused multiplications and
// additions in the order of the columns of A: a CPU gives the same numbers.

#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void sgemm(__global const float *a, __global const float *b, __global float *c)
{
	__local float ta[TILE][TILE], tb[TILE][TILE];
	uint column = get_global_id(0), row = get_global_id(1), n = get_global_size(0);
	uint x = get_local_id(0), y = get_local_id(1);
	float sum = 0;

	for (uint k = 0; k < n; k += TILE) {
		ta[y][x] = a[row * n + k + x];
		tb[y][x] = b[(k + y) * n + column];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint j = 0; j < TILE; j++)
			sum = fma(ta[y][j], tb[j][x], sum);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + column] = sum;
}
