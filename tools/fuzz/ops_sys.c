// SPDX-License-Identifier: MIT
/*
 * DOC: Calls: fences, files, processes
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <drm.h>
#include <i915_drm.h>

#include "fuzz.h"

bool may_crash;

/* syncobj fd s new what flags point: what: create, destroy, reset, signal, timeline signal, query, transfer */
void run_syncobj(struct thread *t, const uint64_t *a)
{
	const int fd = use_fd(t, a[0]);
	uint32_t handles[2] = { use(t, K_SYNCOBJ, a[1]), use(t, K_SYNCOBJ, a[2]) };
	uint64_t points[2] = { a[5], a[5] + 1 };
	struct drm_syncobj_create create = { .flags = a[4] };
	struct drm_syncobj_destroy destroy = { .handle = handles[0] };
	struct drm_syncobj_array array = { .count_handles = 1 };
	struct drm_syncobj_timeline_array timeline = { .count_handles = 1 };
	struct drm_syncobj_transfer transfer = {
		.src_handle = handles[0], .dst_handle = handles[1], .src_point = a[5], .dst_point = a[5] >> 8,
		.flags = a[4],
	};

	array.handles = put(t, handles, sizeof(handles), P_GOOD);
	timeline.handles = array.handles;
	timeline.points = put(t, points, sizeof(points), P_GOOD);
	switch (a[3] % 7) {
	case 0:
		if (!ioctl_call(t, fd, DRM_IOCTL_SYNCOBJ_CREATE, &create))
			put_slot(t, K_SYNCOBJ, a[2], create.handle);
		break;
	case 1:
		ioctl_call(t, fd, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy);
		break;
	case 2:
		ioctl_call(t, fd, DRM_IOCTL_SYNCOBJ_RESET, &array);
		break;
	case 3:
		ioctl_call(t, fd, DRM_IOCTL_SYNCOBJ_SIGNAL, &array);
		break;
	case 4:
		ioctl_call(t, fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &timeline);
		break;
	case 5:
		ioctl_call(t, fd, DRM_IOCTL_SYNCOBJ_QUERY, &timeline);
		break;
	case 6:
		ioctl_call(t, fd, DRM_IOCTL_SYNCOBJ_TRANSFER, &transfer);
		break;
	}
}

static int64_t soon(uint64_t us)
{
	return now_ns() + us % 20000 * 1000;
}

/* syncobj_wait fd s flags point us */
void run_syncobj_wait(struct thread *t, const uint64_t *a)
{
	uint32_t handle = use(t, K_SYNCOBJ, a[1]);
	uint64_t point = a[3];
	struct drm_syncobj_wait wait = { .count_handles = 1, .flags = a[2], .timeout_nsec = soon(a[4]) };
	struct drm_syncobj_timeline_wait timeline = { .count_handles = 1, .flags = a[2], .timeout_nsec = soon(a[4]) };

	wait.handles = put(t, &handle, sizeof(handle), P_GOOD);
	timeline.handles = wait.handles;
	timeline.points = put(t, &point, sizeof(point), P_GOOD);
	if (point)
		ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &timeline);
	else
		ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_SYNCOBJ_WAIT, &wait);
}

/* syncobj_fd fd s file what: to a file and back, as a syncobj or as its fence */
void run_syncobj_fd(struct thread *t, const uint64_t *a)
{
	struct drm_syncobj_handle arg = { .handle = use(t, K_SYNCOBJ, a[1]), .flags = a[3] & 1 };

	if (a[3] & 2) {
		arg.fd = use(t, K_FILE, a[2]);
		if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &arg))
			put_slot(t, K_SYNCOBJ, a[1], arg.handle);
	} else if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &arg)) {
		put_slot(t, K_FILE, a[2], arg.fd);
	}
}

/* A timeline that userspace moves on: the kernel's aid for testing fences. */
struct sw_fence {
	uint32_t value;
	char name[32];
	int32_t fence;
};

#define SW_FENCE	_IOWR('W', 0, struct sw_fence)
#define SW_INC		_IOW('W', 1, uint32_t)

/* sw_fence sw new value */
void run_sw_fence(struct thread *t, const uint64_t *a)
{
	struct sw_fence fence = { .value = a[2], .name = "fuzz" };
	int fd = use(t, K_SW, a[0]);

	if (!fd) {
		fd = open("/sys/kernel/debug/sync/sw_sync", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return;
		put_slot(t, K_SW, a[0], fd);
	}
	if (!ioctl_call(t, fd, SW_FENCE, &fence))
		put_slot(t, K_FILE, a[1], fence.fence);
}

void run_sw_inc(struct thread *t, const uint64_t *a)
{
	uint32_t steps = a[1];

	ioctl_call(t, use(t, K_SW, a[0]), SW_INC, &steps);
}

void run_sync_merge(struct thread *t, const uint64_t *a)
{
	struct sync_merge_data merge = { .name = "fuzz", .fd2 = use(t, K_FILE, a[1]) };

	if (!ioctl_call(t, use(t, K_FILE, a[0]), SYNC_IOC_MERGE, &merge))
		put_slot(t, K_FILE, a[2], merge.fence);
}

/* open new how: render node, card, not blocking, or the same file again */
void run_open(struct thread *t, const uint64_t *a)
{
	int fd;

	if (a[1] & 4)
		fd = fcntl(use_fd(t, 0), F_DUPFD_CLOEXEC, t->lane->first_fd);
	else
		fd = open(a[1] & 1 ? "/dev/dri/card0" : "/dev/dri/renderD128",
			  O_RDWR | O_CLOEXEC | (a[1] & 2 ? O_NONBLOCK : 0));
	if (fd >= 0)
		put_slot(t, K_FD, a[0], fd);
}

/* close fd file what: of a slot; the slot keeps the number, so that it is used once more */
void run_close(struct thread *t, const uint64_t *a)
{
	const int fd = a[2] & 1 ? use(t, K_FILE, a[1]) : use(t, K_FD, a[0]);
	struct pollfd wait = { .fd = fd, .events = POLLIN | POLLOUT };
	char byte[64];

	if (fd < t->lane->first_fd)
		return;
	cover_begin(&t->cover);
	switch (a[2] >> 1 & 3) {
	case 0:
	case 1:
		close(fd);
		break;
	case 2:
		poll(&wait, 1, 1);
		break;
	case 3:
		fcntl(fd, F_SETFL, O_NONBLOCK);
		if (read(fd, byte, sizeof(byte)) < 0)
			byte[0] = 0;
		break;
	}
	if (cover_end(&t->cover, t->lane->shared))
		t->lane->new_edges = true;
}

/* file n text: reads one of the driver's files, or writes it */
void run_file(struct thread *t, const uint64_t *a)
{
	static const char * const texts[] = {
		NULL, NULL, NULL, "0", "1", "-1", "0xffffffffffffffff", "", "\n", "10", "100", "500", "0x3f", "0x1ff",
		"0x40", "4096",
		"not a number at all and rather long, so that it does not fit into what somebody thought would be enough",
	};
	const char *text = texts[a[1] % (sizeof(texts) / sizeof(texts[0]))];
	const unsigned int count = files_count();
	char buffer[4096];
	int fd, tries;

	if (!count)
		return;
	fd = open(files_name(a[0] % count), (text ? O_WRONLY : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	cover_begin(&t->cover);
	if (text) {
		if (write(fd, text, strlen(text)) < 0)
			buffer[0] = 0;
	} else {
		for (tries = 0; tries < 16 && read(fd, buffer, a[2] % 4096 + 1) > 0; tries++)
			;
	}
	close(fd);
	if (cover_end(&t->cover, t->lane->shared))
		t->lane->new_edges = true;
}

/* fork fd h how: a child that does something with the parent's files, and goes */
void run_fork(struct thread *t, const uint64_t *a)
{
	struct drm_gem_close gem = { .handle = use(t, K_HANDLE, a[1]) };
	struct drm_i915_gem_context_create_ext create = { 0 };
	const int fd = use_fd(t, a[0]);
	pid_t pid = fork();
	int status, tries;

	if (pid < 0)
		return;
	if (!pid) {
		switch (a[2] & 3) {
		case 0:
			syscall(SYS_ioctl, fd, DRM_IOCTL_GEM_CLOSE, &gem);
			break;
		case 1:
			syscall(SYS_ioctl, fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create);
			break;
		case 2:
			touch(t, (uintptr_t)t->lane->user, USER_BYTES, true);
			break;
		case 3:
			for (status = 0; status < NSLOTS; status++)
				touch(t, use(t, K_MAP, status), t->lane->map_size[status], true);
			break;
		}
		_exit(0);
	}
	if (a[2] & 4)
		kill(pid, SIGKILL);
	for (tries = 0; tries < 200 && waitpid(pid, &status, WNOHANG) == 0; tries++)
		usleep(1000);
	if (tries == 200) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
}

/* kill us: the lane gets SIGKILL so much later, during another call */
void run_kill(struct thread *t, const uint64_t *a)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	struct itimerspec when = { .it_value = { 0, 1000 * (a[0] % 30000 + 1) } };
	timer_t timer;

	(void)t;
	if (!timer_create(CLOCK_MONOTONIC, &event, &timer))
		timer_settime(timer, 0, &when, NULL);
}

void run_sleep(struct thread *t, const uint64_t *a)
{
	(void)t;
	usleep(a[0] % 20000);
}

/* crash h s: when both are there; for the tests of what happens after a report */
void run_crash(struct thread *t, const uint64_t *a)
{
	int fd;

	if (!may_crash || !use(t, K_HANDLE, a[0]) || !use(t, K_CTX, a[1]))
		return;
	fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "c", 1) != 1)
		return;
}
