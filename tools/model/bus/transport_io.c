// SPDX-License-Identifier: MIT
/**
 * DOC: Whole messages over a stream socket
 *
 * Both transports frame messages with a header of fixed size; descriptors ride along with the first
 * bytes of a message (unix(7), SCM_RIGHTS).
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus/bus.h"

void io_fds_close(struct io_fds *fds)
{
	for (unsigned int i = 0; i < fds->n; i++)
		if (fds->fd[i] >= 0)
			close(fds->fd[i]);
	fds->n = 0;
}

/* Takes the descriptors out of a control message; more than fit are closed. */
static void take_fds(struct msghdr *msg, struct io_fds *fds)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (fds && fds->n < IO_MAX_FDS)
				fds->fd[fds->n++] = fd;
			else
				close(fd);
		}
	}
}

int io_recv(int fd, void *buf, size_t len, struct io_fds *fds)
{
	size_t done = 0;

	while (done < len) {
		union {
			char buf[CMSG_SPACE(sizeof(int) * IO_MAX_FDS)];
			struct cmsghdr align;
		} control;
		struct iovec iov = { (char *)buf + done, len - done };
		struct msghdr msg = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control.buf,
			.msg_controllen = sizeof(control.buf),
		};
		ssize_t n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == ECONNRESET && !done ? 0 : -1;
		take_fds(&msg, fds);
		if (n == 0) {
			errno = 0;
			return done ? -1 : 0;
		}
		done += (size_t)n;
	}
	return 1;
}

int io_send(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}
