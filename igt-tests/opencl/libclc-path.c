// SPDX-License-Identifier: MIT
/**
 * DOC: libclc from another folder
 *
 * Mesa reads OpenCL C's functions from /usr/lib/clc, by this path. With this library preloaded it reads them from the
 * folder that LIBCLC_FOLDER names, where a libclc of Mesa's own Debian suite is unpacked. No other file is concerned.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBCLC	"/usr/lib/clc/"

typedef int (*opener)(const char *path, int flags, ...);

static const char *moved(const char *path, char *space)
{
	const char *folder = getenv("LIBCLC_FOLDER");

	if (!folder || strncmp(path, LIBCLC, strlen(LIBCLC)))
		return path;
	snprintf(space, PATH_MAX, "%s/%s", folder, path + strlen(LIBCLC));
	return space;
}

/* Without O_CREAT the mode is whatever the register holds, which no call reads. */
int open(const char *path, int flags, ...)
{
	opener original = (opener)dlsym(RTLD_NEXT, "open");
	char space[PATH_MAX];
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	return original(moved(path, space), flags, mode);
}

/* The same where files may be large anyway: on 64 bits. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
