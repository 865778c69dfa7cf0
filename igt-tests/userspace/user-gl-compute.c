// SPDX-License-Identifier: MIT
/**
 * DOC: Compute shaders of OpenGL ES, or of OpenGL
 *
 * A driver that has no OpenGL ES 3.1 may have compute shaders as an extension of OpenGL: Mesa's crocus has them so on
 * Ivy Bridge.
 *
 * Each program runs on the device, and what it leaves in a buffer or a picture is compared with what the same formula
 * gives here. Workgroups do not fill the last thread of a row, so that some of its channels are off, and one dispatch
 * has its number of groups in a buffer.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "user.h"

#define WORDS		8192
#define SIDE		24

static uint32_t host[WORDS];
static GLuint buffers[2];

static const char es_header[] =
	"#version 310 es\n"
	"precision highp int; precision highp float; precision highp uimage2D; precision highp usampler2D;\n";
static const char gl_header[] =
	"#version 420\n"
	"#extension GL_ARB_compute_shader : require\n"
	"#extension GL_ARB_shader_storage_buffer_object : require\n";
static const char *header;

/* The program's two buffers are filled: the first with zeros, the second with numbers. */
static uint32_t input(uint32_t i)
{
	return i * 2654435761u >> 7;
}

static void fill(void)
{
	memset(host, 0, sizeof(host));
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffers[0]);
	glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof(host), host, GL_DYNAMIC_COPY);
	for (uint32_t i = 0; i < WORDS; i++)
		host[i] = input(i);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, buffers[1]);
	glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof(host), host, GL_DYNAMIC_COPY);
}

static void use(const char *name, const char *text)
{
	const char *const parts[] = {
		header,
		"layout(std430, binding = 0) buffer Out { uint to[]; };\n"
		"layout(std430, binding = 1) buffer In { uint from[]; };\n", text,
	};
	GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
	char log[512] = "";
	GLint good = 0;

	glShaderSource(shader, 3, parts, NULL);
	glCompileShader(shader);
	glGetShaderInfoLog(shader, sizeof(log), NULL, log);
	glAttachShader(program, shader);
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &good);
	step(good, name, "it does not compile: %s", log);
	glUseProgram(program);
	fill();
}

/* Waits for the program, and compares what it has written. */
static void compare(const char *name, uint32_t words, uint32_t (*expected)(uint32_t i))
{
	const uint32_t *to;
	uint32_t wrong = 0, first = 0;

	glMemoryBarrier(GL_ALL_BARRIER_BITS);
	glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[0]);
	to = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, sizeof(host), GL_MAP_READ_BIT);
	if (!to || glGetError() != GL_NO_ERROR)
		step(0, name, "a GL error");
	for (uint32_t i = 0; i < WORDS; i++) {
		uint32_t is = i < words ? expected(i) : 0;

		if (to[i] == is)
			continue;
		if (!wrong++)
			first = i;
	}
	step(!wrong, name, "%u of %u differ, the first is %u: 0x%x, not 0x%x", wrong, words, first, to[first],
	     first < words ? expected(first) : 0);
	glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
}

/* A loop whose length differs from channel to channel, in workgroups of 13. */
static const char loop_text[] =
	"layout(local_size_x = 13) in;\n"
	"void main() {\n"
	"	uint i = gl_GlobalInvocationID.x + 13u * gl_NumWorkGroups.x *\n"
	"		(gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z);\n"
	"	uint v = from[i] & 1023u, n = 0u;\n"
	"	while (v > 1u && n < 200u) {\n"
	"		v = (v & 1u) == 0u ? v / 2u : 3u * v + 1u;\n"
	"		n++;\n"
	"	}\n"
	"	to[i] = n * 65536u + from[i] % 1000u;\n"
	"}\n";

static uint32_t loop_expected(uint32_t i)
{
	uint32_t v = input(i) & 1023, n = 0;

	for (; v > 1 && n < 200; n++)
		v = v % 2 ? 3 * v + 1 : v / 2;
	return n * 65536 + input(i) % 1000;
}

/* Shared memory, a barrier, atomics: each item gets its mirror image in the group and the group's sum. */
static const char shared_text[] =
	"layout(local_size_x = 10, local_size_y = 9) in;\n"
	"shared uint part[90]; shared uint sum;\n"
	"void main() {\n"
	"	uint l = gl_LocalInvocationIndex, i = gl_WorkGroupID.x * 90u + l;\n"
	"	if (l == 0u) sum = 0u;\n"
	"	barrier();\n"
	"	part[l] = from[i];\n"
	"	atomicAdd(sum, from[i] & 255u);\n"
	"	memoryBarrierShared(); barrier();\n"
	"	to[i] = part[89u - l] + sum;\n"
	"	atomicAdd(to[8000], 1u); atomicMax(to[8001], from[i]);\n"
	"}\n";

#define SHARED_GROUPS	20u

static uint32_t shared_expected(uint32_t i)
{
	uint32_t group = i / 90, sum = 0, most = 0;

	if (i == 8000)
		return SHARED_GROUPS * 90;
	for (uint32_t k = 0; i == 8001 && k < SHARED_GROUPS * 90; k++)
		most = input(k) > most ? input(k) : most;
	if (i >= SHARED_GROUPS * 90)
		return most;
	for (uint32_t k = 0; k < 90; k++)
		sum += input(group * 90 + k) & 255;
	return input(group * 90 + 89 - i % 90) + sum;
}

/* Floats that are exact in each order of operations. */
static const char float_text[] =
	"layout(local_size_x = 33) in;\n"
	"void main() {\n"
	"	uint i = gl_GlobalInvocationID.x;\n"
	"	float f = float(from[i] & 255u) * 0.25 - 8.0, root = sqrt(float((i & 31u) * (i & 31u)));\n"
	"	to[i] = floatBitsToUint(min(floor(f), root) + abs(f) * 2.0);\n"
	"}\n";

static uint32_t float_expected(uint32_t i)
{
	float f = (float)(input(i) & 255) * 0.25f - 8, root = (float)(i & 31), whole = (float)(int)f, sum;
	uint32_t bits;

	whole = whole > f ? whole - 1 : whole;
	sum = (whole < root ? whole : root) + (f < 0 ? -f : f) * 2;
	memcpy(&bits, &sum, sizeof(bits));
	return bits;
}

/* A picture is written, and one is read by the sampler. */
static const char image_text[] =
	"layout(local_size_x = 8, local_size_y = 3) in;\n"
	"layout(r32ui, binding = 0) writeonly uniform uimage2D drawn;\n"
	"layout(binding = 0) uniform usampler2D texels;\n"
	"void main() {\n"
	"	ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = textureSize(texels, 0);\n"
	"	uint v = texelFetch(texels, size - 1 - at, 0).x;\n"
	"	uint i = uint(at.y * size.x + at.x);\n"
	"	imageStore(drawn, at, uvec4(v ^ 0x5a5au));\n"
	"	to[i] = v + textureLod(texels, (vec2(at) + 0.5) / vec2(size), 0.0).x;\n"
	"}\n";

static uint32_t image_expected(uint32_t i)
{
	uint32_t other = SIDE * SIDE - 1 - i;

	return (input(other) & 0xffff) + (input(i) & 0xffff);
}

/* What was drawn, by a program that loads it. */
static const char drawn_text[] =
	"layout(local_size_x = 24) in;\n"
	"layout(r32ui, binding = 0) readonly uniform uimage2D drawn;\n"
	"void main() {\n"
	"	to[gl_GlobalInvocationID.y * 24u + gl_LocalInvocationID.x] =\n"
	"		imageLoad(drawn, ivec2(gl_LocalInvocationID.x, gl_GlobalInvocationID.y)).x;\n"
	"}\n";

static uint32_t drawn_expected(uint32_t i)
{
	return (input(SIDE * SIDE - 1 - i) & 0xffff) ^ 0x5a5a;
}

static GLuint make_texture(const void *texels)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, SIDE, SIDE);
	if (texels)
		glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIDE, SIDE, GL_RED_INTEGER, GL_UNSIGNED_INT, texels);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	return texture;
}

static void pictures(void)
{
	uint32_t texels[SIDE * SIDE];
	GLuint drawn;

	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		texels[i] = input(i) & 0xffff;
	drawn = make_texture(NULL);
	make_texture(texels);
	use("gl-compute/image/compile", image_text);
	glBindImageTexture(0, drawn, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32UI);
	glDispatchCompute(SIDE / 8, SIDE / 3, 1);
	compare("gl-compute/image/sampled", SIDE * SIDE, image_expected);
	use("gl-compute/drawn/compile", drawn_text);
	glBindImageTexture(0, drawn, 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
	glDispatchCompute(1, SIDE, 1);
	compare("gl-compute/image/stored", SIDE * SIDE, drawn_expected);
}

static EGLContext make_context(EGLDisplay display)
{
	static const EGLint es[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE };
	static const EGLint gl[] = { EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 2, EGL_NONE };
	EGLContext context;

	eglBindAPI(EGL_OPENGL_ES_API);
	context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, es);
	header = es_header;
	if (context)
		return context;
	eglBindAPI(EGL_OPENGL_API);
	header = gl_header;
	return eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, gl);
}

static void open_device(void)
{
	PFNEGLGETPLATFORMDISPLAYEXTPROC get_display;
	const char *renderer;
	EGLContext context;
	EGLDisplay display;

	get_display = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
	step(get_display, "gl-compute/entry-point", "EGL lacks an extension");
	display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	step(display && eglInitialize(display, NULL, NULL), "gl-compute/display", "EGL error 0x%x", eglGetError());
	context = make_context(display);
	step(context && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context), "gl-compute/context",
	     "EGL error 0x%x", eglGetError());
	renderer = (const char *)glGetString(GL_RENDERER);
	step(renderer && strstr(renderer, "Intel"), "gl-compute/renderer", "it is %s",
	     renderer ? renderer : "nothing");
}

int main(void)
{
	static const uint32_t groups[] = { 5, 3, 4 };
	GLuint indirect;

	open_device();
	glGenBuffers(2, buffers);
	use("gl-compute/loop/compile", loop_text);
	glDispatchCompute(40, 1, 1);
	compare("gl-compute/loop", 40 * 13, loop_expected);

	use("gl-compute/indirect/compile", loop_text);
	glGenBuffers(1, &indirect);
	glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, indirect);
	glBufferData(GL_DISPATCH_INDIRECT_BUFFER, sizeof(groups), groups, GL_STATIC_DRAW);
	glDispatchComputeIndirect(0);
	compare("gl-compute/indirect", 5 * 3 * 4 * 13, loop_expected);

	use("gl-compute/shared/compile", shared_text);
	glDispatchCompute(SHARED_GROUPS, 1, 1);
	compare("gl-compute/shared", 8002, shared_expected);

	use("gl-compute/float/compile", float_text);
	glDispatchCompute(31, 1, 1);
	compare("gl-compute/float", 31 * 33, float_expected);

	pictures();
	return 0;
}
