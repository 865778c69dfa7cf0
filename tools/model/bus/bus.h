/* SPDX-License-Identifier: MIT */
/**
 * DOC: The PCI function and its transports
 *
 * A transport connects the device to a QEMU process. It reads requests from its peer in the
 * caller's thread, hands them to pci.c, and sends message signalled interrupts from any thread. It
 * reports a peer that left, sent a short message or nonsense with one line, and ends.
 */
#ifndef IGEN_MODEL_BUS_H
#define IGEN_MODEL_BUS_H

#include <sys/types.h>

#include "base/base.h"

#define BAR4_SIZE	64u
#define CFG_SIZE	256u

enum pci_bar { PCI_BAR0 = 0, PCI_BAR2 = 2, PCI_BAR4 = 4 };

/* pci.c */
int pci_init(struct gpu *gpu);
void pci_fini(struct gpu *gpu);
/* A config access; beyond 256 bytes reads give ones and writes are dropped. len is 1 to 4. */
uint32_t pci_cfg_read(struct gpu *gpu, uint32_t offset, unsigned int len);
void pci_cfg_write(struct gpu *gpu, uint32_t offset, unsigned int len, uint32_t value);
/* size is 1 to 8; what lies outside reads ones. */
uint64_t pci_bar_read(struct gpu *gpu, enum pci_bar bar, uint64_t offset, unsigned int size);
void pci_bar_write(struct gpu *gpu, enum pci_bar bar, uint64_t offset, unsigned int size,
		   uint64_t value);
/* The BAR that decodes an absolute address, or -1. */
int pci_decode(struct gpu *gpu, bool memory, uint64_t addr, uint64_t *offset);
uint64_t pci_bar_size(struct gpu *gpu, enum pci_bar bar);
void pci_reset(struct gpu *gpu);
/* BARs as 32-bit ones, each with a dead dword behind it: what x-pci-proxy-dev needs. */
void pci_show_bars_32(struct gpu *gpu, bool on);
uint64_t pci_stolen_base(struct gpu *gpu);
/* A write to BAR 0 has arrived: to registers or to entries of the GGTT. */
void pci_bar0_arrive(struct gpu *gpu, uint32_t offset, unsigned int size, uint64_t value);

/* posted.c */
int posted_init(struct gpu *gpu);
void posted_fini(struct gpu *gpu);
int posted_start(struct gpu *gpu);
void posted_stop(struct gpu *gpu);
bool posted_put(struct gpu *gpu, uint32_t offset, unsigned int size, uint64_t value);
void posted_push(struct gpu *gpu);
void posted_drop(struct gpu *gpu);

/* pci.c / transport: sends the MSI if enabled. */
void msi_raise(struct gpu *gpu);

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
