/* SPDX-License-Identifier: MIT */
/*
 * DOC: Helpers for the paths of igen-faults
 *
 * A path is one call into the kernel. It is made again and again, each time from the same beginning, and each time the
 * next of its allocations and user copies fails, until it ends without a failure.
 */
#ifndef IGEN_TESTS_FAULTS_H
#define IGEN_TESTS_FAULTS_H

#include "lib/it.h"

#define DEVICE		"0000:00:02.0"

struct fault_path;

/* One attempt. */
struct fx {
	const struct fault_path *path;
	struct it_dev *dev;	/* fresh at each attempt; NULL with FAULT_NO_DEVICE */
	int fd;			/* dev's */
	int fds[6];		/* closed at the end of the attempt, those above 0 */
	int err;		/* what the injected call failed with, or 0 */
	bool injected;		/* a failure was injected into the call that check() looks at */
	uint32_t ctx;
	uint32_t first;		/* number of the handle that a call has to give */
	struct it_bo *bo, *other;
	struct it_batch batch;
	void *map;
	uint64_t map_size;
	void *memory;		/* of user space, map_size bytes */
	int timeline;		/* sw_sync timeline to signal at the end, or 0 */
	unsigned long request;	/* fault_ioctl: the ioctl */
	union {
		uint64_t align;
		uint8_t bytes[128];
	} arg, used;		/* its argument, and the copy that the call got */
	uint64_t data[64];	/* what arguments point at */
	uint64_t more[64];
	void *many;		/* freed at the end */
};

enum {
	FAULT_NO_DEVICE = 1,	/* no file is opened for it */
	FAULT_COPY_OUT = 2,	/* DRM copies the result out after the call has happened: see igen-faults.c */
	FAULT_REBINDS = 8,	/* the device goes and comes: repeated without a failure at some of the points only */
	FAULT_NO_FAIL = 4,	/* the call may not fail at all, whatever fails in it */
};

struct fault_path {
	const char *name;
	void (*prepare)(struct fx *fx);
	int (*op)(struct fx *fx);		/* 0 or -errno */
	void (*failed)(struct fx *fx);		/* after a failure: there must be nothing */
	void (*check)(struct fx *fx);		/* after a success */
	unsigned int flags;
	unsigned int arg;
	int also;				/* an errno that is right beside ENOMEM and EFAULT */
	int again;				/* FAULT_COPY_OUT: what the call says when it has happened before */
};

#define FAULT(name__, prepare__, op__, check__, ...) \
	{ .name = name__, .prepare = prepare__, .op = op__, .check = check__, ##__VA_ARGS__ }

/* The argument of the path's ioctl, as type; to be filled by prepare(). */
#define FAULT_ARG(fx, type)	((type *)(fx)->arg.bytes)
/* The argument as the kernel has returned it. */
#define FAULT_USED(fx, type)	((type *)(fx)->used.bytes)

/* op: fx->request with a copy of fx->arg. */
int fault_ioctl(struct fx *fx);
/* An ioctl of the preparation; fails the path. */
void fault_must(struct fx *fx, unsigned long request, void *arg);
/* check() of calls that give a handle: it is the lowest that was free, so that no failure has left one behind. */
void fault_expect_handle(struct fx *fx, uint32_t handle);
/* Keeps a descriptor to be closed at the end of the attempt; fails the path when it is none. */
int fault_keep(struct fx *fx, int fd, const char *what);
/* A fence that signals at the end of the attempt: a sync file's descriptor. */
int fault_sync_file(struct fx *fx);
/* The end of the attempt comes early for that fence. */
void fault_signal(struct fx *fx);
/* A buffer of another driver's (vgem), by descriptor; skips the path without one. */
int fault_vgem_buffer(struct fx *fx);

void fault_run(const struct fault_path *paths, unsigned int n);

/* Each runs its paths. */
void faults_file(void);
void faults_mem(void);
void faults_mmap(void);
void faults_context(void);
void faults_exec(void);
/* One that takes many pages: context, page tables, objects. */
const struct fault_path *fault_page_path(void);
void faults_device(void);

#endif
