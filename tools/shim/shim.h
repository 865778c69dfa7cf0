/* SPDX-License-Identifier: MIT */
/**
 * DOC: igen-shim: a render node in the program's own process
 *
 * A library that is preloaded into a program. It answers the program's calls for /dev/dri and for the device's files
 * below /sys, and executes what the program submits with the model of the GPU (tools/model), which is linked into it.
 *
 * ========= =====================================================================================
 * preload   the C library's functions that are replaced; all else goes on to the C library
 * nodes     the files and folders that exist only for the program
 * fds       which descriptors are the device's, a buffer's or a syncobj's
 * ioctl     from a number to a function; what DRM itself answers
 * info      GETPARAM, QUERY and REG_READ
 * gem       objects and the ioctls on them; share: flink, PRIME; mapping: what of them the program has mapped
 * context   contexts, their engines and parameters
 * syncobj   syncobjs and fences in descriptors
 * exec      EXECBUFFER2; reloc: relocations; parser: batches that the CPU checks; fence: its fences
 * vm        address spaces and page tables
 * memory    what the model takes for guest memory
 * gpu       the model: start, context images, submission, waiting
 * settings  the environment; log: messages
 * ========= =====================================================================================
 *
 * Execution is synchronous: EXECBUFFER2 returns when the engine has executed the batch. So every fence that exists is
 * signalled, and nothing is ever busy.
 *
 * Locks, outer first: shim.exec (one submission at a time, and all that the engines use), shim.lock (all other state),
 * the model's own. A system call that may block is made without shim.lock.
 */
#ifndef IGEN_SHIM_H
#define IGEN_SHIM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <drm.h>
#include <i915_drm.h>

#include "base/base.h"

#define PAGE		4096ull
#define MAX_ENGINES	NUM_ENGINES

#define round_up(v, to)	(((v) + (to) - 1) / (to) * (to))

/* What the environment asks for (settings.c). */
struct settings {
	bool verbose;			/* the model's lines go to standard error */
	bool scratch;			/* unbound addresses read as zeros, as under a kernel's driver */
	unsigned int timeout_ms;	/* of a batch */
	unsigned int memory_mb;		/* what the program finds the machine to have; 0: the machine's own */
	const char *counters;		/* file that gets the model's counters; NULL: none */
	struct config model;
	bool bad;			/* and the device cannot be opened */
};

/* A growing list of free ranges (memory.c), sorted by address. */
struct range {
	uint64_t start, size;
};

struct ranges {
	struct range *range;
	unsigned int n, room;
};

/* A file that objects lie in. After a fork parent and child share those that there are, and make new ones. */
struct arena {
	int fd;
	uint8_t *map;
	bool shared;			/* with another process: memory is not reused */
};

/* An object. Reference-counted under shim.lock. */
struct bo {
	unsigned int refs;
	unsigned int handles;		/* in all files */
	uint64_t size;
	uint64_t pa;			/* where the model sees it */
	uint8_t *cpu;			/* its memory in this process */
	struct arena *arena;		/* NULL: the program's own memory (USERPTR) */
	bool read_only;
	uint32_t tiling, stride, swizzle, caching, madv;
	uint64_t global;		/* in the global GTT; 0: it is not there */
	uint32_t name;			/* flink; 0: none */
	struct vma *vmas;		/* one an address space */
	struct bo *next, **link;	/* of all objects */
};

/* An object in an address space. */
struct vma {
	struct vm *vm;
	struct bo *bo;
	uint64_t addr, size;
	uint64_t seen;			/* execbuf that uses it */
	struct vma *next;		/* of the object */
};

/* An address space: page tables that the model walks. */
struct vm {
	unsigned int refs;
	uint64_t root;			/* of the tables, in the model's memory; 0: a directory in the GGTT */
	void *directory;		/* the table of the highest level */
	uint64_t directory_at;		/* in the GGTT */
	uint64_t size;
	struct vma **vma;		/* by address */
	unsigned int n, room;
	bool stale;			/* entries went that a TLB may hold */
};

/* What an engine needs of a context: an image, a ring. */
struct lrc {
	uint64_t ggtt, pa;		/* of the image, the page of seqnos behind it, and the ring */
	uint64_t size;
	uint8_t *cpu;
	uint64_t ring, seqno_at;	/* offsets there */
	uint32_t tail, seqno;
	bool fresh;			/* there is nothing in the image */
};

/* Where an engine begins a batch. */
struct batch {
	uint64_t addr;			/* in the program's address space */
	uint64_t copy;			/* in the global GTT, of a checked copy that runs instead; 0: there is none */
	uint64_t copy_bytes;
};

struct slot {
	int engine;			/* enum engine_id; -1: none */
	struct lrc *lrc;
};

struct context {
	unsigned int refs;
	uint32_t id;
	struct vm *vm;
	struct slot *slots;
	unsigned int num_slots;
	bool user_engines;		/* else one slot for each enum engine_id */
	bool busy;			/* has been used: engines and address space are fixed */
	bool banned;
	bool bannable, recoverable, persistent, no_error_capture;
	bool single_timeline;
	int64_t priority;
	unsigned int hangs;		/* of its batches */
};

struct syncobj {
	unsigned int refs;
	bool fence;			/* has one, which is signalled */
	uint64_t point;			/* of a timeline; 0: a binary one */
};

/* A table from handles, from 1 on, to objects of one kind. */
struct handles {
	void **entry;
	uint32_t room, hint;
};

/* An open file of the device. */
struct file {
	unsigned int refs;		/* descriptors */
	bool primary;			/* of card0 */
	struct handles bos, contexts, vms, syncobjs;	/* context n has handle n + 1 */
};

enum fd_kind { FD_NONE, FD_DEVICE, FD_BUFFER, FD_SYNCOBJ, FD_FOLDER };

struct fd_entry {
	enum fd_kind kind;
	void *object;			/* struct file, bo, syncobj, node */
};

struct shim {
	pthread_mutex_t exec, lock;
	pthread_cond_t signalled;	/* a syncobj has got a fence */
	struct settings settings;
	struct bo *bos;
	unsigned int hangs;		/* of all contexts */
};

extern struct shim shim;

/* settings.c: reads the environment; a bad value is named on standard error, and the default holds. */
void settings_read(struct settings *s);

/* log.c: a line on standard error, whatever the settings say. */
void shim_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The model's last line, for a message about a batch; log_forget() before the batch. */
void log_forget(void);
void log_last(char *text, size_t size);

/* handles.c */
int handle_add(struct handles *h, void *object, uint32_t *handle);
void *handle_get(const struct handles *h, uint32_t handle);
void *handle_remove(struct handles *h, uint32_t handle);
/* Ends the table: each object that is in it is given to @put. */
void handles_end(struct handles *h, void (*put)(void *object));

/* memory.c */
bool ranges_take(struct ranges *r, uint64_t size, uint64_t align, uint64_t *start);
void ranges_give(struct ranges *r, uint64_t start, uint64_t size);
int memory_init(void);
/* Memory for the driver's part: zeroed pages of this process alone. */
uint8_t *memory_internal(uint64_t size, uint64_t *pa);
void memory_internal_free(uint8_t *cpu, uint64_t pa, uint64_t size);
/* Memory of objects; zeroed. */
int memory_alloc(struct bo *bo);
int memory_borrow(struct bo *bo, void *ptr);
void memory_release(struct bo *bo);
void memory_forked(void);
void *memory_at(uint64_t pa);
/* Copies that survive a bad pointer of the program: 0 or -EFAULT. */
int copy_in(void *to, uint64_t from, size_t size);
int copy_out(uint64_t to, const void *from, size_t size);

/* vm.c; shim.lock held. */
struct vm *vm_new(void);
void vm_put(struct vm *vm);
struct vma *vm_find(struct vm *vm, struct bo *bo);
/* What is bound at an address, or NULL. */
struct vma *vm_at(const struct vm *vm, uint64_t addr);
#define VM_ANYWHERE	~0ull

/* Where an object is to be: at an address, or anywhere below a limit. */
struct place {
	uint64_t addr;			/* or VM_ANYWHERE */
	uint64_t size;			/* the object's, or more */
	uint64_t align, limit;		/* of a place that is to be found */
};

int vm_bind(struct vm *vm, struct bo *bo, const struct place *place, uint64_t seen, struct vma **out);
void vma_unbind(struct vma *vma);
int vm_init(void);

/* gpu.c */
int gpu_probe(void);
const struct gpu *gpu_device(void);
/* By enum engine_id; NULL for one that the platform has not. */
const struct engine_info *gpu_engine(int engine);
uint32_t gpu_register(uint32_t offset);
uint64_t gpu_clock(void);
struct lrc *lrc_new(struct vm *vm, int engine);
void lrc_free(struct lrc *lrc);
/* Executes a batch and waits for it. shim.exec held. 0, or -EIO with a line on standard error. */
int gpu_execute(struct lrc *lrc, struct vm *vm, int engine, const struct batch *batch);
/* Gen7: where stream output begins. */
void gpu_reset_stream_offsets(void);
void gpu_forked(void);
void gpu_finish(void);
int gpu_revision(void);

/* gem.c; shim.lock held for all that takes a struct bo. */
struct bo *bo_new(uint64_t size);
struct bo *bo_get(struct bo *bo);
void bo_put(struct bo *bo);
struct bo *bo_lookup(struct file *file, uint32_t handle);
int bo_handle(struct file *file, struct bo *bo, uint32_t *handle);
void bo_handle_closed(struct bo *bo);
int bo_prepare(const struct bo *bo);
void bo_unbind_global(struct bo *bo);

/* mapping.c */
int mapping_new(struct bo *bo, void *at, uint64_t offset, uint64_t size, int prot, int flags, void **out);
void mapping_gone(void *addr, size_t size);
/* By the offset that MMAP_OFFSET gave. */
struct bo *mapping_object(uint64_t offset, uint64_t *at);
uint64_t mapping_offset(const struct bo *bo);

/* info.c: what the fuses say. */
struct topology {
	unsigned int max_slices, max_subslices, max_eus;
	uint8_t slices, subslices;	/* the same subslices in each slice */
	uint8_t eus[3][4];
	unsigned int num_subslices, num_eus;
};

void topology_read(struct topology *topo);

/* context.c */
struct context *context_new(struct file *file);
struct context *context_lookup(struct file *file, uint32_t id);
void context_put(struct context *ctx);
int engine_by_class(uint16_t class, uint16_t instance);
void engine_name(int engine, uint16_t *class, uint16_t *instance);

/* syncobj.c */
struct syncobj *syncobj_lookup(struct file *file, uint32_t handle);
void syncobj_put(struct syncobj *s);
void syncobj_signal(struct syncobj *s, uint64_t point);
int fence_fd(void);
int fence_wait_fd(int fd);
int fence_ioctl(int fd, unsigned long request, void *arg);

/* fds.c */
int fd_install(enum fd_kind kind, void *object, int fd);
struct fd_entry fd_get(int fd);
void fd_duplicated(int fd, int copy);
bool fd_closing(int fd);
bool fd_is_ours(int fd);
int fd_limit(void);

/* nodes.c */
enum node_kind { NODE_FOLDER, NODE_FILE, NODE_LINK, NODE_DEVICE };

struct node {
	const char *path;
	enum node_kind kind;
	const char *target;		/* of a link */
	const void *data;		/* of a file */
	size_t size;
	bool writable;			/* what is written is forgotten */
};

void nodes_init(void);
/* ours: the path is below a folder that the shim answers for, whether it is there or not. */
const struct node *node_find(const char *path, bool follow, bool *ours, char *real, size_t size);
const struct node *node_child(const struct node *folder, unsigned int i, const char **name);

/* ioctl.c */
struct file *file_open(bool primary);
void file_close(struct file *file);
int shim_ioctl(struct file *file, unsigned long request, void *arg);

/* Ioctls: 0 or a negative error number. */
int ioctl_getparam(struct file *file, void *data);
int ioctl_query(struct file *file, void *data);
int ioctl_reg_read(struct file *file, void *data);
int ioctl_gem_create(struct file *file, void *data);
int ioctl_gem_create_ext(struct file *file, void *data);
int ioctl_gem_mmap(struct file *file, void *data);
int ioctl_gem_mmap_offset(struct file *file, void *data);
int ioctl_gem_pread(struct file *file, void *data);
int ioctl_gem_pwrite(struct file *file, void *data);
int ioctl_gem_userptr(struct file *file, void *data);
int ioctl_gem_set_tiling(struct file *file, void *data);
int ioctl_gem_get_tiling(struct file *file, void *data);
int ioctl_gem_set_caching(struct file *file, void *data);
int ioctl_gem_get_caching(struct file *file, void *data);
int ioctl_gem_set_domain(struct file *file, void *data);
int ioctl_gem_sw_finish(struct file *file, void *data);
int ioctl_gem_busy(struct file *file, void *data);
int ioctl_gem_wait(struct file *file, void *data);
int ioctl_gem_madvise(struct file *file, void *data);
int ioctl_gem_throttle(struct file *file, void *data);
int ioctl_gem_aperture(struct file *file, void *data);
int ioctl_gem_close(struct file *file, void *data);
int ioctl_gem_flink(struct file *file, void *data);
int ioctl_gem_open(struct file *file, void *data);
int ioctl_prime_export(struct file *file, void *data);
int ioctl_prime_import(struct file *file, void *data);
int ioctl_context_create(struct file *file, void *data);
int ioctl_context_destroy(struct file *file, void *data);
int ioctl_context_getparam(struct file *file, void *data);
int ioctl_context_setparam(struct file *file, void *data);
int ioctl_vm_create(struct file *file, void *data);
int ioctl_vm_destroy(struct file *file, void *data);
int ioctl_reset_stats(struct file *file, void *data);
int ioctl_execbuffer2(struct file *file, void *data);
int ioctl_syncobj_create(struct file *file, void *data);
int ioctl_syncobj_destroy(struct file *file, void *data);
int ioctl_syncobj_to_fd(struct file *file, void *data);
int ioctl_syncobj_from_fd(struct file *file, void *data);
int ioctl_syncobj_wait(struct file *file, void *data);
int ioctl_syncobj_reset(struct file *file, void *data);
int ioctl_syncobj_signal(struct file *file, void *data);
int ioctl_syncobj_timeline_wait(struct file *file, void *data);
int ioctl_syncobj_query(struct file *file, void *data);
int ioctl_syncobj_transfer(struct file *file, void *data);
int ioctl_syncobj_timeline_signal(struct file *file, void *data);

/* User extensions: calls one function each, by name. */
typedef int (*extension_fn)(uint64_t addr, void *data);
int user_extensions(uint64_t addr, const extension_fn *fns, unsigned int n, void *data);

#endif
