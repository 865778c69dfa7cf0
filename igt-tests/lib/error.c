// SPDX-License-Identifier: MIT
/**
 * DOC: The GPU's error state in sysfs
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "it.h"

int it_error_open(struct it_dev *dev, int flags)
{
	struct stat st;
	char path[96];
	glob_t g;
	int fd;

	it_expect(!fstat(dev->fd, &st), "fstat: error %d", errno);
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/drm/card*/error", major(st.st_rdev),
		 minor(st.st_rdev));
	if (glob(path, 0, NULL, &g))
		it_skip("no file %s", path);
	fd = open(g.gl_pathv[0], flags);
	it_expect(fd >= 0, "%s: error %d", g.gl_pathv[0], errno);
	globfree(&g);
	return fd;
}

void it_error_clear(struct it_dev *dev)
{
	int fd = it_error_open(dev, O_WRONLY);

	it_expect(write(fd, "1", 1) == 1, "clearing the error state: error %d", errno);
	close(fd);
}

char *it_error_read(struct it_dev *dev, size_t *size)
{
	int fd = it_error_open(dev, O_RDONLY);
	size_t room = 1 << 20;
	char *text = malloc(room), *more;
	ssize_t n;

	for (*size = 0; text; *size += n) {
		if (*size + 65536 > room) {
			more = realloc(text, room *= 2);
			it_expect(more, "no memory for %zu bytes", room);
			text = more;
		}
		n = text ? read(fd, text + *size, room - *size - 1) : 0;
		it_expect(n >= 0, "reading the error state: error %d", errno);
		if (!n)
			break;
	}
	it_expect(text, "no memory");
	text[*size] = 0;
	close(fd);
	return text;
}
