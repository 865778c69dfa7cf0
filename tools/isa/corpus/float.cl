// SPDX-License-Identifier: MIT
// Floats: arithmetic, comparisons, conversions, functions that the math unit has and those that programs compute.

__kernel void saxpy(__global const float *x, __global float *y, float a)
{
	size_t i = get_global_id(0);

	y[i] = a * x[i] + y[i];
}

__kernel void float_mix(__global const float *a, __global const float *b, __global float *out)
{
	size_t i = get_global_id(0);
	float x = a[i], y = b[i];

	out[4 * i] = fma(x, y, 1.5f);
	out[4 * i + 1] = fmin(fabs(x), -y);
	out[4 * i + 2] = clamp(x + y, 0.0f, 1.0f);
	out[4 * i + 3] = mix(x, y, 0.25f);
}

__kernel void divide_exactly(__global const float *a, __global const float *b, __global float *out)
{
	size_t i = get_global_id(0);

	out[2 * i] = a[i] / b[i];
	out[2 * i + 1] = sqrt(fabs(a[i]));
}

__kernel void native_functions(__global const float *a, __global float *out)
{
	size_t i = get_global_id(0);
	float x = a[i];

	out[8 * i] = native_recip(x);
	out[8 * i + 1] = native_rsqrt(x);
	out[8 * i + 2] = native_sqrt(x);
	out[8 * i + 3] = native_exp2(x);
	out[8 * i + 4] = native_log2(x);
	out[8 * i + 5] = native_sin(x);
	out[8 * i + 6] = native_cos(x);
	out[8 * i + 7] = native_powr(x, 1.25f);
}

__kernel void exact_functions(__global const float *a, __global float *out)
{
	size_t i = get_global_id(0);
	float x = a[i];

	out[4 * i] = exp(x);
	out[4 * i + 1] = log(x);
	out[4 * i + 2] = pow(x, 3.5f);
	out[4 * i + 3] = atan2(x, 2.0f);
}

__kernel void trigonometry(__global const float *a, __global float *out)
{
	size_t i = get_global_id(0);

	out[i] = sin(a[i]) * cos(a[i]) + tan(a[i]);
}

__kernel void rounding(__global const float *a, __global float *out)
{
	size_t i = get_global_id(0);
	float x = a[i];

	out[4 * i] = floor(x) + ceil(x);
	out[4 * i + 1] = trunc(x) - rint(x);
	out[4 * i + 2] = fmod(x, 3.0f);
	out[4 * i + 3] = x - floor(x);
}

__kernel void classify(__global const float *a, __global int *out)
{
	size_t i = get_global_id(0);

	out[i] = isnan(a[i]) | isinf(a[i]) << 1 | signbit(a[i]) << 2 | isnormal(a[i]) << 3;
}

__kernel void conversions(__global const float *a, __global int *out)
{
	size_t i = get_global_id(0);

	out[4 * i] = convert_int_rte(a[i]);
	out[4 * i + 1] = convert_uchar_sat(a[i]);
	out[4 * i + 2] = convert_short_sat_rtn(a[i]);
	out[4 * i + 3] = (uint)a[i] + as_int(a[i]);
}

__kernel void int_to_float(__global const int *a, __global const uint *b, __global float *out)
{
	size_t i = get_global_id(0);

	out[2 * i] = a[i];
	out[2 * i + 1] = convert_float_rtz(b[i]);
}

__kernel void half_storage(__global const half *a, __global half *out, float scale)
{
	size_t i = get_global_id(0);

	vstore_half(vload_half(i, a) * scale, i, out);
}

__kernel void vectors(__global const float4 *a, __global const float4 *b, __global float4 *out)
{
	size_t i = get_global_id(0);
	float4 x = a[i], y = b[i];

	out[2 * i] = cross(x, y) + x.wzyx;
	out[2 * i + 1] = normalize(x) * dot(x, y) + length(y);
}

__kernel void mandelbrot(__global uchar *out, float step, int width, int limit)
{
	int px = get_global_id(0), py = get_global_id(1), n = 0;
	float cx = px * step - 2.0f, cy = py * step - 1.0f, x = 0, y = 0;

	while (n < limit && x * x + y * y < 4.0f) {
		float t = x * x - y * y + cx;

		y = 2 * x * y + cy;
		x = t;
		n++;
	}
	out[py * width + px] = n;
}

__kernel void polynomial(__global const float *a, __global float *out, __constant float *c)
{
	size_t i = get_global_id(0);
	float r = c[7];

	for (int k = 6; k >= 0; k--)
		r = r * a[i] + c[k];
	out[i] = r;
}

__kernel void bodies(__global const float4 *position, __global float4 *force, int n)
{
	size_t i = get_global_id(0);
	float4 sum = 0;

	for (int k = 0; k < n; k++) {
		float4 d = position[k] - position[i];
		float r = native_rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);

		sum += d * (position[k].w * r * r * r);
	}
	force[i] = sum;
}
