// SPDX-License-Identifier: MIT
// Integer arithmetic of each width. A division has no zero and no overflow; a shift's count is below the width.

#define ALU(name, type, utype)									\
__kernel void name(__global const type *a, __global const type *b, __global type *out)		\
{												\
	size_t i = get_global_id(0);								\
	type x = a[i], y = b[i], d = y == 0 || y == (type)-1 ? (type)3 : y;			\
	uint n = (uint)y & (8 * sizeof(type) - 1);						\
	out += 12 * i;										\
	out[0] = (type)((utype)x + (utype)y);							\
	out[1] = (type)((utype)x - (utype)y);							\
	out[2] = (type)((utype)x * (utype)y);							\
	out[3] = x / d;										\
	out[4] = x % d;										\
	out[5] = x & y;										\
	out[6] = x | ~y;									\
	out[7] = x ^ y;										\
	out[8] = (type)((utype)x << n);								\
	out[9] = x >> n;									\
	out[10] = (type)(x < y ? x : -y);							\
	out[11] = (type)((x == y) + 2 * (x > y) + 4 * (x >= y) + 8 * !x);			\
}

//! alu_char 1007 53 in:char:1007 in:char:1007 out:char:12084
ALU(alu_char, char, uchar)
//! alu_uchar 1007 19 in:uchar:1007 in:uchar:1007 out:uchar:12084
ALU(alu_uchar, uchar, uchar)
//! alu_short 1007 53 in:short:1007 in:short:1007 out:short:12084
ALU(alu_short, short, ushort)
//! alu_ushort 1007 19 in:ushort:1007 in:ushort:1007 out:ushort:12084
ALU(alu_ushort, ushort, ushort)
//! alu_int 1007 53 in:int:1007 in:int:1007 out:int:12084
ALU(alu_int, int, uint)
//! alu_uint 1007 19 in:uint:1007 in:uint:1007 out:uint:12084
ALU(alu_uint, uint, uint)
//! alu_long 1007 53 in:long:1007 in:long:1007 out:long:12084
ALU(alu_long, long, ulong)
//! alu_ulong 1007 19 in:ulong:1007 in:ulong:1007 out:ulong:12084
ALU(alu_ulong, ulong, ulong)

#define FUNCTIONS(type)							\
	size_t i = get_global_id(0);					\
	out##type += 12 * i;						\
	out##type[0] = mul_hi(type##x, type##y);			\
	out##type[1] = add_sat(type##x, type##y);			\
	out##type[2] = sub_sat(type##x, type##y);			\
	out##type[3] = hadd(type##x, type##y);				\
	out##type[4] = rhadd(type##x, type##y);				\
	out##type[5] = rotate(type##x, type##y);			\
	out##type[6] = clz(type##x);					\
	out##type[7] = popcount(type##x);				\
	out##type[8] = max(type##x, type##y);				\
	out##type[9] = clamp(type##x, min(type##y, type##z), max(type##y, type##z));	\
	out##type[10] = mad_hi(type##x, type##y, type##z);		\
	out##type[11] = abs_diff(type##x, type##y);

/*
 * Not asked, since Intel's compiler (IGC 1.0.12504) is wrong there whatever executes its instructions: add_sat of twice the
 * smallest long, rhadd of twice the largest ulong, and mad_sat of longs that have a sign.
 */
#define FUNCTION_KERNEL(type)									\
__kernel void functions_##type(__global const type *a, __global const type *b, __global const type *c,	\
			       __global type *out##type)					\
{												\
	type type##x = a[get_global_id(0)], type##z = c[get_global_id(0)];			\
	type type##y = b[get_global_id(0)] == type##x ? (type)5 : b[get_global_id(0)];		\
	FUNCTIONS(type)										\
}

//! functions_char 675 27 in:char:675 in:char:675 in:char:675 out:char:8100
FUNCTION_KERNEL(char)
//! functions_uchar 675 45 in:uchar:675 in:uchar:675 in:uchar:675 out:uchar:8100
FUNCTION_KERNEL(uchar)
//! functions_short 675 27 in:short:675 in:short:675 in:short:675 out:short:8100
FUNCTION_KERNEL(short)
//! functions_ushort 675 45 in:ushort:675 in:ushort:675 in:ushort:675 out:ushort:8100
FUNCTION_KERNEL(ushort)
//! functions_int 675 27 in:int:675 in:int:675 in:int:675 out:int:8100
FUNCTION_KERNEL(int)
//! functions_uint 675 45 in:uint:675 in:uint:675 in:uint:675 out:uint:8100
FUNCTION_KERNEL(uint)
//! functions_long 675 27 in:long:675 in:long:675 in:long:675 out:long:8100
FUNCTION_KERNEL(long)
//! functions_ulong 675 45 in:ulong:675 in:ulong:675 in:ulong:675 out:ulong:8100
FUNCTION_KERNEL(ulong)

//! mad_sat_all 693 77 in:int:693 in:int:693 in:int:693 in:long:693 in:long:693 out:long:4158
__kernel void mad_sat_all(__global const int *a, __global const int *b, __global const int *c, __global const long *d,
			  __global const long *e, __global long *out)
{
	size_t i = get_global_id(0);

	out += 6 * i;
	out[0] = mad_sat(a[i], b[i], c[i]);
	out[1] = mad_sat((uint)a[i], (uint)b[i], (uint)c[i]);
	out[2] = mad_sat((short)a[i], (short)b[i], (short)c[i]);
	out[3] = mad_sat((uchar)a[i], (uchar)b[i], (uchar)c[i]);
	out[4] = mad_sat((ulong)d[i] >> 30, (ulong)e[i], (ulong)d[i]);
	out[5] = (long)mad_sat((ulong)d[i], (ulong)e[i], (ulong)c[i]);
}

//! mul24_upsample 693 99 in:int:693:-8388608:8388607 in:int:693:-8388608:8388607 in:int:693 out:ulong:3465
__kernel void mul24_upsample(__global const int *a, __global const int *b, __global const int *c, __global ulong *out)
{
	size_t i = get_global_id(0);
	int x = a[i] % 32768, y = b[i] % 32768;

	out += 5 * i;
	out[0] = (uint)mul24(x, y);
	out[1] = (uint)mad24(x, y, c[i]);
	out[2] = upsample((uint)a[i], (uint)c[i]);
	out[3] = upsample((ushort)a[i], (ushort)b[i]);
	out[4] = (ushort)upsample((char)b[i], (uchar)c[i]);
}

//! relations 715 65 in:int:1430 in:float:1430 in:long:1430 out:int:7150
__kernel void relations(__global const int *a, __global const float *f, __global const long *l, __global int *out)
{
	size_t i = get_global_id(0);
	int2 x = vload2(i, a);
	float2 y = vload2(i, f);
	long2 z = vload2(i, l);

	out += 10 * i;
	out[0] = any(x < 0) + 2 * all(x < 0);
	out[1] = isless(y.x, y.y) + 2 * isgreaterequal(y.x, y.y) + 4 * isnotequal(y.x, y.y);
	out[2] = isnan(y.x) + 2 * isinf(y.x) + 4 * isnormal(y.x) + 8 * !!signbit(y.x) + 16 * isfinite(y.x);
	out[3] = isordered(y.x, y.y) + 2 * isunordered(y.x, y.y) + 4 * islessgreater(y.x, y.y);
	out[4] = select(x.x, x.y, z.x < z.y);
	out[5] = bitselect(x.x, x.y, (int)z.x);
	out[6] = as_int2(select(y, y.yx, x < 0)).x;
	out[7] = any(z == 0) + 2 * all(z > x.x);
	out[8] = (int)(z.x > z.y) + 2 * ((ulong)z.x > (ulong)z.y) + 4 * (z.x == x.x);
	out[9] = (int)(select(z, z.yx, (long2)(x.x, x.y)).y >> 7);
}
