// SPDX-License-Identifier: MIT
/**
 * DOC: OpenGL ES without a window
 *
 * A context of the surfaceless platform on the device, a texture as render target, a shader, a clear and a triangle, a
 * fence that is waited for, and pixels read back. What colour they have is not asked: the model draws no
 * triangles.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <string.h>

#include "user.h"

#define SIZE	64
#define NS_PER_S 1000000000ull

static GLuint compile(GLenum type, const char *text)
{
	GLuint shader = glCreateShader(type);
	GLint good = 0;

	glShaderSource(shader, 1, &text, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
	step(good, type == GL_VERTEX_SHADER ? "gl/vertex-shader" : "gl/fragment-shader", "it does not compile");
	return shader;
}

static void use_program(void)
{
	GLuint program = glCreateProgram();
	GLint good = 0;

	glAttachShader(program, compile(GL_VERTEX_SHADER,
					"attribute vec4 at; void main() { gl_Position = at; }"));
	glAttachShader(program, compile(GL_FRAGMENT_SHADER,
					"precision mediump float; uniform vec4 colour;"
					"void main() { gl_FragColor = colour; }"));
	glBindAttribLocation(program, 0, "at");
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &good);
	step(good, "gl/link", "the program does not link");
	glUseProgram(program);
	glUniform4f(glGetUniformLocation(program, "colour"), 1, 0.5, 0.25, 1);
}

int main(void)
{
	static const GLfloat triangle[] = { -1, -1, 1, -1, 0, 1 };
	static const EGLint attribs[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
	PFNEGLGETPLATFORMDISPLAYEXTPROC get_display;
	PFNEGLCREATESYNCKHRPROC create_sync;
	PFNEGLCLIENTWAITSYNCKHRPROC wait_sync;
	unsigned char pixels[SIZE * SIZE * 4];
	EGLint major, minor, waited;
	const char *renderer;
	EGLContext context;
	EGLDisplay display;
	EGLSyncKHR sync;
	GLuint texture, target;

	get_display = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
	create_sync = (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
	wait_sync = (PFNEGLCLIENTWAITSYNCKHRPROC)eglGetProcAddress("eglClientWaitSyncKHR");
	step(get_display && create_sync && wait_sync, "gl/entry-points", "EGL lacks extensions");

	display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	step(display && eglInitialize(display, &major, &minor), "gl/display", "EGL error 0x%x", eglGetError());
	eglBindAPI(EGL_OPENGL_ES_API);
	context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attribs);
	step(context && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context), "gl/context",
	     "EGL error 0x%x", eglGetError());
	renderer = (const char *)glGetString(GL_RENDERER);
	step(renderer && strstr(renderer, "Intel"), "gl/renderer", "it is %s", renderer ? renderer : "nothing");

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
	glGenFramebuffers(1, &target);
	glBindFramebuffer(GL_FRAMEBUFFER, target);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	step(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "gl/target", "it is incomplete");

	use_program();
	glViewport(0, 0, SIZE, SIZE);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, triangle);
	glEnableVertexAttribArray(0);
	glClearColor(0, 0, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	sync = create_sync(display, EGL_SYNC_FENCE_KHR, NULL);
	step(sync, "gl/fence", "EGL error 0x%x", eglGetError());
	waited = wait_sync(display, sync, EGL_SYNC_FLUSH_COMMANDS_BIT_KHR, 60 * NS_PER_S);
	step(waited == EGL_CONDITION_SATISFIED_KHR, "gl/wait", "the fence gives 0x%x", waited);

	glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	glFinish();
	step(glGetError() == GL_NO_ERROR, "gl/read-pixels", "a GL error");
	eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	step(eglDestroyContext(display, context) && eglTerminate(display), "gl/end", "EGL error 0x%x",
	     eglGetError());
	return 0;
}
