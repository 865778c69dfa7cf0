// SPDX-License-Identifier: MIT
/*
 * DOC: Making an ioctl, well or badly
 */
#define _GNU_SOURCE
#include <drm.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz.h"

/* With the most that DRM's core has for each, still below 4 MB. */
#define MAX_HANDLES	(1u << 15)

bool say_results;

/* Number, size and direction of an ioctl are the program's to spoil, as is what its argument holds. */
static unsigned long resize(unsigned long request, unsigned int size)
{
	return _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request), size);
}

/*
 * The DRM core allocates memory for as many handles as the caller states, before it looks at them and on every driver.
 * The kernel warns of allocations over 4 MB. So the fuzzer keeps the counts below that size.
 */
static void bound_handles(unsigned long request, uint8_t *buffer)
{
	static const struct {
		unsigned long request;
		size_t count;
	} calls[] = {
		{ DRM_IOCTL_SYNCOBJ_WAIT, offsetof(struct drm_syncobj_wait, count_handles) },
		{ DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, offsetof(struct drm_syncobj_timeline_wait, count_handles) },
		{ DRM_IOCTL_SYNCOBJ_RESET, offsetof(struct drm_syncobj_array, count_handles) },
		{ DRM_IOCTL_SYNCOBJ_SIGNAL, offsetof(struct drm_syncobj_array, count_handles) },
		{ DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, offsetof(struct drm_syncobj_timeline_array, count_handles) },
		{ DRM_IOCTL_SYNCOBJ_QUERY, offsetof(struct drm_syncobj_timeline_array, count_handles) },
	};
	uint32_t count;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (request != calls[i].request)
			continue;
		memcpy(&count, buffer + calls[i].count, sizeof(count));
		count %= MAX_HANDLES;
		memcpy(buffer + calls[i].count, &count, sizeof(count));
	}
}

/**
 * use_fd - the device file of a slot
 * @t: the thread
 * @value: the slot or a number
 *
 * Return: the descriptor; that of slot 0 for an empty slot.
 */
int use_fd(struct thread *t, uint64_t value)
{
	uint64_t fd = use(t, K_FD, value);

	if (!fd && value < NSLOTS)
		fd = use(t, K_FD, 0);
	return (int)fd;
}

/**
 * ioctl_call - an ioctl, with what the call says about spoiling it
 * @t: the thread
 * @fd: the file
 * @request: the ioctl as it should be
 * @arg: its argument; updated when the ioctl was done
 *
 * Return: as ioctl().
 */
long ioctl_call(struct thread *t, int fd, unsigned long request, void *arg)
{
	static const uint64_t places[NSPOILS] = {
		[S_NULL] = P_NULL, [S_UNMAPPED] = P_UNMAPPED, [S_READ_ONLY] = P_READ_ONLY, [S_ACROSS] = P_ACROSS,
		[S_KERNEL] = P_KERNEL, [S_MAP] = P_MAP,
	};
	const struct call *call = t->call;
	unsigned int size = _IOC_SIZE(request);
	struct itimerval soon = { .it_value = { 0, 300 } };
	uint8_t buffer[512] = { 0 };
	uint64_t addr;
	int error;
	long ret;

	memcpy(buffer, arg, size < sizeof(buffer) ? size : sizeof(buffer));
	if (call->poke_at && call->poke_at * 4u <= size)
		memcpy(buffer + (call->poke_at - 1) * 4, &call->poke, 4);
	bound_handles(request, buffer);

	switch (call->spoil) {
	case S_SHORT:
		request = resize(request, call->poke % (size ?: 1));
		break;
	case S_LONG:
		request = resize(request, size + 1 + call->poke % 200);
		if (call->poke & 0x10000)
			memset(buffer + size, 0xff, sizeof(buffer) - size);
		size = _IOC_SIZE(request);
		break;
	case S_EMPTY:
		request = resize(request, 0);
		break;
	case S_NO_READ:
		request &= ~((unsigned long)_IOC_READ << _IOC_DIRSHIFT);
		break;
	case S_NO_WRITE:
		request &= ~((unsigned long)_IOC_WRITE << _IOC_DIRSHIFT);
		break;
	case S_SIGNAL:
		if (!t->index)
			setitimer(ITIMER_REAL, &soon, NULL);
		break;
	}
	if (size > sizeof(buffer))
		size = sizeof(buffer);
	addr = put(t, buffer, size, places[call->spoil]);
	atomic_fetch_add_explicit(&t->lane->shared->calls, 1, memory_order_relaxed);
	cover_begin(&t->cover);
	ret = syscall(SYS_ioctl, fd, request, addr);
	error = ret < 0 ? errno : 0;
	if (cover_end(&t->cover, t->lane->shared))
		t->lane->new_edges = true;
	if (say_results)
		printf("%s T%d: %s\n", ops[call->op].name, t->index, error ? strerrorname_np(error) : "0");
	if (!ret && (places[call->spoil] == P_GOOD || places[call->spoil] == P_READ_ONLY))
		memcpy(arg, (void *)addr, size < _IOC_SIZE(request) ? size : _IOC_SIZE(request));
	return ret;
}
