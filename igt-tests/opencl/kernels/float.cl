// SPDX-License-Identifier: MIT
// Floating point: what OpenCL asks to be exact is compared bit for bit, the rest within its units in the last place.
// A zero's sign is not specified for round(), frexp() and nextafter(), so these are added to 0.

#pragma OPENCL FP_CONTRACT OFF

#ifdef REFERENCE
typedef double real;
#else
typedef float real;
#endif

//! float_exact 1001 77 in:float:1001 in:float:1001 in:float:1001 out:float:12012
__kernel void float_exact(__global const float *a, __global const float *b, __global const float *c, __global float *out)
{
	size_t i = get_global_id(0);
	float x = a[i], y = b[i], z = c[i];

	out += 12 * i;
	out[0] = x + y;
	out[1] = x - y;
	out[2] = x * y;
	out[3] = fma(x, y, z);
	out[4] = floor(x);
	out[5] = ceil(x);
	out[6] = rint(x);
	out[7] = trunc(x);
	out[8] = round(x) + 0.f;
	out[9] = fabs(x);
	out[10] = copysign(x, y);
	out[11] = -x;
}

//! float_parts 1001 91 in:float:1001 in:float:1001 in:int:1001:-200:200 out:float:8008 out:int:2002
__kernel void float_parts(__global const float *a, __global const float *b, __global const int *n, __global float *out,
			  __global int *exponents)
{
	size_t i = get_global_id(0);
	float x = a[i], whole;
	int exponent = 0;

	out += 8 * i;
	out[0] = fmin(x, b[i]) == fmin(b[i], x);
	out[1] = fmax(isnan(x) ? 1.f : x, b[i]) + 0.f;
	out[2] = frexp(isfinite(x) ? x : 1.f, &exponent) + 0.f;
	out[3] = ldexp(x, n[i]);
	out[4] = nextafter(x, b[i]) + 0.f;
	out[5] = logb(x);
	out[6] = isinf(x) ? 0 : fract(fabs(x), &whole);
	out[7] = isinf(x) ? 0 : modf(x, &whole);
	exponents[2 * i] = exponent;
	exponents[2 * i + 1] = isfinite(x) && x != 0 ? ilogb(x) : 0;
}

//! float_remainder 429 39 in:float:429:-9000:9000 in:float:429:-7:7 out:float:858
__kernel void float_remainder(__global const float *a, __global const float *b, __global float *out)
{
	size_t i = get_global_id(0);

	out[2 * i] = fmod(a[i], b[i]);
	out[2 * i + 1] = remainder(a[i], b[i]);
}

//! float_divide 1001 143 in:float:1001 in:float:1001 out:float:2002:ulp=2.5
__kernel void float_divide(__global const float *a, __global const float *b, __global real *out)
{
	size_t i = get_global_id(0);

	out[2 * i] = (real)a[i] / (real)b[i];
	out[2 * i + 1] = 1 / (real)b[i];
}

//! float_sqrt 1001 77 in:float:1001 out:float:1001:ulp=3 out:float:1001:ulp=2 out:float:1001:ulp=2
__kernel void float_sqrt(__global const float *a, __global real *root, __global real *inverse, __global real *cube)
{
	size_t i = get_global_id(0);

	root[i] = sqrt((real)a[i]);
	inverse[i] = rsqrt((real)a[i]);
	cube[i] = cbrt((real)a[i]);
}

//! float_exp 715 65 in:float:715:-90:90 out:float:2860:ulp=3
__kernel void float_exp(__global const float *a, __global real *out)
{
	size_t i = get_global_id(0);
	real x = a[i];

	out += 4 * i;
	out[0] = exp(x);
	out[1] = exp2(x);
	out[2] = exp10(x / 4);
	out[3] = expm1(x / 16);
}

//! float_log 715 55 in:float:715 out:float:2145:ulp=3 out:float:715:ulp=2
__kernel void float_log(__global const float *a, __global real *out, __global real *plus)
{
	size_t i = get_global_id(0);
	real x = a[i];

	out[3 * i] = log(x);
	out[3 * i + 1] = log2(x);
	out[3 * i + 2] = log10(x);
	plus[i] = log1p(x);
}

//! float_trig 715 65 in:float:715:-40000:40000 out:float:1430:ulp=4 out:float:715:ulp=5 out:float:1430:ulp=4
__kernel void float_trig(__global const float *a, __global real *out, __global real *tangent, __global real *pi)
{
	size_t i = get_global_id(0);
	real x = i & 1 ? a[i] : a[i] / 8192;

	out[2 * i] = sin(x);
	out[2 * i + 1] = cos(x);
	tangent[i] = tan(x);
	pi[2 * i] = sinpi(x);
	pi[2 * i + 1] = cospi(x);
}

//! float_arc 715 143 in:float:715:-1:1 in:float:715 out:float:1430:ulp=4 out:float:715:ulp=5 out:float:715:ulp=6
__kernel void float_arc(__global const float *a, __global const float *b, __global real *out, __global real *tangent,
			__global real *quadrant)
{
	size_t i = get_global_id(0);
	real x = a[i];

	out[2 * i] = asin(x);
	out[2 * i + 1] = acos(x);
	tangent[i] = atan((real)b[i]);
	quadrant[i] = atan2(x, (real)b[i]);
}

//! float_hyperbolic 429 39 in:float:429:-30:30 out:float:858:ulp=4 out:float:429:ulp=5 out:float:858:ulp=4
__kernel void float_hyperbolic(__global const float *a, __global real *out, __global real *tangent, __global real *inverse)
{
	size_t i = get_global_id(0);
	real x = a[i];

	out[2 * i] = sinh(x);
	out[2 * i + 1] = cosh(x);
	tangent[i] = tanh(x / 8);
	inverse[2 * i] = asinh(x);
	inverse[2 * i + 1] = acosh(fabs(x) + 1);
}

//! float_pow 429 33 in:float:429:0:50 in:float:429:-20:20 in:int:429:-9:9 out:float:1287:ulp=16 out:float:429:ulp=4
__kernel void float_pow(__global const float *a, __global const float *b, __global const int *n, __global real *out,
			__global real *hypotenuse)
{
	size_t i = get_global_id(0);
	real x = a[i], y = b[i];

	out[3 * i] = pow(x, y);
	out[3 * i + 1] = pown(-x, n[i]);
	out[3 * i + 2] = powr(x, y);
	hypotenuse[i] = hypot(x, y);
}

//! float_native 715 65 in:float:715:0.01:20 out:float:4290:near=0.0001
__kernel void float_native(__global const float *a, __global real *out)
{
	size_t i = get_global_id(0);
	float x = a[i];

	out += 6 * i;
#ifdef REFERENCE
	out[0] = sin((double)x);
	out[1] = cos((double)x);
	out[2] = log2((double)x);
	out[3] = sqrt((double)x);
	out[4] = 1 / (double)x;
	out[5] = exp2((double)x / 4);
#else
	out[0] = native_sin(x);
	out[1] = native_cos(x);
	out[2] = native_log2(x);
	out[3] = native_sqrt(x);
	out[4] = native_recip(x);
	out[5] = native_exp2(x / 4);
#endif
}

//! double_exact 429 39 needs:cl_khr_fp64 in:double:429:-1000:1000 in:double:429:-1:1 in:double:429 out:double:3432
__kernel void double_exact(__global const double *a, __global const double *b, __global const double *c, __global double *out)
{
	size_t i = get_global_id(0);
	double x = a[i], y = b[i], z = c[i];

	out += 8 * i;
	out[0] = x + z;
	out[1] = x * y;
	out[2] = fma(x, y, z);
	out[3] = x / y;
	out[4] = sqrt(fabs(x));
	out[5] = floor(x) - rint(x * y);
	out[6] = x < z ? x : y;
	out[7] = x * x - y * y;
}

/*
 * Two halves' sum, product, quotient and root round the same when they are computed in single precision first. A device
 * without halves computes them so.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef half number;
#else
typedef float number;
#endif

//! half_arithmetic 715 65 in:float:715:-40:40 in:float:715:-5:5 out:ushort:2860
__kernel void half_arithmetic(__global const float *a, __global const float *b, __global half *out)
{
	size_t i = get_global_id(0);
	number x, y;

	/* Both become halves first, by way of the output. */
	vstore_half_rte(a[i], 4 * i, out);
	vstore_half_rte(b[i], 4 * i + 1, out);
	x = (number)vload_half(4 * i, out);
	y = (number)vload_half(4 * i + 1, out);
	vstore_half_rte((float)(x + y), 4 * i, out);
	vstore_half_rte((float)(x - y), 4 * i + 1, out);
	vstore_half_rte((float)(x * y), 4 * i + 2, out);
	vstore_half_rte(x < y ? (float)x : (float)-y, 4 * i + 3, out);
}

//! geometry 429 39 in:float:3432:-10:10 out:float:2574:near=0.00001
__kernel void geometry(__global const float *a, __global real *out)
{
	size_t i = get_global_id(0);
#ifdef REFERENCE
	double4 x = convert_double4(vload4(2 * i, a)), y = convert_double4(vload4(2 * i + 1, a));
	double4 z;
#else
	float4 x = vload4(2 * i, a), y = vload4(2 * i + 1, a);
	float4 z;
#endif

	out += 6 * i;
	out[0] = dot(x, y);
	out[1] = length(x);
	out[2] = distance(x, y);
	z = cross(x, y);
	out[3] = z.x + z.w;
	out[4] = z.y;
	out[5] = normalize(y).z;
}

//! common_functions 715 55 in:float:2145:-10:10 out:float:4290:near=0.00001
__kernel void common_functions(__global const float *a, __global real *out)
{
	size_t i = get_global_id(0);
	real x = a[3 * i], y = a[3 * i + 1], z = a[3 * i + 2];

	out += 6 * i;
	out[0] = mix(x, y, z);
	out[1] = clamp(x, min(y, z), max(y, z));
	out[2] = smoothstep(min(y, z), max(y, z) + (real)0.5, x);
	out[3] = step(x, y) + sign(z);
	out[4] = degrees(x) + radians(y);
	out[5] = maxmag(x, y) + minmag(y, z) + fdim(x, z);
}
