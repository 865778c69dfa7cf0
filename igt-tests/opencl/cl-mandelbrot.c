// SPDX-License-Identifier: MIT
/**
 * DOC: cl-mandelbrot
 *
 * cl-mandelbrot [--platform NAME] [--binaries FOLDER] [--size WIDTHxHEIGHT] PROGRAM [GPU.png CPU.png]
 *
 * Draws the Mandelbrot set with PROGRAM (programs/mandelbrot.cl) on the platform whose name has NAME in it, and with
 * the CPU. Both pictures are written as PNG, also when they differ, and compared pixel by pixel. Without names of
 * pictures the program is compiled alone, for --binaries. Exit status: 0; 1 when a pixel differs; 2 when something
 * fails.
 */
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "mandelbrot.h"

#define MAX_SIZE	8192

static const struct option options[] = {
	DEVICE_OPTIONS,
	{ "size", required_argument, NULL, 's' },
	{ NULL, 0, NULL, 0 },
};

static unsigned int width = 512, height = 384;

/* What stays in the circle is black; what leaves it goes from blue to white and back, 64 iterations a cycle. */
static cl_uint color(cl_uint iterations)
{
	cl_uint level = iterations * 8 % 512;

	if (iterations >= MANDELBROT_LIMIT)
		return 0xff000000;
	if (level > 255)
		level = 511 - level;
	return 0xff000000 | level << 16 | level << 8 | (0x80 + level / 2);
}

static void write_picture(const char *path, const cl_uint *iterations)
{
	size_t count = (size_t)width * height;
	png_image image = {
		.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_BGRA,
	};
	cl_uint *pixels = malloc(count * sizeof(*pixels));
	char temporary[4096];

	if (!pixels)
		die("no memory for %zu pixels", count);
	for (size_t i = 0; i < count; i++)
		pixels[i] = color(iterations[i]);
	snprintf(temporary, sizeof(temporary), "%s.tmp", path);
	if (!png_image_write_to_file(&image, temporary, 0, pixels, 0, NULL))
		die("%s: %s", path, image.message);
	if (rename(temporary, path))
		die("%s: cannot be written", path);
	free(pixels);
}

/* Returns how many pixels differ, and names the first of them. */
static size_t differences(const cl_uint *got, const cl_uint *want)
{
	size_t wrong = 0;

	for (size_t i = 0; i < (size_t)width * height; i++) {
		if (got[i] != want[i] && !wrong++)
			fprintf(stderr, "first wrong pixel: %zu, %zu took %u iterations, and %u on the CPU\n",
				i % width, i / width, got[i], want[i]);
	}
	return wrong;
}

static bool draw(const struct device *device, cl_program program, const char *picture, const char *cpu_picture)
{
	size_t count = (size_t)width * height, wrong;
	cl_uint *got = malloc(count * sizeof(*got)), *want = malloc(count * sizeof(*want));

	if (!got || !want)
		die("no memory for %zu pixels", count);
	mandelbrot_device(device, program, got, width, height);
	mandelbrot_cpu(want, width, height);
	write_picture(picture, got);
	write_picture(cpu_picture, want);
	wrong = differences(got, want);
	printf("Mandelbrot set %ux%u by OpenCL on %s: %zu pixels compared with the CPU's, %zu differ\n", width, height,
	       device->name, count, wrong);
	free(got);
	free(want);
	return !wrong;
}

int main(int argc, char **argv)
{
	struct device device = { 0 };
	cl_program program;
	bool good = true;
	int option;
	char end;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			if (sscanf(optarg, "%ux%u%c", &width, &height, &end) != 2 || !width || width > MAX_SIZE ||
			    !height || height > MAX_SIZE)
				die("--size %s: WIDTHxHEIGHT is expected, up to %d each", optarg, MAX_SIZE);
			break;
		default:
			if (!device_option(&device, option))
				return 2;
			break;
		}
	}
	if (argc - optind != 1 && argc - optind != 3)
		die("usage: cl-mandelbrot [OPTION...] PROGRAM [GPU.png CPU.png]");
	device_open(&device);
	program = device_build_file(&device, argv[optind]);
	if (argc - optind == 3)
		good = draw(&device, program, argv[optind + 1], argv[optind + 2]);
	clReleaseProgram(program);
	device_close(&device);
	return good ? 0 : 1;
}
