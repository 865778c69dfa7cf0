// SPDX-License-Identifier: MIT
/**
 * DOC: More than a client's turn
 *
 * Batches that do not end, in one context or in hundreds, in files that are closed and opened anew; batches that hang
 * the engine; batches that only wait. However many contexts and files a client has, its share is that of one client.
 */
#include <string.h>
#include <unistd.h>

#include "attack.h"

#define AT	(256ull << 20)
#define RESULT	(512ull << 20)

static void submit_loop(struct attacker *a, int fd, uint32_t ctx, unsigned int ring, struct it_batch *b)
{
	if (it_batch_make(fd, ATTACK_PAGE, AT, b))
		return;
	it_emit_loop(b);
	attack_count(a, attack_submit(fd, ctx, attack_rings[ring], b, NULL, 0));
}

static void starve(struct attacker *a, unsigned int contexts)
{
	int fd = it_open_fd();
	struct it_batch b;
	uint32_t ctx;

	for (unsigned int i = 0; i < contexts; i++)
		if (!it_ctx_make(fd, &ctx))
			submit_loop(a, fd, ctx, a->ring, &b);
	for (;;)
		pause();
}

static void starve_1(struct attacker *a)
{
	starve(a, 1);
}

static void starve_20(struct attacker *a)
{
	starve(a, 20);
}

static void starve_200(struct attacker *a)
{
	starve(a, 200);
}

/* One file for each context. */
static void files(struct attacker *a)
{
	struct it_batch b;

	for (unsigned int i = 0; i < 60; i++) {
		int fd = it_open_fd();

		if (fd >= 0)
			submit_loop(a, fd, 0, a->ring, &b);
	}
	for (;;)
		pause();
}

/* Contexts that each poll memory which does not change. */
static void semaphores(struct attacker *a)
{
	int fd = it_open_fd();
	struct it_bo page;
	struct it_batch b;
	uint32_t ctx;

	if (it_bo_make(fd, ATTACK_PAGE, RESULT, &page) || it_batch_make(fd, ATTACK_PAGE, AT, &b))
		return;
	it_emit_gate(&b, RESULT);
	it_emit_end(&b);
	for (unsigned int i = 0; i < 200; i++)
		if (!it_ctx_make(fd, &ctx))
			attack_count(a, attack_submit(fd, ctx, attack_rings[a->ring], &b, &page, 1));
	for (;;)
		pause();
}

static void write_hang(struct attacker *a, struct it_batch *b)
{
	if (a->ring != 1 && attack_roll(a, 2)) {
		it_emit(b, ATTACK_NO_SUCH_COMMAND);
		it_emit_end(b);
	} else {
		it_emit_endless(b);
	}
}

static void hang_once(struct attacker *a, int fd, uint32_t ctx, bool wait)
{
	struct it_batch b;

	if (it_batch_make(fd, ATTACK_PAGE, AT, &b))
		return;
	write_hang(a, &b);
	if (!attack_count(a, attack_submit(fd, ctx, attack_rings[a->ring], &b, NULL, 0)) && wait)
		it_bo_wait(b.bo, 10000000000);
	it_batch_drop(&b);
}

/* In fresh contexts of one file, until it is banned, and then in a fresh file. */
static void hang(struct attacker *a)
{
	int fd = it_open_fd();
	uint32_t ctx;

	for (;;) {
		while (!it_ctx_make(fd, &ctx))
			hang_once(a, fd, ctx, true);
		close(fd);
		fd = it_open_fd();
	}
}

static void reopen(struct attacker *a)
{
	for (;;) {
		int fd = it_open_fd();

		hang_once(a, fd, 0, true);
		close(fd);
	}
}

/* Many at once: files that are closed and leave a batch that hangs each. */
static void leave(struct attacker *a)
{
	for (unsigned int i = 0; i < 60; i++) {
		int fd = it_open_fd();

		hang_once(a, fd, 0, false);
		close(fd);
	}
	for (;;)
		pause();
}

/* Files that leave a batch that hangs, each from a process of its own. */
static void orphans(struct attacker *a)
{
	for (unsigned int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid) {
			hang_once(a, it_open_fd(), 0, false);
			_exit(0);
		}
		usleep(100000);
	}
	for (;;)
		pause();
}

/* Interrupts, as many as an engine can send. */
static void interrupts(struct attacker *a)
{
	int fd = it_open_fd();
	struct it_batch b;

	if (it_batch_make(fd, ATTACK_PAGE, AT, &b))
		return;
	for (unsigned int i = 0; i < 64; i++)
		it_emit(&b, MI_USER_INTERRUPT);
	it_emit(&b, MI_ARB_CHECK);
	it_emit(&b, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(&b, AT);
	attack_count(a, attack_submit(fd, 0, attack_rings[a->ring], &b, NULL, 0));
	/* The driver unmasks the interrupt only while a client waits. */
	for (;;)
		it_bo_wait(b.bo, 1000000000);
}

/* Many requests in a queue, behind one that does not end. */
static void queue(struct attacker *a)
{
	int fd = it_open_fd();
	struct it_batch b, loop;
	uint32_t ctx;

	if (attack_empty_batch(fd, 2 * AT, &b))
		return;
	for (unsigned int i = 0; i < 100; i++) {
		if (it_ctx_make(fd, &ctx))
			continue;
		if (!i)
			submit_loop(a, fd, ctx, a->ring, &loop);
		for (unsigned int n = 0; n < 50; n++)
			attack_count(a, attack_submit(fd, ctx, attack_rings[a->ring], &b, NULL, 0));
	}
	for (;;)
		pause();
}

const struct attack attacks_turn[] = {
	{ "turn-1-context", 1, 0, starve_1 },
	{ "turn-20-contexts", 1, 0, starve_20 },
	{ "turn-200-contexts", 1, 0, starve_200 },
	{ "turn-files", 1, 0, files },
	{ "turn-semaphores", 1, 0, semaphores },
	{ "turn-hang", 1, ATTACK_ALONE, hang },
	{ "turn-reopen", 1, ATTACK_ALONE, reopen },
	{ "turn-leave", 1, ATTACK_ALONE, leave },
	{ "turn-orphans", 1, ATTACK_ALONE, orphans },
	{ "turn-interrupts", 1, 0, interrupts },
	{ "turn-queue", 1, 0, queue },
	{ 0 }
};
