// SPDX-License-Identifier: MIT
/*
 * DOC: Coverage
 *
 * KCOV gives the addresses that a thread's system call passed; only the driver is built with it, so all of them are the
 * driver's. Two that follow each other are an edge, hashed into a map that all lanes share.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#define KCOV_INIT_TRACE	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define KCOV_TRACE_PC	0
#define TRACE_WORDS	(64u << 10)

bool no_cover;

/**
 * cover_open - coverage of the calling thread, from now on
 * @cover: filled; without a trace when there is no KCOV
 *
 * Return: whether there is coverage.
 */
bool cover_open(struct cover *cover)
{
	cover->trace = NULL;
	if (no_cover)
		return false;
	cover->fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (cover->fd < 0)
		return false;
	if (ioctl(cover->fd, KCOV_INIT_TRACE, (unsigned long)TRACE_WORDS))
		goto err_close;
	cover->trace = mmap(NULL, TRACE_WORDS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, cover->fd, 0);
	if (cover->trace == MAP_FAILED)
		goto err_close;
	if (ioctl(cover->fd, KCOV_ENABLE, KCOV_TRACE_PC)) {
		munmap(cover->trace, TRACE_WORDS * sizeof(uint64_t));
		goto err_close;
	}
	return true;

err_close:
	cover->trace = NULL;
	close(cover->fd);
	return false;
}

/**
 * cover_begin - what is traced from here on is of one call
 * @cover: the thread's
 */
void cover_begin(struct cover *cover)
{
	if (cover->trace)
		__atomic_store_n(&cover->trace[0], 0, __ATOMIC_RELAXED);
}

/**
 * cover_end - takes the edges of a call
 * @cover: the thread's
 * @shared: the map and its count
 *
 * Return: whether one was new.
 */
bool cover_end(struct cover *cover, struct shared *shared)
{
	uint64_t count, i, edge, last = 0;
	uint8_t bit, old;
	bool found = false;

	if (!cover->trace)
		return false;
	count = __atomic_load_n(&cover->trace[0], __ATOMIC_RELAXED);
	if (count > TRACE_WORDS - 1)
		count = TRACE_WORDS - 1;
	for (i = 1; i <= count; i++) {
		uint64_t pc = cover->trace[i];

		edge = (pc * 0x9e3779b97f4a7c15ull) ^ (last * 0xc2b2ae3d27d4eb4full);
		edge = (edge >> 32) % (MAP_BYTES * 8ull);
		last = pc;
		bit = 1u << edge % 8;
		if (atomic_load_explicit(&shared->edge[edge / 8], memory_order_relaxed) & bit)
			continue;
		old = atomic_fetch_or(&shared->edge[edge / 8], bit);
		if (old & bit)
			continue;
		atomic_fetch_add(&shared->edges, 1);
		found = true;
	}
	return found;
}
