// SPDX-License-Identifier: MIT
/*
 * DOC: igen-churn
 *
 * Clients for a device that comes and goes: while another process unbinds it, unloads its driver or resets it, they
 * submit, wait, map, share and close in random order, and take it as it comes: a device that is gone (ENODEV), a GPU
 * that was given up or reset (EIO), a mapping that lost its memory (SIGBUS). They then close all and open again; the
 * fences that they were given stay open beyond that. Any other error, and a batch that is said to have completed
 * without its store being there, is a failure.
 *
 * igen-churn SECONDS [CLIENTS]: each client is a process with two threads that share a file. They end after that time
 * or on SIGTERM, when a batch has completed. Prints what was done; when no batch was ever seen to complete that is a
 * failure too.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/sync_file.h>

#include "lib/it.h"

#define THREADS		2
#define KEPT_FENCES	4
#define MAX_CLIENTS	16
#define PATIENCE	20			/* times that no device is found until the fences are closed */
#define MORE_S		120			/* for a first batch that completes */
#define LIFE		200			/* actions until a client opens anew by itself */
#define THREAD_SPAN	(64u << 20)		/* of addresses: threads of a file do not evict each other's */
#define BATCH_ADDRESS	(16u << 20)
#define TARGET_ADDRESS	(32u << 20)

struct totals {
	unsigned long completed, failed, lives, unexpected;
};

struct churn {
	int fd;
	unsigned int seed;
	uint32_t base;			/* first address */
	uint32_t value;
	int fences[KEPT_FENCES];
	struct totals totals;
};

/* An object with a mapping; what is there of it is closed by drop(). */
struct buffer {
	uint32_t handle;
	uint32_t *map;
	void *memory;			/* userptr: the memory below */
};

static time_t deadline;
static volatile sig_atomic_t stopped;
static struct totals *all;		/* of all clients, in memory that they share */
static __thread sigjmp_buf bus_error;

static void on_sigbus(int number)
{
	siglongjmp(bus_error, number);
}

static void on_sigterm(int number)
{
	stopped = number;
}

/* On a slow machine the first batch may take longer than the time that the clients are given. */
static bool over(void)
{
	static _Atomic time_t end;
	time_t now = time(NULL);

	if (!stopped && now < deadline)
		return false;
	if (!end)
		end = now + MORE_S;
	return __atomic_load_n(&all->completed, __ATOMIC_SEQ_CST) || now >= end;
}

static unsigned int roll(struct churn *c, unsigned int sides)
{
	return rand_r(&c->seed) % sides;
}

static void drop(struct churn *c, struct buffer *b)
{
	struct drm_gem_close close_arg = { .handle = b->handle };

	if (b->map && b->map != b->memory)
		munmap(b->map, 4096);
	if (b->handle)
		it_ioctl(c->fd, DRM_IOCTL_GEM_CLOSE, &close_arg);
	if (b->memory)
		munmap(b->memory, 4096);
	memset(b, 0, sizeof(*b));
}

static int map(struct churn *c, struct buffer *b, unsigned int kind)
{
	struct drm_i915_gem_mmap_offset arg = { .handle = b->handle, .flags = kind };
	int ret = it_ioctl(c->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &arg);
	void *at;

	if (ret)
		return ret;
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, arg.offset);
	if (at == MAP_FAILED)
		return -errno;
	b->map = at;
	return 0;
}

static int create(struct churn *c, struct buffer *b)
{
	struct drm_i915_gem_create arg = { .size = 4096 };
	int ret = it_ioctl(c->fd, DRM_IOCTL_I915_GEM_CREATE, &arg);

	if (ret)
		return ret;
	b->handle = arg.handle;
	return map(c, b, I915_MMAP_OFFSET_WB);
}

static int create_userptr(struct churn *c, struct buffer *b)
{
	struct drm_i915_gem_userptr arg = { .user_size = 4096 };
	int ret;

	b->memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b->memory == MAP_FAILED) {
		b->memory = NULL;
		return -errno;
	}
	b->map = b->memory;
	arg.user_ptr = (uintptr_t)b->memory;
	ret = it_ioctl(c->fd, DRM_IOCTL_I915_GEM_USERPTR, &arg);
	if (!ret)
		b->handle = arg.handle;
	return ret;
}

/* Waits for a fence: 1 completed, 0 not yet, or the error that it completed with. */
static int fence_status(int fence)
{
	struct pollfd pfd = { .fd = fence, .events = POLLIN };
	struct sync_file_info info = { 0 };

	poll(&pfd, 1, IT_WAIT_NS / 1000000);
	if (ioctl(fence, SYNC_IOC_FILE_INFO, &info))
		return -errno;
	return info.status;
}

/* Keeps a fence for a while, in place of an older one. */
static void keep_fence(struct churn *c, int fence)
{
	int *place = &c->fences[roll(c, KEPT_FENCES)];

	if (*place >= 0) {
		fence_status(*place);
		close(*place);
	}
	*place = fence;
}

static void close_fences(struct churn *c)
{
	for (unsigned int i = 0; i < KEPT_FENCES; i++) {
		if (c->fences[i] >= 0) {
			fence_status(c->fences[i]);
			close(c->fences[i]);
		}
		c->fences[i] = -1;
	}
}

/* A store into @target by a batch on any engine; waited for, or left alone. */
static int submit(struct churn *c, uint32_t ctx, struct buffer *target, bool wait)
{
	static const uint64_t rings[] = {
		I915_EXEC_RENDER, I915_EXEC_BLT, I915_EXEC_BSD | I915_EXEC_BSD_RING1, I915_EXEC_VEBOX
	};
	struct buffer batch = { 0 };
	struct drm_i915_gem_exec_object2 obj[2] = { 0 };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = 2, .rsvd1 = ctx,
		.flags = rings[roll(c, ARRAY_SIZE(rings))] | I915_EXEC_NO_RELOC | I915_EXEC_FENCE_OUT,
	};
	int after = c->fences[roll(c, KEPT_FENCES)];
	uint32_t value = ++c->value;
	int ret, fence, status;

	/* Behind an earlier batch, of an earlier device perhaps. */
	if (after >= 0 && roll(c, 2)) {
		eb.flags |= roll(c, 2) ? I915_EXEC_FENCE_IN : I915_EXEC_FENCE_SUBMIT;
		eb.rsvd2 = after;
	}

	ret = create(c, &batch);
	if (ret)
		goto out;
	target->map[0] = 0;
	batch.map[0] = MI_STORE_DATA_IMM_DW;
	batch.map[1] = c->base + TARGET_ADDRESS;
	batch.map[2] = 0;
	batch.map[3] = value;
	batch.map[4] = MI_BATCH_BUFFER_END;

	obj[0].handle = target->handle;
	obj[0].offset = c->base + TARGET_ADDRESS;
	obj[0].flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS | EXEC_OBJECT_WRITE;
	obj[1].handle = batch.handle;
	obj[1].offset = c->base + BATCH_ADDRESS;
	obj[1].flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
	ret = it_ioctl(c->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);
	if (ret)
		goto out;
	fence = eb.rsvd2 >> 32;
	if (wait) {
		status = fence_status(fence);
		if (status == 1 && target->map[0] != value) {
			printf("not ok: a batch has completed, and its store is not there: %x for %x\n",
			       target->map[0], value);
			c->totals.unexpected++;
		} else if (!status) {
			printf("not ok: a fence did not signal\n");
			c->totals.unexpected++;
		}
		if (status == 1) {
			c->totals.completed++;
			__atomic_add_fetch(&all->completed, 1, __ATOMIC_SEQ_CST);
		} else {
			c->totals.failed++;
		}
	}
	keep_fence(c, fence);
out:
	drop(c, &batch);
	return ret;
}

static int act_store(struct churn *c, struct buffer *b)
{
	int ret = create(c, b);

	return ret ?: submit(c, 0, b, true);
}

static int act_store_and_go(struct churn *c, struct buffer *b)
{
	int ret = create(c, b);

	return ret ?: submit(c, 0, b, false);
}

static int act_userptr(struct churn *c, struct buffer *b)
{
	int ret = create_userptr(c, b);

	return ret ?: submit(c, 0, b, roll(c, 2));
}

static int act_context(struct churn *c, struct buffer *b)
{
	struct drm_i915_gem_context_create create_arg = { 0 };
	struct drm_i915_gem_context_destroy destroy = { 0 };
	int ret, err;

	ret = create(c, b);
	if (ret)
		return ret;
	ret = it_ioctl(c->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create_arg);
	if (ret)
		return ret;
	ret = submit(c, create_arg.ctx_id, b, roll(c, 2));
	destroy.ctx_id = create_arg.ctx_id;
	err = it_ioctl(c->fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy);
	return ret ?: err;
}

static int act_aperture(struct churn *c, struct buffer *b)
{
	struct drm_i915_gem_create arg = { .size = 4096 };
	int ret = it_ioctl(c->fd, DRM_IOCTL_I915_GEM_CREATE, &arg);

	if (ret)
		return ret;
	b->handle = arg.handle;
	ret = map(c, b, I915_MMAP_OFFSET_GTT);
	if (ret)
		return ret;
	b->map[roll(c, 1024)] = 1;
	return submit(c, 0, b, true);
}

static int act_share(struct churn *c, struct buffer *b)
{
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };
	uint32_t *shared;
	int ret = create(c, b);

	if (ret)
		return ret;
	prime.handle = b->handle;
	ret = it_ioctl(c->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	if (ret)
		return ret;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, prime.fd, 0);
	if (shared != MAP_FAILED) {
		shared[1] = 1;
		munmap(shared, 4096);
	}
	ret = submit(c, 0, b, false);
	close(prime.fd);
	return ret;
}

static int act_object(struct churn *c, struct buffer *b)
{
	struct drm_i915_gem_set_domain domain = { .read_domains = I915_GEM_DOMAIN_CPU };
	struct drm_i915_gem_madvise madvise_arg = { .madv = I915_MADV_DONTNEED };
	struct drm_i915_gem_busy busy = { 0 };
	uint32_t word = 5;
	struct drm_i915_gem_pwrite pwrite_arg = { .size = 4, .data_ptr = (uintptr_t)&word };
	int ret = create(c, b);

	if (ret)
		return ret;
	pwrite_arg.handle = b->handle;
	busy.handle = b->handle;
	domain.handle = b->handle;
	madvise_arg.handle = b->handle;
	ret = it_ioctl(c->fd, DRM_IOCTL_I915_GEM_PWRITE, &pwrite_arg);
	ret = ret ?: submit(c, 0, b, false);
	ret = ret ?: it_ioctl(c->fd, DRM_IOCTL_I915_GEM_BUSY, &busy);
	ret = ret ?: it_ioctl(c->fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &domain);
	return ret ?: it_ioctl(c->fd, DRM_IOCTL_I915_GEM_MADVISE, &madvise_arg);
}

static int act_ask(struct churn *c, struct buffer *b)
{
	struct drm_i915_reset_stats stats = { 0 };
	char path[64], text[4096];
	int value, file;

	(void)b;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", c->fd);
	file = open(path, O_RDONLY);
	if (file >= 0) {
		while (read(file, text, sizeof(text)) > 0)
			;
		close(file);
	}
	it_ioctl(c->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	return it_getparam(c->fd, I915_PARAM_CHIPSET_ID, &value);
}

static int (* const actions[])(struct churn *c, struct buffer *b) = {
	act_store, act_store, act_store_and_go, act_userptr, act_context, act_aperture, act_share, act_object, act_ask,
};

static int act(struct churn *c, unsigned int action)
{
	struct buffer b = { 0 };
	struct buffer * volatile kept = &b;
	int ret;

	if (sigsetjmp(bus_error, 1))
		ret = -ENODEV;
	else
		ret = actions[action](c, &b);
	drop(c, kept);
	return ret;
}

/* One thread's share of the life of an open file. */
static void *live(void *arg)
{
	struct churn *c = arg;
	int n, ret = 0;

	for (n = 0; n < LIFE && !ret && !over(); n++) {
		unsigned int action = roll(c, ARRAY_SIZE(actions));

		ret = act(c, action);
		if (ret && ret != -ENODEV && ret != -EIO) {
			printf("not ok: action %u: error %d\n", action, ret);
			c->totals.unexpected++;
		}
	}
	return NULL;
}

static int client(unsigned int number)
{
	struct churn c[THREADS] = { 0 };
	struct totals sum = { 0 };
	pthread_t thread[THREADS];
	unsigned int i, absent = 0;

	for (i = 0; i < THREADS; i++) {
		c[i].seed = 1 + number * THREADS + i;
		c[i].base = i * THREAD_SPAN;
		c[i].value = c[i].seed << 20;
		memset(c[i].fences, 0xff, sizeof(c[i].fences));
	}
	while (!over()) {
		int fd = it_open_fd();

		if (fd < 0) {
			usleep(20000);
			/* Unloading waits for the fences. */
			for (i = 0; i < THREADS && ++absent > PATIENCE; i++)
				close_fences(&c[i]);
			continue;
		}
		absent = 0;
		sum.lives++;
		for (i = 0; i < THREADS; i++) {
			c[i].fd = fd;
			if (pthread_create(&thread[i], NULL, live, &c[i]))
				return 2;
		}
		for (i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		close(fd);
	}
	for (i = 0; i < THREADS; i++) {
		close_fences(&c[i]);
		sum.completed += c[i].totals.completed;
		sum.failed += c[i].totals.failed;
		sum.unexpected += c[i].totals.unexpected;
	}
	printf("client %u: %lu batches completed, %lu failed with the GPU, %lu files opened, %lu faults\n", number,
	       sum.completed, sum.failed, sum.lives, sum.unexpected);
	return !!sum.unexpected;
}

int main(int argc, char **argv)
{
	unsigned int seconds, clients, i;
	struct sigaction action = { .sa_handler = on_sigbus };
	struct sigaction end = { .sa_handler = on_sigterm };
	pid_t pid[MAX_CLIENTS];
	int bad = 0, status;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: igen-churn SECONDS [CLIENTS], of which %d at most\n", MAX_CLIENTS);
		return 2;
	}
	seconds = it_number("SECONDS", argv[1], 1, UINT_MAX);
	clients = argc > 2 ? it_number("CLIENTS", argv[2], 1, MAX_CLIENTS) : 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGTERM, &end, NULL);
	all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return 2;
	deadline = time(NULL) + seconds;
	for (i = 0; i < clients; i++) {
		pid[i] = fork();
		if (pid[i] < 0)
			return 2;
		if (!pid[i])
			exit(client(i));
	}
	for (i = 0; i < clients;) {
		if (waitpid(pid[i], &status, 0) == pid[i]) {
			bad |= !WIFEXITED(status) || WEXITSTATUS(status);
			i++;
		} else if (errno == EINTR && stopped) {
			/* Told once; pids that are gone already are our zombies. */
			for (unsigned int k = i; k < clients; k++)
				kill(pid[k], SIGTERM);
		} else if (errno != EINTR) {
			return 2;
		}
	}
	if (!all->completed) {
		printf("not ok: no batch has completed\n");
		bad = 1;
	}
	return bad;
}
