// SPDX-License-Identifier: MIT
// Images: sampled and plain reads, writes, of all shapes.

__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
__constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

__kernel void image_copy(read_only image2d_t a, write_only image2d_t out)
{
	int2 p = (int2)(get_global_id(0), get_global_id(1));

	write_imagef(out, p, read_imagef(a, nearest, p));
}

__kernel void image_scale(read_only image2d_t a, write_only image2d_t out, float2 scale)
{
	int2 p = (int2)(get_global_id(0), get_global_id(1));

	write_imagef(out, p, read_imagef(a, linear, convert_float2(p) * scale).zyxw);
}

__kernel void image_blur(read_only image2d_t a, write_only image2d_t out)
{
	int2 p = (int2)(get_global_id(0), get_global_id(1));
	float4 sum = 0;

	for (int y = -1; y < 2; y++)
		for (int x = -1; x < 2; x++)
			sum += read_imagef(a, nearest, p + (int2)(x, y));
	write_imagef(out, p, sum / 9);
}

__kernel void image_int(read_only image2d_t a, write_only image2d_t out)
{
	int2 p = (int2)(get_global_id(0), get_global_id(1));

	write_imagei(out, p, read_imagei(a, nearest, p) + (int4)(1, 2, 3, 4));
}

__kernel void image_uint(read_only image2d_array_t a, write_only image2d_array_t out, int layer)
{
	int4 p = (int4)(get_global_id(0), get_global_id(1), layer, 0);

	write_imageui(out, p, read_imageui(a, p) ^ 0xff);
}

__kernel void image_volume(read_only image3d_t a, __global float *out)
{
	int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);

	out[p.x + 16 * (p.y + 16 * p.z)] = read_imagef(a, nearest, p).x + get_image_depth(a);
}

__kernel void image_line(read_only image1d_t a, write_only image1d_t out)
{
	int p = get_global_id(0);

	write_imagef(out, p, read_imagef(a, linear, p * 0.1f));
}

__kernel void image_size(read_only image2d_t a, __global int *out)
{
	out[0] = get_image_width(a);
	out[1] = get_image_height(a);
	out[2] = get_image_channel_order(a);
}
