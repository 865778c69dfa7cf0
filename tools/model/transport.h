/* SPDX-License-Identifier: MIT */
/**
 * DOC: Transports
 *
 * A transport connects the device to a QEMU process. It reads requests from its peer in the
 * caller's thread, hands them to pci.c, and sends message signalled interrupts from any thread. It
 * reports a peer that left, sent a short message or nonsense with one line, and ends.
 */
#ifndef IGEN_MODEL_TRANSPORT_H
#define IGEN_MODEL_TRANSPORT_H

#include <sys/types.h>

#include "model.h"

enum serve_result {
	SERVE_PEER_LEFT,		/* an orderly end, at a message boundary */
	SERVE_BROKEN,			/* a short or senseless message; reported */
};

struct transport {
	const char *name;
	struct gpu *gpu;
	/* Serves the peer until it leaves. */
	enum serve_result (*serve)(struct transport *t);
	/* Sends an MSI; any thread; leaf lock. */
	void (*msi)(struct transport *t, uint64_t addr, uint32_t data);
	void (*close)(struct transport *t);
	/* In the child, before exec: leaves the descriptors where QEMU expects them. */
	int (*child_setup)(struct transport *t);
	/* In the parent, after fork; pidfd is the child's or -1. */
	int (*parent_setup)(struct transport *t, int pidfd);
};

#define PROXY_FD	100		/* x-pci-proxy-dev's fd in QEMU */
#define QTEST_FD	101

struct transport *transport_proxy_new(struct gpu *gpu);
/* For tests: the two descriptors are given, no child. */
struct transport *transport_proxy_new_fds(struct gpu *gpu, int fd, int qtest_fd);
struct transport *transport_vfio_user_new(struct gpu *gpu, const char *path);
struct transport *transport_vfio_user_new_fd(struct gpu *gpu, int fd);

/* transport_io.c */
#define IO_MAX_FDS	16

/* What arrived with a message; the receiver closes what it does not take. */
struct io_fds {
	int fd[IO_MAX_FDS];
	unsigned int n;
};

void io_fds_close(struct io_fds *fds);
/*
 * Exactly len bytes: 1; 0 when the peer left before the first; -1 else, errno 0 for a short
 * message.
 */
int io_recv(int fd, void *buf, size_t len, struct io_fds *fds);
int io_send(int fd, const void *buf, size_t len);

#endif
