// SPDX-License-Identifier: MIT
/**
 * DOC: Single commands for the blitter
 *
 * The commands lie in memory of exactly their length, so that a read beyond it is seen, and are executed in this
 * thread. Rectangles have their full height: a timer asks the blitter to stop after a while, as a reset does.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "cs/cs.h"
#include "main/main.h"
#include "fuzz.h"
#include "igen/regs/gtt.h"

#define RAM		(8u << 20)
#define SLICE_US	30000		/* of processor time, for a command */
#define ROW_LIMIT_S	5		/* for a row under sanitizers, by far */

static _Atomic uint32_t request;
static atomic_uint running, asked;		/* the command's number, 0: none; the one that was asked to stop */

static void timer(long s, long us)
{
	const struct itimerval t = { .it_value = { s, us } };

	setitimer(ITIMER_VIRTUAL, &t, NULL);
}

/* The first time it asks a command to stop, the second time the same command has not done so. */
static void on_timer(int sig)
{
	unsigned int now = running;

	(void)sig;
	if (!now)
		return;
	if (asked == now)
		fuzz_fail("a blit does not stop when it is asked to");
	asked = now;
	request = 1;
	timer(ROW_LIMIT_S, 0);
}

static int memory(size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)size))
		exit(2);
	return fd;
}

static struct gpu *device(void)
{
	struct gmem_region ram = { .gpa = 0, .size = RAM, .fd = memory(RAM) };
	struct gmem_region edge = {
		.gpa = EDGE_SHORT, .size = EDGE_SHORT_SIZE, .offset = 4096, .fd = memory(0x5000),
	};
	struct config cfg;
	struct gpu *gpu;

	config_init(&cfg);
	gpu = gpu_new(&cfg);
	if (!gpu || gmem_set(gpu, &ram, 1) || gmem_map(gpu, &edge))
		exit(2);
	return gpu;
}

/* Graphics addresses of RAM at 0, of short memory behind it; the menus' others are missing. */
static void map(struct gpu *gpu)
{
	for (uint32_t i = 0; i < RAM / 4096; i++)
		gtt_pte_write(gpu, i * 8, 8, (uint64_t)i << 12 | GEN8_PAGE_PRESENT);
	for (uint32_t i = 0; i < EDGE_PAGES; i++)
		gtt_pte_write(gpu, (uint32_t)(EDGE_GGTT / 4096 + i) * 8, 8,
			      (EDGE_SHORT + (i % 4) * 4096) | GEN8_PAGE_PRESENT);
}

static void execute(struct input *in, struct blt_ctx *ctx)
{
	static unsigned int number;
	uint32_t dw[COMMAND_MAX], *exact;
	unsigned int n = fuzz_blit_command(in, dw);
	unsigned int len = (dw[0] & 0xff) + 2;	/* what the command streamer takes for its length */
	const struct igen_cmd *def = igen_lookup(command_decoder(ctx->gpu->platform->commands, ENGINE_COPY), dw[0]);

	if (!def)
		return;
	exact = calloc(len, sizeof(*dw));
	if (!exact)
		exit(2);
	memcpy(exact, dw, (n < len ? n : len) * sizeof(*dw));
	request = 0;
	ctx->stopped = false;
	ctx->swctrl = take8(in);
	running = ++number;
	timer(0, SLICE_US);
	view_enter(&ctx->view);
	blt_execute(ctx, def, blt_command_of(def->name), exact, len);
	view_leave(&ctx->view);
	running = 0;
	timer(0, 0);
	free(exact);
}

void fuzz_blit(struct input *in)
{
	struct gpu *gpu = device();
	struct blt_ctx ctx = {
		.gpu = gpu, .engine = &gpu->platform->engines[BCS0], .vm.ggtt = true, .request = &request, .stop_on = 1,
		.gen = gpu->platform->commands->gen,
	};
	struct tlb *tlb;
	uint8_t *edge;

	signal(SIGVTALRM, on_timer);
	map(gpu);
	tlb = tlb_new(gpu, "fuzz");
	edge = gmem_ptr(gpu, EDGE_SHORT, 1, true);
	if (!tlb || !edge)
		exit(2);
	view_init(&ctx.view, tlb, MEM_BLT);
	fuzz_poison(edge - 4096, 4096);
	fuzz_poison(edge + EDGE_SHORT_SIZE, 0x4000 - EDGE_SHORT_SIZE);
	for (unsigned int i = 0; i < 8 && in->left; i++)
		execute(in, &ctx);
	fuzz_unpoison(edge - 4096, 0x5000);
	view_fini(&ctx.view);
	gpu_free(gpu);
}
