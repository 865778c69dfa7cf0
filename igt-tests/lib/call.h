/* SPDX-License-Identifier: MIT */
/**
 * DOC: Calls that wait
 *
 * A call in a thread of its own, so that a test can see that it waits, and let it go.
 */
#ifndef IGEN_TESTS_CALL_H
#define IGEN_TESTS_CALL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct it_call {
	const char *name;
	int (*run)(void *arg);		/* NULL: the ioctl */
	int fd;
	unsigned long request;
	void *arg;
	pthread_t thread;
	atomic_int tid;			/* 0 before the thread runs */
	atomic_bool over;
	int ret;			/* once it is over: 0 or -errno, or what run() returned */
};

/* False when there is no thread. */
bool it_call_start(struct it_call *call);
/* Is its thread asleep at this moment? */
bool it_call_asleep(struct it_call *call);
/* Waits for the call's end and returns its result. */
int it_call_end(struct it_call *call);

#endif
