// SPDX-License-Identifier: MIT
/**
 * DOC: The victim
 *
 * An ordinary client with a file, a context and some objects of its own. It keeps batches in flight on four engines.
 * Each batch adds one to its engine's counter, stores the batch's number in a slot, and passes some time with commands
 * that do nothing, so that the victim wants the engine for as long as it gets it. When a batch's fence has signaled,
 * the slot has to hold the batch's number and the counter has to be at least as high. The blitter also fills a page,
 * which is compared as a whole.
 *
 * Between batches the victim compares, byte for byte, objects that no batch names: through a mapping, by pread, and
 * objects that it makes, writes, reads and closes. Every error of a call, every fence with an error, every reset for
 * which the victim is blamed counts as wrong.
 *
 * The victim also reads registers that only the driver may write (FORCE_TO_NONPRIV of the render engine); these have
 * to keep the values that they had at first.
 *
 * The self-test (selftest.c) has the victim damage one of these things itself, right before it is checked.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/sync_file.h>

#include "attack.h"

#define DEPTH		16u			/* batches in flight on an engine */
#define IDLE_COMMANDS	1000u			/* that a batch passes time with */
#define BATCH_SIZE	(2 * ATTACK_PAGE)
#define RESULTS		(64ull << 20)		/* addresses in the context */
#define FILLED		(80ull << 20)
#define BATCHES		(96ull << 20)
#define SLOT(e, n)	((e) * 64 + 16 + (n))	/* dword of the results; the engine's counter is at (e) * 64 */
#define SILENT_SIZE	(64u << 10)
#define CHECK_EVERY	64			/* batches of an engine between two looks at the rest */
#define ATOMIC_INC	(MI_ATOMIC | MI_ATOMIC_INC << 8)
#define FENCE_PATIENCE_MS (120 * 1000)

struct flight {
	int fence;				/* -1: none */
	uint32_t number;
	struct it_batch batch;
	unsigned int value_at;			/* dword of the batch that holds its number */
	unsigned int fill_at;			/* and the blitter's */
};

struct lane {
	struct flight flight[DEPTH];
	unsigned int next;
	uint32_t number;			/* of the last batch submitted */
	unsigned long completed;
};

struct victim {
	struct victim_told *told;
	int fd;
	uint32_t ctx;
	struct it_bo results, filled, silent, quiet;
	struct it_batch witness;
	struct it_bo seen;
	uint32_t nonpriv[FORCE_TO_NONPRIV_MAX];
	bool nonpriv_known, gone;
	struct lane lane[ATTACK_RINGS];
};

static sigjmp_buf bus_error;

static void on_sigbus(int number)
{
	siglongjmp(bus_error, number);
}

static void tell(struct victim *v, const char *fmt, va_list ap)
{
	v->gone = true;
	if (!atomic_fetch_add(&v->told->wrong, 1))
		vsnprintf(v->told->why, sizeof(v->told->why), fmt, ap);
}

/* What must not be, whatever happens to the device. */
static void wrong(struct victim *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(v, fmt, ap);
	va_end(ap);
}

/* An error, which is no failure when the device may have been taken away; this life of the victim ends. */
static void failed(struct victim *v, const char *fmt, ...)
{
	va_list ap;

	v->gone = true;
	if (atomic_load(&v->told->lenient))
		return;
	va_start(ap, fmt);
	tell(v, fmt, ap);
	va_end(ap);
}

static bool spoils(const struct victim *v, enum spoil what)
{
	return v->told->spoil == what;
}

static void spoil(struct victim *v, enum spoil what, uint32_t *dword, uint32_t value)
{
	if (spoils(v, what))
		*dword = value;
}

/* The self-test's victim is slower in one phase of a round, or does nothing. */
static void spoil_rate(struct victim *v)
{
	enum phase phase = atomic_load(&v->told->phase);

	if ((spoils(v, SPOIL_SLOW) && phase == PHASE_ATTACKS) || (spoils(v, SPOIL_TIRED) && phase == PHASE_AFTERWARDS))
		usleep(500000);
	while (spoils(v, SPOIL_STALL) && atomic_load(&v->told->phase) != PHASE_ALONE && !atomic_load(&v->told->stop))
		usleep(10000);
}

/* A hang of this context's, of which no fence in flight tells. */
static void spoil_blame(struct victim *v)
{
	struct it_batch b;

	if (!spoils(v, SPOIL_BLAME) || it_batch_make(v->fd, ATTACK_PAGE, BATCHES - (3 << 20), &b))
		return;
	it_emit(&b, ATTACK_NO_SUCH_COMMAND);
	it_emit_end(&b);
	attack_submit(v->fd, v->ctx, I915_EXEC_RENDER, &b, NULL, 0);
	it_bo_wait(b.bo, FENCE_PATIENCE_MS * 1000000ll);
	it_batch_drop(&b);
}

static uint8_t silent_byte(unsigned int salt, size_t i)
{
	uint32_t x = (uint32_t)i * 2654435761u + salt * 40503u;

	return x >> 24 ^ x >> 11;
}

static void silent_fill(uint8_t *bytes, unsigned int salt)
{
	for (size_t i = 0; i < SILENT_SIZE; i++)
		bytes[i] = silent_byte(salt, i);
}

static void silent_check(struct victim *v, const uint8_t *bytes, unsigned int salt, const char *what)
{
	for (size_t i = 0; i < SILENT_SIZE; i++)
		if (bytes[i] != silent_byte(salt, i)) {
			wrong(v, "%s: byte %zu is %02x and was %02x", what, i, bytes[i], silent_byte(salt, i));
			return;
		}
	atomic_fetch_add(&v->told->checks, 1);
}

/* One page of the blitter's is as long as a line of 1024 pixels of 4 bytes. */
static void write_fill(struct flight *f, uint64_t address)
{
	struct it_batch *b = &f->batch;

	it_emit(b, XY_COLOR_BLT | 3u << 20);
	it_emit(b, 3u << 24 | 0xf0u << 16 | ATTACK_PAGE);
	it_emit(b, 0);
	it_emit(b, 1u << 16 | ATTACK_PAGE / 4);
	it_emit_address(b, address);
	f->fill_at = b->n;
	it_emit(b, 0);
}

static int make_flight(struct victim *v, unsigned int e, unsigned int i)
{
	struct flight *f = &v->lane[e].flight[i];
	struct it_batch *b = &f->batch;
	int ret = it_batch_make(v->fd, BATCH_SIZE, BATCHES + (e * DEPTH + i) * BATCH_SIZE, b);

	if (ret)
		return ret;
	it_emit(b, ATOMIC_INC);
	it_emit_address(b, RESULTS + 4 * SLOT(e, -16));
	if (e == 1)
		write_fill(f, FILLED + i * ATTACK_PAGE);
	for (unsigned int n = 0; n < IDLE_COMMANDS; n++)
		it_emit(b, MI_NOOP);
	f->value_at = b->n + 3;
	it_emit_store(b, RESULTS + 4 * SLOT(e, i), 0);
	it_emit_end(b);
	return 0;
}

static int make_witness(struct victim *v)
{
	int ret = it_bo_make(v->fd, ATTACK_PAGE, BATCHES - (1 << 20), &v->seen) ?:
		  it_batch_make(v->fd, ATTACK_PAGE, BATCHES - (2 << 20), &v->witness);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < FORCE_TO_NONPRIV_MAX; i++)
		it_emit_store_reg(&v->witness, v->seen.address + 4 * i, RING_FORCE_TO_NONPRIV(RCS0_BASE, i));
	it_emit_end(&v->witness);
	return 0;
}

static int begin(struct victim *v)
{
	int ret = it_ctx_make(v->fd, &v->ctx) ?:
		  it_bo_make(v->fd, ATTACK_PAGE, RESULTS, &v->results) ?:
		  it_bo_make(v->fd, DEPTH * ATTACK_PAGE, FILLED, &v->filled) ?:
		  it_bo_make(v->fd, SILENT_SIZE, 0, &v->silent) ?:
		  it_bo_make(v->fd, SILENT_SIZE, 0, &v->quiet) ?: make_witness(v);

	for (unsigned int e = 0; !ret && e < ATTACK_RINGS; e++)
		for (unsigned int i = 0; !ret && i < DEPTH; i++)
			ret = make_flight(v, e, i);
	if (ret)
		return ret;
	silent_fill((uint8_t *)v->silent.map, 1);
	silent_fill((uint8_t *)v->quiet.map, 2);
	return 0;
}

/* 1 when the fence says that all was well, else its error. */
static int fence_end(int fence)
{
	struct pollfd pfd = { .fd = fence, .events = POLLIN };
	struct sync_file_info info = { 0 };
	int ret;

	do {
		ret = poll(&pfd, 1, FENCE_PATIENCE_MS);
	} while (ret < 0 && errno == EINTR);
	ret = ioctl(fence, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
	close(fence);
	return ret ?: -ETIME;
}

static void check_fill(struct victim *v, unsigned int i, uint32_t number)
{
	const uint32_t *page = v->filled.dw + i * ATTACK_PAGE / 4;

	for (unsigned int n = 0; n < ATTACK_PAGE / 4; n++)
		if (page[n] != ~number) {
			wrong(v, "dword %u of a page that the blitter filled is %x, expected %x", n, page[n], ~number);
			return;
		}
}

static void reap(struct victim *v, unsigned int e)
{
	struct lane *l = &v->lane[e];
	struct flight *f = &l->flight[l->next];
	const volatile uint32_t *results = v->results.dw;
	int status;

	if (f->fence < 0)
		return;
	status = fence_end(f->fence);
	f->fence = -1;
	if (status != 1) {
		failed(v, "batch %u of engine %u failed: error %d", f->number, e, status);
		return;
	}
	l->completed++;
	spoil(v, SPOIL_SLOT, &v->results.dw[SLOT(e, l->next)], 0);
	spoil(v, SPOIL_COUNT, &v->results.dw[SLOT(e, -16)], 0);
	spoil(v, SPOIL_FILL, &v->filled.dw[(l->next + 1) * ATTACK_PAGE / 4 - 1], 0);
	if (results[SLOT(e, l->next)] != f->number)
		wrong(v, "batch %u of engine %u has stored %u", f->number, e, results[SLOT(e, l->next)]);
	if (results[SLOT(e, -16)] < l->completed)
		wrong(v, "engine %u counts %u batches, %lu have completed", e, results[SLOT(e, -16)], l->completed);
	if (e == 1)
		check_fill(v, l->next, f->number);
	atomic_fetch_add(&v->told->batches, 1);
}

static void send(struct victim *v, unsigned int e)
{
	struct lane *l = &v->lane[e];
	struct flight *f = &l->flight[l->next];
	struct it_bo more[2] = { v->results, v->filled };

	reap(v, e);
	if (v->gone)
		return;
	f->number = ++l->number;
	f->batch.bo->dw[f->value_at] = f->number;
	if (e == 1)
		f->batch.bo->dw[f->fill_at] = ~f->number;
	if (e == 0)
		spoil(v, SPOIL_FENCE, &f->batch.bo->dw[0], ATTACK_NO_SUCH_COMMAND);
	if (spoils(v, SPOIL_CONTEXT))
		it_ctx_drop(v->fd, v->ctx);
	do {
		f->fence = attack_submit(v->fd, v->ctx, attack_rings[e] | I915_EXEC_FENCE_OUT, &f->batch, more, 2);
	} while (f->fence == -EINTR);
	if (f->fence < 0)
		failed(v, "submitting to engine %u: error %d", e, f->fence);
	else if (spoils(v, SPOIL_TWICE) && l->number == 1)
		attack_submit(v->fd, v->ctx, attack_rings[e], &f->batch, more, 2);
	if (f->fence >= 0)
		l->next = (l->next + 1) % DEPTH;
}

static void check_registers(struct victim *v)
{
	int ret = attack_submit(v->fd, v->ctx, I915_EXEC_RENDER, &v->witness, &v->seen, 1);

	if (!ret)
		ret = it_bo_wait(v->witness.bo, FENCE_PATIENCE_MS * 1000000ll);
	if (ret) {
		failed(v, "reading registers: error %d", ret);
		return;
	}
	if (!v->nonpriv_known)
		memcpy(v->nonpriv, v->seen.map, sizeof(v->nonpriv));
	v->nonpriv_known = true;
	spoil(v, SPOIL_REGISTER, &v->nonpriv[FORCE_TO_NONPRIV_MAX - 1], ~v->seen.dw[FORCE_TO_NONPRIV_MAX - 1]);
	for (unsigned int i = 0; i < FORCE_TO_NONPRIV_MAX; i++)
		if (v->nonpriv[i] != v->seen.dw[i])
			wrong(v, "FORCE_TO_NONPRIV %u was %x and is %x", i, v->nonpriv[i], v->seen.dw[i]);
}

/* An object as any client makes hundreds a second. */
static void check_new(struct victim *v)
{
	static uint8_t bytes[SILENT_SIZE];
	struct drm_i915_gem_pread pread = { .size = SILENT_SIZE, .data_ptr = (uintptr_t)bytes };
	struct it_bo o;
	int ret = it_bo_make(v->fd, SILENT_SIZE, 0, &o);

	if (ret) {
		failed(v, "a new object: error %d", ret);
		return;
	}
	spoil(v, SPOIL_ZEROS, &o.dw[SILENT_SIZE / 4 - 1], 1);
	for (unsigned int i = 0; i < SILENT_SIZE / 4; i++)
		if (o.dw[i]) {
			wrong(v, "a new object has %x at %u", o.dw[i], 4 * i);
			break;
		}
	silent_fill((uint8_t *)o.map, 3);
	spoil(v, SPOIL_NEW, &o.dw[SILENT_SIZE / 4 - 1], 0);
	pread.handle = o.handle;
	ret = it_ioctl(v->fd, DRM_IOCTL_I915_GEM_PREAD, &pread);
	if (ret)
		failed(v, "pread: error %d", ret);
	else
		silent_check(v, bytes, 3, "a new object by pread");
	it_bo_drop(&o);
}

static void check_rest(struct victim *v)
{
	static uint8_t bytes[SILENT_SIZE];
	struct drm_i915_gem_pread pread = {
		.handle = v->quiet.handle, .size = SILENT_SIZE, .data_ptr = (uintptr_t)bytes
	};
	struct drm_i915_reset_stats stats = { .ctx_id = v->ctx };
	int ret;

	spoil(v, SPOIL_MAPPING, &v->silent.dw[SILENT_SIZE / 4 - 1], 0);
	spoil(v, SPOIL_PREAD, &v->quiet.dw[SILENT_SIZE / 4 - 1], 0);
	silent_check(v, (uint8_t *)v->silent.map, 1, "an object that no batch names");
	ret = it_ioctl(v->fd, DRM_IOCTL_I915_GEM_PREAD, &pread);
	if (ret)
		failed(v, "pread: error %d", ret);
	else
		silent_check(v, bytes, 2, "an object by pread");
	check_new(v);
	check_registers(v);
	ret = it_ioctl(v->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	if (ret)
		failed(v, "GET_RESET_STATS: error %d", ret);
	else if (stats.batch_active)
		failed(v, "blamed for %u hangs", stats.batch_active);
}

/* No batch has run twice but for a reset that the reset statistics tell of. */
static void judge(struct victim *v)
{
	struct drm_i915_reset_stats stats = { .ctx_id = v->ctx };
	unsigned long more = 0;

	if (it_ioctl(v->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats))
		return;
	for (unsigned int e = 0; e < ATTACK_RINGS; e++)
		more += v->results.dw[SLOT(e, -16)] - v->lane[e].completed;
	if (more > stats.batch_pending)
		wrong(v, "%lu batches ran twice, resets account for %u", more, stats.batch_pending);
	atomic_fetch_add(&v->told->again, more);
}

static void live(struct victim *v)
{
	int ret = begin(v);

	if (ret) {
		failed(v, "the victim cannot begin: error %d", ret);
		return;
	}
	spoil_blame(v);
	check_rest(v);
	atomic_store(&v->told->ready, true);
	if (spoils(v, SPOIL_BUS))
		raise(SIGBUS);
	if (spoils(v, SPOIL_DEATH))
		raise(SIGKILL);
	for (unsigned int n = 1; !v->gone && !atomic_load(&v->told->stop); n++) {
		for (unsigned int e = 0; e < ATTACK_RINGS && !v->gone; e++)
			send(v, e);
		if (!(n % CHECK_EVERY) && !v->gone)
			check_rest(v);
		spoil_rate(v);
	}
	for (unsigned int e = 0; e < ATTACK_RINGS; e++)
		for (unsigned int i = 0; i < DEPTH; i++) {
			reap(v, e);
			v->lane[e].next = (v->lane[e].next + 1) % DEPTH;
		}
	if (v->gone)
		return;
	check_rest(v);
	judge(v);
}

static void drop_all(struct victim *v)
{
	for (unsigned int e = 0; e < ATTACK_RINGS; e++)
		for (unsigned int i = 0; i < DEPTH; i++) {
			if (v->lane[e].flight[i].fence >= 0)
				close(v->lane[e].flight[i].fence);
			it_batch_drop(&v->lane[e].flight[i].batch);
		}
	it_bo_drop(&v->results);
	it_bo_drop(&v->filled);
	it_bo_drop(&v->silent);
	it_bo_drop(&v->quiet);
	it_bo_drop(&v->seen);
	it_batch_drop(&v->witness);
	close(v->fd);
}

void victim_run(struct victim_told *told)
{
	struct sigaction action = { .sa_handler = on_sigbus, .sa_flags = SA_NODEFER };
	static struct victim v;

	sigaction(SIGBUS, &action, NULL);
	while (!atomic_load(&told->stop)) {
		memset(&v, 0, sizeof(v));
		v.told = told;
		for (unsigned int e = 0; e < ATTACK_RINGS; e++)
			for (unsigned int i = 0; i < DEPTH; i++)
				v.lane[e].flight[i].fence = -1;
		v.fd = it_open_fd();
		if (v.fd < 0) {
			failed(&v, "no render node: error %d", errno);
			if (!atomic_load(&told->lenient))
				return;
			usleep(20000);
			continue;
		}
		atomic_fetch_add(&told->lives, 1);
		if (!sigsetjmp(bus_error, 1))
			live(&v);
		else
			failed(&v, "SIGBUS: a mapping has lost its memory");
		drop_all(&v);
		if (atomic_load(&told->wrong))
			return;
	}
}
