/* SPDX-License-Identifier: MIT */
/**
 * DOC: The library of igen's own tests
 *
 * A test is a program against the i915 uAPI, with raw ioctls and no library between, so that it
 * runs on stock i915 and on igen alike. It prints a line a subtest, "ok NAME", "not ok NAME: why"
 * or "skip NAME: why", then "N passed, N failed, N skipped", and exits with 0 when nothing failed,
 * 1 when something did, and 77 when everything was skipped.
 *
 * Attackers (attack/) are not tests: they go on after an error. The calls that return their errors are for them.
 *
 * In a subtest it_fail(), it_expect() and it_skip() end it by a jump; the file that it_open() gave
 * is closed at the end of every subtest, and with it all objects and contexts.
 */
#ifndef IGEN_TESTS_IT_H
#define IGEN_TESTS_IT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <i915_drm.h>

#include "igen/cmd/blt.h"
#include "igen/cmd/gfx.h"
#include "igen/cmd/mi.h"
#include "igen/regs/engine.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define IT_MAX_ENGINES	8
#define IT_SKIPPED	77
#define IT_WAIT_NS (180ll * 1000 * 1000 * 1000) /* bound of every wait for a batch that must end */

struct it_engine {
	uint16_t class, instance;
	char name[16];			/* "rcs0" */
	uint32_t base;			/* its registers */
};

/* One open file of the GPU, its engines, and the next free address. */
struct it_dev {
	int fd;
	unsigned int num_engines;
	struct it_engine engine[IT_MAX_ENGINES];
	uint64_t next_address;		/* it_bo: addresses are given out upwards and never again */
	struct it_bo *bos;
	uint64_t store_flags;		/* EXEC_OBJECT_NEEDS_GTT where what batches store goes through the GGTT: Gen6 */
};

/* A buffer object, mapped write-back and snooped by the GPU, at an address of its own in every context. */
struct it_bo {
	struct it_dev *dev;		/* NULL for an object of it_bo_make() */
	int fd;
	uint32_t handle;
	uint64_t size;
	uint64_t address;
	union {
		void *map;
		uint32_t *dw;
	};
	struct it_bo *next;		/* of the device's */
};

/*
 * Subtests: it_subtest() runs fn(arg) as the subtest of that name. Names given on the command line
 * select the subtests whose names they begin, and those after a "!" take subtests away; the last that fits counts.
 */
void it_init(int argc, char **argv);
void it_subtest(void (*fn)(unsigned int arg), unsigned int arg, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int it_exit(void);
void it_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void it_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void it_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#define it_expect(cond, ...)	do { if (!(cond)) it_fail(__VA_ARGS__); } while (0)

/* The device. */
int it_open_driver(const char *driver, int minor);	/* its first node from a minor on; or -1 with errno */
int it_open_fd(void);			/* a fresh file, or -1 with errno */
void it_use_device(unsigned int number);	/* the one that it_open_fd() opens, from 0, which is the default */
struct it_dev *it_open(void);		/* in a subtest; skips it without a device */
bool it_on_igen(void);			/* or on stock i915 */
/* The engines, for a loop over subtests; 0 without a device. */
unsigned int it_engines(struct it_engine *engines, unsigned int max);
void it_close(struct it_dev *dev);
/* A call, repeated for as long as signals interrupt it: 0 or -errno. */
int it_ioctl(int fd, unsigned long request, void *arg);
int it_getparam(int fd, int param, int *value);
const char *it_class_name(unsigned int class);

/* A file of the kernel's, in one piece, as a string of less than size characters; 0 or -errno. */
int it_read_file(const char *path, char *text, size_t size);
int it_write_file(const char *path, const char *text);
/* A line of /proc/meminfo, in kB; 0 when there is none. */
unsigned long it_meminfo(const char *name);

/* A number on the command line; anything else ends the program with a word on what is wrong, and status 2. */
unsigned long it_number(const char *what, const char *text, unsigned long low, unsigned long high);

/*
 * Writes an attribute of an engine in sysfs ("heartbeat_interval_ms"), NULL for the default; false when there is none.
 */
bool it_engine_set(const char *engine, const char *attribute, const char *value);

struct it_bo *it_bo(struct it_dev *dev, uint64_t size);
void it_bo_close(struct it_bo *bo);
/* Waits; 0 or -errno. */
int it_bo_wait(const struct it_bo *bo, int64_t timeout_ns);
bool it_bo_busy(struct it_bo *bo);
/* Waits until a dword has a value, without asking the driver, which would then look after the GPU; false: in vain. */
bool it_poll(const volatile uint32_t *dw, uint32_t value);

/* Contexts; id 0 is the file's own. */
uint32_t it_ctx(struct it_dev *dev);
/* A context whose engine map is every engine, in the order of dev->engine. */
uint32_t it_ctx_engines(struct it_dev *dev);
/* A context as from it_ctx_engines(), with a priority, -1023 to 1023; above 0 is root's. */
uint32_t it_ctx_priority(struct it_dev *dev, int priority);
void it_ctx_destroy(struct it_dev *dev, uint32_t ctx);

/*
 * A batch under construction. What does not fit fails the subtest, or is left out of a batch that clips, which may have
 * no object at all.
 */
struct it_batch {
	struct it_bo *bo;
	uint32_t *dw;
	unsigned int n;
	bool clip;
	struct it_bo *state;	/* of its walker; it_run() has it present */
};

/*
 * Where a byte of a tiled object is: in tiles of 4 KB, and within them by the CPU's own bit 6 of addresses. Fails for a
 * swizzle that is not known.
 */
size_t it_tiled_offset(uint32_t tiling, uint32_t swizzle, size_t pitch, size_t x, size_t y);

struct it_batch it_batch(struct it_dev *dev, uint64_t size);
void it_emit(struct it_batch *b, uint32_t dw);
void it_emit_address(struct it_batch *b, uint64_t address);
void it_emit_store(struct it_batch *b, uint64_t address, uint32_t value);
void it_emit_store_reg(struct it_batch *b, uint64_t address, uint32_t reg);
void it_emit_load_reg(struct it_batch *b, uint32_t reg, uint32_t value);
/* Waits, preemptibly, until the dword there is not 0. */
void it_emit_gate(struct it_batch *b, uint64_t address);
void it_emit_end(struct it_batch *b);
/* Runs in circles, and can be preempted, for as long as the dword there is zero; ends the batch. */
void it_emit_circle(struct it_batch *b, uint64_t address);
#define IT_WALKER_CHANNELS 8		/* of a thread group */
#define IT_PROGRAM 0x400		/* where it_put_program() puts it */
/* A program of the execution units that ends at once. */
void it_put_program(struct it_bo *bo, unsigned int gen);
/*
 * A compute walker of so many thread groups that end at once, on a render engine of Gen9; level: the field of
 * CS_CHICKEN1 that says where it is preempted, or -1 to leave that alone. state, two pages, is written. Nothing waits
 * for its groups but it_emit_drain().
 */
void it_emit_walker(struct it_batch *b, struct it_bo *state, uint32_t groups, int level);
void it_emit_drain(struct it_batch *b);
/* Runs in circles for ever, where nothing preempts it; ends the batch. */
void it_emit_endless(struct it_batch *b);
/* Runs in circles for ever, with an arbitration point in each; ends the batch. */
void it_emit_loop(struct it_batch *b);
/* A batch that never ends and, without an arbitration point, cannot be preempted. */
struct it_batch it_spinner(struct it_dev *dev);

/*
 * Runs a batch on dev->engine[engine] of a context made by it_ctx_engines(), softpinned with the
 * given objects, which count as written. flags are EXEC_OBJECT_* for these. 0 or -errno.
 */
int it_run(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_batch *b,
	   struct it_bo **bos, unsigned int num, uint64_t flags);
/*
 * Runs a batch with one object, which need not be waited for. I915_EXEC_FENCE_* as flags: a sync file that the batch
 * starts after, or with. Returns the sync file that the batch ends with. Fails the subtest on any error.
 */
int it_run_fence(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_batch *b, struct it_bo *bo,
		 uint64_t flags, int in);
/* As it_run(), waits for the end, and fails the subtest on any error. */
void it_run_wait(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_batch *b,
		 struct it_bo **bos, unsigned int num);

/*
 * Calls for clients that go on after an error (calls.c): they return 0 or -errno. An object that was not made may be
 * dropped.
 */
int it_bo_make(int fd, uint64_t size, uint64_t address, struct it_bo *bo);
/* For a mapping through the aperture, which does not snoop: without a shared cache the GPU does not snoop, either. */
int it_bo_unsnoop(int fd, uint32_t handle);
void it_bo_drop(struct it_bo *bo);
int it_bo_create(int fd, uint64_t size, uint32_t *handle);	/* without a mapping */
void it_handle_close(int fd, uint32_t handle);
int it_ctx_make(int fd, uint32_t *ctx);
int it_ctx_drop(int fd, uint32_t ctx);
int it_ctx_param(int fd, uint32_t ctx, uint64_t param, uint64_t value);
/* A batch that clips, with an object of its own. */
int it_batch_make(int fd, uint64_t size, uint64_t address, struct it_batch *b);
void it_batch_drop(struct it_batch *b);
/* The entry of an execbuf's list for an object at its address; flags are EXEC_OBJECT_*. */
struct drm_i915_gem_exec_object2 it_exec_object(const struct it_bo *bo, uint64_t flags);

/* The error state (error.c). They fail the subtest on any error, and skip it without a file. */
int it_error_open(struct it_dev *dev, int flags);
void it_error_clear(struct it_dev *dev);
/* All of it, with a zero behind; to be freed. */
char *it_error_read(struct it_dev *dev, size_t *size);

/* Runtime suspend (sleep.c). The device sleeps when it_sleep_now() returns, until it is needed; skips without it. */
bool it_is_asleep(void);
void it_sleep_now(void);

/* vgem's card, which root loads the module for, or -1. */
int it_vgem_open(void);
/* A new buffer of vgem's, a multiple of 16 KB, as a dma-buf, and its handle there; or -errno. */
int it_vgem_buffer(int vgem, uint32_t size, uint32_t *handle);

#endif
