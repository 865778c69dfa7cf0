/* SPDX-License-Identifier: MIT */
/*
 * DOC: igen-fuzz
 *
 * A fuzzer of the driver's uAPI that runs in the guest. A program is a list of calls with typed arguments; what one
 * call makes (a handle, a context, a file) goes into a slot and later calls take it from there, so that any subset of a
 * program is a program too. Some calls only collect parts (objects, relocations, fences, extensions) for the next call
 * that wants them, which keeps the language flat: one call, one line.
 *
 *	gem_create fd=$0 new=$1 size=0x1000
 *	batch fd=$0 h=$1 kind=0x1 addr=0x100000 reg=0x2600 val=0x0 at=0x0 mut=0x0
 *	obj h=$1 flags=0x18 offset=0x200000 align=0x0 pad=0x0 ptr=0x0
 *	exec T1 ~4 @2=0xffffffff fd=$0 ctx=$0 flags=0x1 ...
 *
 * T1 hands the call to a second thread and goes on; ~4 is a way to spoil the ioctl's argument (enum spoil); @2=... puts
 * a value over a dword of it. Lanes are processes that run programs side by side; what reaches code of the driver that
 * none did before (KCOV) is kept in the corpus that all lanes share, and changed programs of it are what is run most.
 */
#ifndef _IGEN_FUZZ_H_
#define _IGEN_FUZZ_H_

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NSLOTS		8
#define MAX_ARGS	9
#define MAX_CALLS	40
#define NTHREADS	3	/* the lane's own and two to hand calls to */
#define MAX_LANES	8
#define CORPUS_MAX	4096
#define MAP_BYTES	(1u << 19)	/* edges are hashed to so many bits */
#define RECORD_BYTES	16384
#define RECORDS		24	/* last programs of a lane that can be read after a crash */

/* What a slot can hold. */
enum kind { K_FD, K_HANDLE, K_CTX, K_VM, K_SYNCOBJ, K_FILE, K_MAP, K_NAME, K_SW, NKINDS };

/* How an argument is chosen. */
enum arg_type {
	A_NEW,		/* a slot that the call fills */
	A_USE,		/* a slot's value, or a number from NSLOTS up as it is */
	A_PICK,		/* one of a list, seldom something else */
	A_FLAGS,	/* some of a list or-ed, seldom something else */
	A_NUM,		/* any number, mostly one at some boundary */
	A_SIZE,		/* bytes of an object */
	A_PTR,		/* enum where */
};

/* Where an array in user memory is. From P_MAP on: in the mapping of slot n - P_MAP. */
enum where {
	P_GOOD, P_NULL, P_UNMAPPED, P_READ_ONLY, P_ACROSS, P_KERNEL, P_NONCANONICAL, P_WRAPS, P_BEYOND_EOF, P_ODD,
	P_MAP = 16,
};

/* Ways to spoil an ioctl's argument or its number. */
enum spoil {
	S_NONE, S_NULL, S_UNMAPPED, S_READ_ONLY, S_ACROSS, S_KERNEL, S_SHORT, S_LONG, S_EMPTY, S_NO_READ, S_NO_WRITE,
	S_SIGNAL, S_MAP, NSPOILS
};

struct arg_def {
	const char *name;
	enum arg_type type;
	enum kind kind;
	const uint64_t *list;
	unsigned int count;
};

struct call {
	uint8_t op;
	uint8_t thread;
	uint8_t spoil;
	uint8_t poke_at;	/* dword + 1, or 0 */
	uint32_t poke;
	uint64_t arg[MAX_ARGS];
};

struct program {
	uint32_t count;
	struct call call[MAX_CALLS];
};

/* What collecting calls have collected. */
#define MAX_PARTS	12

struct extension {
	uint32_t what;
	uint32_t name;
	uint32_t chain;
	uint64_t p[4];
};

struct object {
	uint64_t h, flags, offset, align, pad, where;
	uint32_t first_reloc, relocs;
};

struct parts {
	uint32_t objects, relocs, fences, extensions, engines, items;
	struct object object[MAX_PARTS];
	struct { uint64_t h, delta, offset, presumed, read, write; } reloc[MAX_PARTS];
	struct { uint64_t handle, flags, point; } fence[MAX_PARTS];
	struct extension extension[MAX_PARTS];
	struct { uint64_t class, instance; } engine[MAX_PARTS];
	struct { uint64_t id, length, flags, where; } item[MAX_PARTS];
};

struct cover {
	int fd;
	uint64_t *trace;
};

/* One thread of a lane. */
struct thread {
	struct lane *lane;
	int index;
	pthread_t id;
	struct cover cover;
	struct parts parts;
	const struct call *call;
	_Atomic int busy;
	uint32_t arena_used;
	sigjmp_buf guard;
	volatile bool guarded;
};

/* A process that runs programs. */
struct lane {
	int index;
	struct shared *shared;
	struct lane_state *state;
	uint64_t random;
	struct thread thread[NTHREADS];
	_Atomic uint64_t slot[NKINDS][NSLOTS];
	uint64_t map_size[NSLOTS];
	uint8_t *arena;		/* read-write; the same memory read-only at arena_ro */
	uint8_t *arena_ro;
	uint8_t *maps;
	uint8_t *user;		/* for objects over user memory */
	uint8_t *beyond;	/* mapped, with nothing behind it */
	int record;
	int first_fd;		/* whatever is opened from here on is the program's */
	bool new_edges;
};

#define ARENA_BYTES	0x20000u	/* of each thread */
#define MAP_SLOT_BYTES	0x4000000ull
#define USER_BYTES	0x40000u

struct op_def {
	const char *name;
	unsigned int weight;
	bool collects;		/* runs in the lane's own thread */
	void (*run)(struct thread *t, const uint64_t *a);
	struct arg_def arg[MAX_ARGS + 1];
};

/* What parent and lanes share. */
struct lane_state {
	_Atomic int pid;
	_Atomic uint64_t started;	/* ns; 0 between programs */
	_Atomic uint64_t number;
	_Atomic uint32_t at;		/* call */
	uint64_t records;		/* written; of all the processes that this lane has had */
};

struct shared {
	_Atomic int stop;
	_Atomic int calm;		/* no batches that hang for now */
	_Atomic uint64_t programs, calls, edges, number;
	_Atomic uint32_t corpus_count;
	_Atomic uint32_t firsts;	/* of the corpus, that have not been run yet */
	_Atomic uint8_t ready[CORPUS_MAX];
	struct program corpus[CORPUS_MAX];
	_Atomic uint8_t edge[MAP_BYTES];
	struct lane_state lane[MAX_LANES];
	struct program replay[CORPUS_MAX];
	uint32_t replays;
};

extern const struct op_def ops[];
extern const unsigned int num_ops;

/* Returns a slot's value, or the number itself. */
static inline uint64_t use(struct thread *t, enum kind kind, uint64_t value)
{
	if (value >= NSLOTS)
		return value;
	return atomic_load(&t->lane->slot[kind][value]);
}

static inline void put_slot(struct thread *t, enum kind kind, uint64_t slot, uint64_t value)
{
	atomic_store(&t->lane->slot[kind][slot % NSLOTS], value);
}

/* memory.c: user memory, good and bad */
bool memory_init(struct lane *lane);
void memory_reset(struct lane *lane);
void memory_handlers(void);
uint64_t put(struct thread *t, const void *data, size_t bytes, uint64_t where);
uint8_t *scratch(struct thread *t, size_t bytes);
bool touch(struct thread *t, uint64_t addr, size_t bytes, bool write);

/* call.c */
int use_fd(struct thread *t, uint64_t value);
long ioctl_call(struct thread *t, int fd, unsigned long request, void *arg);

/* ops.c, ops_*.c: groups of calls, gathered in the table */
unsigned int op_find(const char *name, size_t length);
void run_batch(struct thread *t, const uint64_t *a);
void run_reloc(struct thread *t, const uint64_t *a);
void run_obj(struct thread *t, const uint64_t *a);
void run_fence(struct thread *t, const uint64_t *a);
void run_ext(struct thread *t, const uint64_t *a);
void run_eng(struct thread *t, const uint64_t *a);
void run_item(struct thread *t, const uint64_t *a);
void run_exec(struct thread *t, const uint64_t *a);
void run_ctx_create(struct thread *t, const uint64_t *a);
void run_ctx_destroy(struct thread *t, const uint64_t *a);
void run_ctx_getparam(struct thread *t, const uint64_t *a);
void run_ctx_setparam(struct thread *t, const uint64_t *a);
void run_vm_create(struct thread *t, const uint64_t *a);
void run_vm_destroy(struct thread *t, const uint64_t *a);
void run_reset_stats(struct thread *t, const uint64_t *a);
void run_query(struct thread *t, const uint64_t *a);
void run_getparam(struct thread *t, const uint64_t *a);
void run_reg_read(struct thread *t, const uint64_t *a);
void run_raw(struct thread *t, const uint64_t *a);
void run_gem_create(struct thread *t, const uint64_t *a);
void run_gem_create_ext(struct thread *t, const uint64_t *a);
void run_userptr(struct thread *t, const uint64_t *a);
void run_gem_close(struct thread *t, const uint64_t *a);
void run_rw(struct thread *t, const uint64_t *a);
void run_mmap(struct thread *t, const uint64_t *a);
void run_gem_mmap(struct thread *t, const uint64_t *a);
void run_munmap(struct thread *t, const uint64_t *a);
void run_touch(struct thread *t, const uint64_t *a);
void run_domain(struct thread *t, const uint64_t *a);
void run_caching(struct thread *t, const uint64_t *a);
void run_tiling(struct thread *t, const uint64_t *a);
void run_object(struct thread *t, const uint64_t *a);
void run_wait(struct thread *t, const uint64_t *a);
void run_madvise(struct thread *t, const uint64_t *a);
void run_flink(struct thread *t, const uint64_t *a);
void run_gem_open(struct thread *t, const uint64_t *a);
void run_export(struct thread *t, const uint64_t *a);
void run_import(struct thread *t, const uint64_t *a);
void run_dmabuf(struct thread *t, const uint64_t *a);
void run_dumb(struct thread *t, const uint64_t *a);
void run_user_change(struct thread *t, const uint64_t *a);
void run_syncobj(struct thread *t, const uint64_t *a);
void run_syncobj_wait(struct thread *t, const uint64_t *a);
void run_syncobj_fd(struct thread *t, const uint64_t *a);
void run_sw_fence(struct thread *t, const uint64_t *a);
void run_sw_inc(struct thread *t, const uint64_t *a);
void run_sync_merge(struct thread *t, const uint64_t *a);
void run_open(struct thread *t, const uint64_t *a);
void run_close(struct thread *t, const uint64_t *a);
void run_file(struct thread *t, const uint64_t *a);
void run_fork(struct thread *t, const uint64_t *a);
void run_kill(struct thread *t, const uint64_t *a);
void run_sleep(struct thread *t, const uint64_t *a);
void run_crash(struct thread *t, const uint64_t *a);

/* ops_exec.c: a chain of the extensions collected; 0 for none */
uint64_t put_extensions(struct thread *t);
uint64_t put_engines(struct thread *t, uint64_t where, uint32_t *bytes);

/* files.c: the driver's files in debugfs and sysfs, and keeping the device usable */
void files_find(void);
unsigned int files_count(void);
const char *files_name(unsigned int n);
uint64_t files_resets(void);
bool files_repair(void);

/* lang.c: programs as text */
size_t program_print(const struct program *p, char *text, size_t bytes);
const char *program_parse(struct program *p, const char *text, char *error, size_t bytes);

/* random.c: new and changed programs */
uint64_t random_next(uint64_t *state);
void program_new(struct lane *lane, struct program *p);
void program_change(struct lane *lane, struct program *p);

/* run.c */
void lane_main(struct shared *shared, int index, uint64_t seed, const char *scratch_dir, unsigned int rounds,
	       unsigned int first) __attribute__((noreturn));
uint64_t now_ns(void);

/* cover.c */
bool cover_open(struct cover *cover);
void cover_begin(struct cover *cover);
bool cover_end(struct cover *cover, struct shared *shared);

/* Whether a call that crashes the kernel on purpose may do so; --plant. */
extern bool may_crash;
extern bool no_cover;
/* Whether each ioctl's result is printed; --results. */
extern bool say_results;

#endif
