// SPDX-License-Identifier: MIT
// Images: samplers of each address mode, both filters, reads without a sampler, arrays, writes.

#ifdef REFERENCE
typedef double real;
#else
typedef float real;
#endif

__constant sampler_t nearest_edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__constant sampler_t nearest_border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
__constant sampler_t nearest_repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
__constant sampler_t linear_edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
__constant sampler_t linear_border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;

static void put(__global real *out, size_t i, float4 v)
{
	out[4 * i] = v.x;
	out[4 * i + 1] = v.y;
	out[4 * i + 2] = v.z;
	out[4 * i + 3] = v.w;
}

//! image_nearest 45x21 15x7 image:rgba8:37x13 out:float:3780:ulp=1.5
__kernel void image_nearest(read_only image2d_t image, __global real *out)
{
	/* From beyond an edge to beyond the other one. */
	int2 at = (int2)((int)get_global_id(0) - 4, (int)get_global_id(1) - 4);

	put(out, get_global_id(1) * 45 + get_global_id(0), read_imagef(image, nearest_edge, at));
}

//! image_border 45x21 15x7 image:rgba32f:37x13 out:float:3780:ulp=1.5
__kernel void image_border(read_only image2d_t image, __global real *out)
{
	float2 at = (float2)((float)get_global_id(0) - 3.75f, (float)get_global_id(1) - 3.25f);

	put(out, get_global_id(1) * 45 + get_global_id(0), read_imagef(image, nearest_border, at));
}

//! image_repeat 45x21 15x7 image:rgba8:32x16 out:float:3780:ulp=1.5
__kernel void image_repeat(read_only image2d_t image, __global real *out)
{
	/* Middles of pixels: an eighth of the picture is 4 pixels or 2. */
	float2 at = (float2)(((float)get_global_id(0) - 6.5f) / 32, ((float)get_global_id(1) - 2.5f) / 16);

	put(out, get_global_id(1) * 45 + get_global_id(0), read_imagef(image, nearest_repeat, at));
}

//! image_linear 45x21 15x7 image:rgba32f:37x13 out:float:3780:near=0.01
__kernel void image_linear(read_only image2d_t image, __global real *out)
{
	float2 at = (float2)((float)get_global_id(0) * 0.9f - 1.3f, (float)get_global_id(1) * 0.7f - 0.6f);

	put(out, get_global_id(1) * 45 + get_global_id(0), read_imagef(image, linear_edge, at));
}

//! image_linear_border 45x21 15x7 image:rgba8:37x13 out:float:3780:near=0.01
__kernel void image_linear_border(read_only image2d_t image, __global real *out)
{
	float2 at = (float2)((float)get_global_id(0) * 0.9f - 1.3f, (float)get_global_id(1) * 0.7f - 0.6f);

	put(out, get_global_id(1) * 45 + get_global_id(0), read_imagef(image, linear_border, at));
}

//! image_integers 37x13 37x1 image:rgba8ui:37x13 image:rgba16i:37x13 image:rgba32ui:37x13 out:uint:1924
__kernel void image_integers(read_only image2d_t a, read_only image2d_t b, read_only image2d_t c, __global uint *out)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	uint4 sum = read_imageui(a, nearest_edge, at) + as_uint4(read_imagei(b, nearest_edge, at)) * 3u +
		    read_imageui(c, nearest_edge, at);

	vstore4(sum, at.y * 37 + at.x, out);
}

//! image_array 37x13 37x1 image:r32f:37x13x5 out:float:481:near=0.000001
__kernel void image_array(read_only image2d_array_t image, __global real *out)
{
	int x = get_global_id(0), y = get_global_id(1);
	real sum = 0;

	for (int layer = 0; layer < 5; layer++)
		sum += (real)read_imagef(image, nearest_edge, (int4)(x, y, layer, 0)).x * (layer + 1);
	out[y * 37 + x] = sum;
}

//! image_write 37x13 37x1 image:rgba8ui:37x13 result:rgba8ui:37x13 result:rgba16i:37x13 result:rgba32f:37x13
__kernel void image_write(read_only image2d_t image, write_only image2d_t bytes, write_only image2d_t words,
			  write_only image2d_t floats)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1)), turned = (int2)(36 - at.x, 12 - at.y);
	uint4 value = read_imageui(image, nearest_edge, at);

	write_imageui(bytes, turned, value.wzyx);
	write_imagei(words, turned, as_int4(value) * 100 - 12000);
	write_imagef(floats, turned, convert_float4(value) * 0.25f);
}

//! image_size 7 7 image:rgba8:37x13 image:r32f:19x11x5 out:int:7
__kernel void image_size(read_only image2d_t image, read_only image2d_array_t array, __global int *out)
{
	int sizes[7] = { get_image_width(image), get_image_height(image), get_image_width(array),
			 get_image_height(array), (int)get_image_array_size(array), get_image_dim(image).x,
			 get_image_dim(array).y };

	out[get_global_id(0)] = sizes[get_global_id(0)];
}
