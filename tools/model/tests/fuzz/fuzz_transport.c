// SPDX-License-Identifier: MIT
/**
 * DOC: A hostile peer
 *
 * All messages of an input are written into the socket and the other end is closed; then the transport serves them in
 * this thread, while another one takes its answers. Guest memory comes as a small file, of which messages map any part.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus/bus.h"
#include "engine/engine.h"
#include "main/main.h"
#include "mem/mem.h"
#include "fuzz.h"

#define MAX_MESSAGES	64
#define FILE_SIZE	0x5a10u

struct peer {
	int fd, qtest;
	pthread_t reader, qtest_reader;
};

static int memory_file(void)
{
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		if (fd < 0 || ftruncate(fd, FILE_SIZE))
			exit(2);
	}
	return fd;
}

static void *take_answers(void *opaque)
{
	int fd = *(int *)opaque;
	char buf[8192];

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	return NULL;
}

/* qtest as it is in QEMU: an answer for each line. */
static void *answer_qtest(void *opaque)
{
	int fd = *(int *)opaque;
	char buf[512];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			if (buf[i] == '\n' && send(fd, "OK\n", 3, MSG_NOSIGNAL) != 3)
				return NULL;
	return NULL;
}

static void put(int to, const void *buf, size_t len, unsigned int fds)
{
	union {
		char buf[CMSG_SPACE(sizeof(int) * 8)];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (!len)
		return;
	if (fds) {
		struct cmsghdr *c;
		int fd[8] = { 0 };

		for (unsigned int i = 0; i < fds; i++)
			fd[i] = memory_file();
		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * fds);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * fds);
		memcpy(CMSG_DATA(c), fd, sizeof(int) * fds);
	}
	if (sendmsg(to, &msg, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET)
		exit(2);
}

static uint64_t guest_address(struct input *in)
{
	static const uint64_t bases[] = { 0, 0x1000, 0x100000, 0xc0000, 0x100000000, 0xfffffffffffff000 };

	return one_in(in, 4) ? take64(in) : bases[below(in, ELEMENTS(bases))] + below(in, 4) * 0x1000ull;
}

static uint64_t file_offset(struct input *in)
{
	return one_in(in, 4) ? take64(in) : one_in(in, 2) ? below(in, 8) * 0x1000ull : take16(in);
}

static uint64_t bar_offset(struct input *in)
{
	static const uint64_t bases[] = { 0x800000, 0x9ffff8, 0xa00000, 0xc00000, 0xfffffc, 0x1000000, 0xffffff8 };

	switch (below(in, 4)) {
	case 0:
		return bases[below(in, ELEMENTS(bases))] + below(in, 16);
	case 1:
		return take64(in);
	default:
		return fuzz_register(in) + (one_in(in, 8) ? below(in, 4) : 0);
	}
}

/* Messages of x-pci-proxy-dev, as transport_proxy.c has them. */
static void proxy_message(struct input *in, int to)
{
	static const uint8_t sizes[] = { 192, 8, 12, 12, 24, 24, 0, 0 };
	uint32_t command = below(in, 32) ? below(in, 8) : take32(in);
	uint64_t words[24] = { 0 }, size = command < 8 ? sizes[command] : 0;
	struct {
		uint32_t command, pad;
		uint64_t size;
	} h = { command, 0, one_in(in, 64) ? take64(in) : size };
	unsigned int fds = 0;
	uint32_t dw[3];

	switch (command) {
	case 0:
		fds = below(in, 9);
		for (unsigned int i = 0; i < fds && i < 8; i++) {
			words[i] = guest_address(in);
			words[8 + i] = file_offset(in);
			words[16 + i] = file_offset(in);
		}
		break;
	case 2:
	case 3:
		dw[0] = one_in(in, 8) ? take32(in) : below(in, 256);
		dw[1] = take_value(in);
		dw[2] = one_in(in, 8) ? take32(in) : 1u << below(in, 3);
		memcpy(words, dw, sizeof(dw));
		break;
	case 4:
	case 5:
		words[0] = (one_in(in, 8) ? 0 : 0xe0000000) + bar_offset(in);
		words[1] = take64(in);
		words[2] = (one_in(in, 8) ? take32(in) : 1u << below(in, 4)) | (uint64_t)!one_in(in, 8) << 32;
		break;
	}
	put(to, &h, sizeof(h), fds);
	put(to, words, size, 0);
}

static void vfio_user_message(struct input *in, int to)
{
	struct {
		uint16_t id, command;
		uint32_t size, flags, error;
		uint64_t data[16];
	} m = { .id = take8(in), .command = below(in, 16), .flags = one_in(in, 8) ? 0x10 : 0 };
	static const uint8_t plenty[32768], regions[] = { 0, 2, 4, 7 };
	unsigned int fds = 0, len = 0;
	uint32_t *dw = (uint32_t *)m.data;

	if (one_in(in, 64))
		m.flags = take8(in);
	switch (m.command) {
	case 2:
		fds = one_in(in, 8) ? below(in, 8) : 1;
		len = 32;
		dw[1] = one_in(in, 4) ? take8(in) : 1 + below(in, 3);
		m.data[1] = file_offset(in);
		m.data[2] = guest_address(in);
		m.data[3] = file_offset(in);
		break;
	case 3:
		len = 24;
		dw[1] = one_in(in, 4) ? take8(in) : 0;
		m.data[1] = guest_address(in);
		m.data[2] = file_offset(in);
		break;
	case 8:
		fds = below(in, 3);
		len = 20;
		for (unsigned int i = 1; i < 5; i++)
			dw[i] = one_in(in, 2) ? i == 1 ? 0x24 : 1 : take_value(in);
		break;
	case 9:
	case 10:
		dw[2] = one_in(in, 8) ? take8(in) : regions[below(in, 4)];
		m.data[0] = dw[2] == 7 ? take16(in) % 260 : dw[2] == 4 ? below(in, 66) : bar_offset(in);
		dw[3] = one_in(in, 8) ? take16(in) : 1 + below(in, 16);
		len = 16 + (m.command == 10 && dw[3] <= 64 ? dw[3] : 0);
		m.data[2] = take64(in);
		break;
	default:
		len = below(in, 128);
		for (unsigned int i = 0; i < 4; i++)
			m.data[i] = take64(in);
		break;
	}
	if (one_in(in, 16))
		len = below(in, 128);
	m.size = one_in(in, 64) ? take32(in) : 16 + len;
	put(to, &m, 16 + len, fds);
	/* More than any buffer has, should the size be believed. */
	if (m.size > sizeof(plenty) / 2)
		put(to, plenty, sizeof(plenty), 0);
}

static void serve(struct input *in, bool proxy)
{
	struct config cfg;
	struct peer p;
	struct gpu *gpu;
	int a[2], b[2];

	config_init(&cfg);
	gpu = gpu_new(&cfg);
	if (!gpu || socketpair(AF_UNIX, SOCK_STREAM, 0, a) || socketpair(AF_UNIX, SOCK_STREAM, 0, b))
		exit(2);
	p.fd = a[1];
	p.qtest = b[1];
	gpu->transport = proxy ? transport_proxy_new_fds(gpu, a[0], b[0]) : transport_vfio_user_new_fd(gpu, a[0]);
	if (!gpu->transport || engines_start(gpu))
		exit(2);
	if (proxy) {
		pci_cfg_write(gpu, 0x10, 4, 0xe0000000);
		pci_cfg_write(gpu, 0x04, 2, 6);
	}
	for (unsigned int i = 0; i < MAX_MESSAGES && in->left; i++) {
		if (proxy)
			proxy_message(in, p.fd);
		else
			vfio_user_message(in, p.fd);
	}
	if (one_in(in, 4))
		put(p.fd, in->p, in->left, 0);
	shutdown(p.fd, SHUT_WR);
	if (pthread_create(&p.reader, NULL, take_answers, &p.fd) ||
	    pthread_create(&p.qtest_reader, NULL, answer_qtest, &p.qtest))
		exit(2);
	gpu->transport->serve(gpu->transport);
	engines_stop(gpu);
	gpu->transport->close(gpu->transport);
	gpu->transport = NULL;
	if (!proxy)
		close(b[0]);
	pthread_join(p.reader, NULL);
	pthread_join(p.qtest_reader, NULL);
	gpu_free(gpu);
	close(p.fd);
	close(p.qtest);
}

void fuzz_proxy(struct input *in)
{
	serve(in, true);
}

void fuzz_vfio_user(struct input *in)
{
	serve(in, false);
}
