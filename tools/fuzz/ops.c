// SPDX-License-Identifier: MIT
/*
 * DOC: The table of calls
 *
 * What there is to call, how often, and what its arguments are made of.
 */
#include <string.h>
#include <i915_drm.h>

#include "fuzz.h"

/* A value that is in a list twice is chosen twice as often. */
static const uint64_t exec_flags[] = {
	0, 1, 2, 3, 4, 5, I915_EXEC_NO_RELOC, I915_EXEC_HANDLE_LUT, I915_EXEC_BATCH_FIRST, I915_EXEC_FENCE_IN,
	I915_EXEC_FENCE_OUT, I915_EXEC_FENCE_SUBMIT, I915_EXEC_FENCE_ARRAY, I915_EXEC_USE_EXTENSIONS,
	I915_EXEC_IS_PINNED, I915_EXEC_SECURE, 1 << 13, 2 << 13, 3 << 13
};
static const uint64_t object_flags[] = {
	EXEC_OBJECT_WRITE, EXEC_OBJECT_PINNED, EXEC_OBJECT_PINNED, EXEC_OBJECT_SUPPORTS_48B_ADDRESS, EXEC_OBJECT_ASYNC,
	EXEC_OBJECT_PAD_TO_SIZE, EXEC_OBJECT_CAPTURE, EXEC_OBJECT_NEEDS_FENCE, EXEC_OBJECT_NEEDS_GTT, 1 << 9, 0
};
static const uint64_t addresses[] = {
	0, 0x100000, 0x200000, 0x300000, 0x101000, 0x102000, 0x1000, 0xfffff000, 0x100000000, 0xffffffff000,
	0x7ffffffff000, 0xffff800000000000, 0xfffffffffffff000, 0x1000000000000, 0x40000000, 0x100, 0x200, 0x100008
};
static const uint64_t alignments[] = { 0, 0x1000, 0x10000, 0x200000, 0x40000000, 3, 1ull << 47, 1ull << 63 };
static const uint64_t kinds[] = {
	1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 8, 8, 8, 9, 9, 9, 10, 10, 10, 11, 12, 13, 14, 16,
	0, 0, 0, 15, 17, 18, 19, 20, 21
};
static const uint64_t registers[] = {
	0x2600, 0x2604, 0x22600, 0x12600, 0x1a600, 0x2358, 0x22200, 0x2080, 0x7000, 0x20d8, 0x4090, 0x5200, 0x2030,
	0x2244
};
static const uint64_t offsets[] = { 0, 4, 8, 16, 64, 0xff8, 0xffc, 0x1000, 0x1ff8, 0x2000, 7, 0xffffffffffffffff };
static const uint64_t fence_flags[] = { 1, 2, 3, 0, 4, 8 };
static const uint64_t small[] = { 1, 2, 3, 0, 4, 7, 8, 63, 64, 0xffff, 0x80000000, 0xffffffff };
static const uint64_t params[] = { 1, 3, 4, 5, 6, 7, 8, 9, 9, 10, 10, 10, 11, 12, 13, 2, 0, 14 };
static const uint64_t values[] = {
	0, 1, 2, 8, 1023, 0xfffffffffffffc01, 1024, 0xfffffffffffffc00, 500, 0x1000, 0x4000, 0x80000, 0xffffffff,
	0x8000000000000000, 0xffffffffffffffff
};
static const uint64_t classes[] = { 0, 1, 2, 3, 4, 0xffff };
static const uint64_t instances[] = { 0, 1, 0xfffe, 0xffff };
static const uint64_t domains[] = { 0, 1, 0x40, 0x80, 2, 0x41, 0xc1, 0x100 };
static const uint64_t map_kinds[] = { 0, 1, 2, 3, 4, 5, 6 };
static const uint64_t prots[] = { 3, 3, 1, 2, 7, 11, 15, 0 };
static const uint64_t timeouts[] = { 0, 1000, 1000000, 20000000, 0xffffffffffffffff, 1, 0x7fffffffffffffff };
static const uint64_t strides[] = { 0, 128, 512, 1024, 4096, 0x40000, 64, 100, 0xffffffff };
static const uint64_t userptr_flags[] = { 0, 1, 2, 0x80000000, 4 };
static const uint64_t wheres[] = { 0, 16, 17, 18, 2, 3, 9, 5, 8 };
static const uint64_t nothing[] = { 0 };
static const uint64_t bad_chains[] = { 0, 1, 2, 3, 4, 8 + P_READ_ONLY, 8 + P_ACROSS, 8 + P_UNMAPPED, 8 + P_MAP };
static const uint64_t syncobj_flags[] = { 0, 1, 2, 4, 3, 8 };
static const uint64_t queries[] = { 1, 2, 3, 4, 5, 6, 7, 8, 0, 0xffffffffffffffff };
static const uint64_t lengths[] = { 1, 1, 1, 0, 8, 16, 100, 200, 1024, 0x7fffffff, 0xffffffffffffffff };
static const uint64_t times[] = { 0, 10, 100, 1000, 5000, 19999 };
static const uint64_t sizes[] = { 0x1000, 0x2000, 0x3000, 0x10000, 0x40000, 0x1000, 0, 1, 0x1001, 0x200000 };
static const uint64_t bits[] = { 1, 2, 4, 8, 16, 0 };
static const uint64_t touches[] = { 0, 1, 0, 1, 2, 3 };
static const uint64_t opens[] = { 0, 1, 2, 4, 3 };
static const uint64_t regs_read[] = { 0x2358, 0x2359, 0x2360, 0, 0x2350, 1 };

#define COUNT(l)	(sizeof(l) / sizeof((l)[0]))
#define NEW(n, k)	{ #n, A_NEW, K_##k, NULL, 0 }
#define USE(n, k)	{ #n, A_USE, K_##k, NULL, 0 }
#define PICK(n, l)	{ #n, A_PICK, 0, l, COUNT(l) }
#define FLAGS(n, l)	{ #n, A_FLAGS, 0, l, COUNT(l) }
#define NUM(n)		{ #n, A_NUM, 0, NULL, 0 }
#define SIZE(n)		{ #n, A_SIZE, 0, NULL, 0 }
#define PTR(n)		{ #n, A_PTR, 0, NULL, 0 }
#define FD		USE(fd, FD)
#define H		USE(h, HANDLE)
#define CTX		USE(ctx, CTX)

const struct op_def ops[] = {
	{ "gem_create", 14, false, run_gem_create, { FD, NEW(new, HANDLE), SIZE(size) } },
	{ "gem_create_ext", 4, false, run_gem_create_ext, { FD, NEW(new, HANDLE), SIZE(size), FLAGS(flags, bits) } },
	{ "userptr", 8, false, run_userptr,
	  { FD, NEW(new, HANDLE), PICK(where, wheres), NUM(offset), PICK(size, sizes), PICK(flags, userptr_flags) } },
	{ "gem_close", 10, false, run_gem_close, { FD, H } },
	{ "rw", 12, false, run_rw, { FD, H, PICK(offset, offsets), SIZE(size), PTR(ptr), PICK(write, bits) } },
	{ "mmap", 14, false, run_mmap,
	  { FD, H, NEW(new, MAP), PICK(kind, map_kinds), SIZE(size), PICK(offset, offsets), PICK(prot, prots) } },
	{ "gem_mmap", 6, false, run_gem_mmap,
	  { FD, H, NEW(new, MAP), SIZE(size), PICK(offset, offsets), PICK(flags, bits) } },
	{ "munmap", 6, false, run_munmap, { USE(map, MAP), NUM(how) } },
	{ "touch", 12, false, run_touch, { USE(map, MAP), PICK(at, offsets), SIZE(size), PICK(write, touches) } },
	{ "domain", 10, false, run_domain, { FD, H, PICK(read, domains), PICK(write, domains) } },
	{ "caching", 6, false, run_caching, { FD, H, PICK(level, small) } },
	{ "tiling", 8, false, run_tiling, { FD, H, PICK(mode, small), PICK(stride, strides) } },
	{ "object", 10, false, run_object, { FD, H, NUM(what) } },
	{ "wait", 8, false, run_wait, { FD, H, PICK(timeout, timeouts), PICK(flags, bits) } },
	{ "madvise", 8, false, run_madvise, { FD, H, PICK(advice, small) } },
	{ "flink", 4, false, run_flink, { FD, H, NEW(new, NAME) } },
	{ "gem_open", 4, false, run_gem_open, { FD, USE(name, NAME), NEW(new, HANDLE) } },
	{ "export", 6, false, run_export, { FD, H, NEW(new, FILE), PICK(flags, small) } },
	{ "import", 6, false, run_import, { FD, USE(file, FILE), NEW(new, HANDLE) } },
	{ "dmabuf", 6, false, run_dmabuf,
	  { USE(file, FILE), NEW(new, FILE), NUM(how), SIZE(size), PICK(flags, small) } },
	{ "dumb", 2, false, run_dumb,
	  { FD, NEW(new, HANDLE), PICK(width, strides), PICK(height, small), PICK(bpp, lengths) } },
	{ "user_change", 8, false, run_user_change, { NUM(offset), PICK(size, sizes), NUM(how) } },

	{ "batch", 16, false, run_batch,
	  { FD, H, PICK(kind, kinds), PICK(addr, addresses), PICK(reg, registers), NUM(val), PICK(at, offsets),
	    NUM(mut) } },
	{ "reloc", 8, true, run_reloc,
	  { H, PICK(delta, offsets), PICK(offset, offsets), PICK(presumed, addresses), PICK(read, domains),
	    PICK(write, domains) } },
	{ "obj", 20, true, run_obj,
	  { H, FLAGS(flags, object_flags), PICK(offset, addresses), PICK(align, alignments), SIZE(pad), PTR(ptr) } },
	{ "fence", 8, true, run_fence, { USE(s, SYNCOBJ), PICK(flags, fence_flags), PICK(point, small) } },
	{ "ext", 6, true, run_ext,
	  { PICK(what, small), PICK(name, small), PICK(chain, bad_chains), PICK(p0, params), PICK(p1, values),
	    PICK(p2, small), PTR(p3) } },
	{ "eng", 8, true, run_eng, { PICK(class, classes), PICK(instance, instances) } },
	{ "item", 6, true, run_item, { PICK(id, queries), PICK(length, lengths), PICK(flags, small), PTR(ptr) } },
	{ "exec", 30, false, run_exec,
	  { FD, CTX, FLAGS(flags, exec_flags), PICK(start, offsets), PICK(len, offsets), USE(in, FILE), NEW(new, FILE),
	    PTR(ptr) } },

	{ "ctx_create", 10, false, run_ctx_create, { FD, NEW(new, CTX), FLAGS(flags, bits) } },
	{ "ctx_destroy", 6, false, run_ctx_destroy, { FD, CTX } },
	{ "ctx_getparam", 8, false, run_ctx_getparam,
	  { FD, CTX, PICK(param, params), PICK(size, lengths), PTR(ptr), NEW(new, VM) } },
	{ "ctx_setparam", 10, false, run_ctx_setparam,
	  { FD, CTX, PICK(param, params), PICK(size, nothing), PICK(value, values), USE(vm, VM), PTR(ptr) } },
	{ "vm_create", 4, false, run_vm_create, { FD, NEW(new, VM), FLAGS(flags, bits) } },
	{ "vm_destroy", 4, false, run_vm_destroy, { FD, USE(vm, VM), FLAGS(flags, bits) } },
	{ "reset_stats", 2, false, run_reset_stats, { FD, CTX, PICK(flags, bits) } },
	{ "query", 4, false, run_query, { FD, PICK(count, nothing), PTR(ptr) } },
	{ "getparam", 3, false, run_getparam, { FD, NUM(param), PTR(ptr) } },
	{ "reg_read", 3, false, run_reg_read, { FD, PICK(reg, regs_read) } },
	{ "raw", 4, false, run_raw, { FD, NUM(nr), NUM(size), NUM(dir), NUM(w0), NUM(w1), NUM(w2) } },

	{ "syncobj", 10, false, run_syncobj,
	  { FD, USE(s, SYNCOBJ), NEW(new, SYNCOBJ), NUM(what), PICK(flags, syncobj_flags), PICK(point, small) } },
	{ "syncobj_wait", 4, false, run_syncobj_wait,
	  { FD, USE(s, SYNCOBJ), PICK(flags, syncobj_flags), PICK(point, small), PICK(us, times) } },
	{ "syncobj_fd", 4, false, run_syncobj_fd, { FD, USE(s, SYNCOBJ), USE(file, FILE), NUM(what) } },
	{ "sw_fence", 4, false, run_sw_fence, { USE(sw, SW), NEW(new, FILE), PICK(value, small) } },
	{ "sw_inc", 4, false, run_sw_inc, { USE(sw, SW), PICK(steps, small) } },
	{ "sync_merge", 3, false, run_sync_merge, { USE(file, FILE), USE(with, FILE), NEW(new, FILE) } },
	{ "open", 6, false, run_open, { NEW(new, FD), PICK(how, opens) } },
	{ "close", 5, false, run_close, { FD, USE(file, FILE), NUM(what) } },
	{ "file", 5, false, run_file, { NUM(n), NUM(text), NUM(size) } },
	{ "fork", 1, false, run_fork, { FD, H, NUM(how) } },
	{ "kill", 1, false, run_kill, { NUM(us) } },
	{ "sleep", 3, false, run_sleep, { PICK(us, times) } },
	{ "crash", 0, false, run_crash, { H, CTX } },
};

const unsigned int num_ops = sizeof(ops) / sizeof(ops[0]);

/**
 * op_find - a call by its name
 * @name: the name, not ended
 * @length: of it
 *
 * Return: its place in the table, or num_ops.
 */
unsigned int op_find(const char *name, size_t length)
{
	unsigned int i;

	for (i = 0; i < num_ops; i++)
		if (strlen(ops[i].name) == length && !memcmp(ops[i].name, name, length))
			break;
	return i;
}
