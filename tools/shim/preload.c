// SPDX-License-Identifier: MIT
/**
 * DOC: Replaced functions: descriptors and memory
 *
 * open(), close(), dup(), ioctl(), mmap() and their like. What is not the device's goes on to the C library.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/sync_file.h>

#include "preload.h"

struct shim shim = { .exec = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER };

static void fork_prepare(void)
{
	pthread_mutex_lock(&shim.exec);
	pthread_mutex_lock(&shim.lock);
}

static void fork_parent(void)
{
	memory_forked();
	pthread_mutex_unlock(&shim.lock);
	pthread_mutex_unlock(&shim.exec);
}

static void fork_child(void)
{
	memory_forked();
	gpu_forked();
	pthread_mutex_unlock(&shim.lock);
	pthread_mutex_unlock(&shim.exec);
}

static void init(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&shim.signalled, &attr);
	pthread_condattr_destroy(&attr);
	settings_read(&shim.settings);
	nodes_init();
	if (memory_init()) {
		shim_say("no room for the table of memory: the device cannot be opened");
		shim.settings.bad = true;
	}
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}

void shim_ready(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init);
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/*
 * igen-shim asks with IGEN_SHIM_CHECK whether the settings are good, before it runs a command with them. A program may
 * ask for the size of memory before it opens the device.
 */
static __attribute__((constructor)) void begin(void)
{
	bool check = is_set("IGEN_SHIM_CHECK");

	if (!check && !is_set("IGEN_SHIM_MEMORY_MB"))
		return;
	shim_ready();
	if (check && shim.settings.bad)
		_exit(2);
}

static __attribute__((destructor)) void finish(void)
{
	gpu_finish();
}

void *shim_real(void **kept, const char *name)
{
	void *real = __atomic_load_n(kept, __ATOMIC_RELAXED);

	if (!real) {
		real = dlsym(RTLD_NEXT, name);
		__atomic_store_n(kept, real, __ATOMIC_RELAXED);
	}
	return real;
}

const struct node *shim_node(const char *path, bool follow, bool *ours)
{
	char real[PATH_MAX];

	*ours = false;
	if (!path || path[0] != '/' || (strncmp(path, "/dev/", 5) && strncmp(path, "/sys/", 5)))
		return NULL;
	shim_ready();
	return node_find(path, follow, ours, real, sizeof(real));
}

const struct node *shim_node_at(int dir, const char *path, bool follow, bool *ours)
{
	char whole[PATH_MAX];
	struct fd_entry e = { FD_NONE, NULL };

	if (path && path[0] != '/' && fd_is_ours(dir)) {
		pthread_mutex_lock(&shim.lock);
		e = fd_get(dir);
		pthread_mutex_unlock(&shim.lock);
	}
	if (e.kind != FD_FOLDER)
		return shim_node(path, follow, ours);
	snprintf(whole, sizeof(whole), "%s/%s", ((const struct node *)e.object)->path, path);
	return shim_node(whole, follow, ours);
}

static int fail(int err)
{
	errno = -err;
	return -1;
}

static int open_device(const struct node *node, int flags)
{
	struct file *file;
	int fd, err;

	pthread_mutex_lock(&shim.lock);
	err = gpu_probe();
	pthread_mutex_unlock(&shim.lock);
	if (err)
		return fail(err);
	fd = memfd_create("igen-shim-device", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	if (fd < 0)
		return -1;
	pthread_mutex_lock(&shim.lock);
	file = file_open(strstr(node->path, "card"));
	err = file ? fd_install(FD_DEVICE, file, fd) : -ENOMEM;
	pthread_mutex_unlock(&shim.lock);
	if (!err)
		return fd;
	syscall(SYS_close, fd);
	return fail(err);
}

static int open_file(const struct node *node, int flags)
{
	int fd = memfd_create(strrchr(node->path, '/') + 1, flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

	if (fd < 0)
		return -1;
	if (write(fd, node->data, node->size) != (ssize_t)node->size || lseek(fd, 0, SEEK_SET)) {
		syscall(SYS_close, fd);
		return fail(-EIO);
	}
	return fd;
}

/* For openat() and its like alone: getdents() finds nothing. */
static int open_folder(const struct node *node, int flags)
{
	int err, fd = memfd_create(strrchr(node->path, '/') + 1, flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

	if (fd < 0)
		return -1;
	pthread_mutex_lock(&shim.lock);
	err = fd_install(FD_FOLDER, (void *)node, fd);
	pthread_mutex_unlock(&shim.lock);
	if (!err)
		return fd;
	syscall(SYS_close, fd);
	return fail(err);
}

int shim_open(const struct node *node, int flags)
{
	if (!node)
		return fail(-ENOENT);
	switch (node->kind) {
	case NODE_DEVICE:
		return flags & O_DIRECTORY ? fail(-ENOTDIR) : open_device(node, flags);
	case NODE_FILE:
		if ((flags & O_ACCMODE) != O_RDONLY && !node->writable)
			return fail(-EACCES);
		return flags & O_DIRECTORY ? fail(-ENOTDIR) : open_file(node, flags);
	case NODE_LINK:
		return fail(-ELOOP);
	default:
		return (flags & O_ACCMODE) == O_RDONLY ? open_folder(node, flags) : fail(-EISDIR);
	}
}

/* Offsets of files have 64 bits on this machine's kind, so a function and its variant for large files are one. */
_Static_assert(sizeof(off_t) == sizeof(off64_t), "64-bit files alone");
#define SAME(name__, as__)	__typeof(as__) name__ __attribute__((alias(#as__)))

static int open_path(const char *path, int flags, mode_t mode, int dir)
{
	bool ours;
	const struct node *node = shim_node_at(dir, path, !(flags & O_NOFOLLOW), &ours);

	return ours ? shim_open(node, flags) : REAL(openat)(dir, path, flags, mode);
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

EXPORT int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_path(path, flags, mode, AT_FDCWD);
}

EXPORT int openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_path(path, flags, mode, dir);
}

/* What programs with checks of the C library call. */
EXPORT int __open_2(const char *path, int flags);
EXPORT int __open_2(const char *path, int flags)
{
	return open_path(path, flags, 0, AT_FDCWD);
}

EXPORT int __openat_2(int dir, const char *path, int flags);
EXPORT int __openat_2(int dir, const char *path, int flags)
{
	return open_path(path, flags, 0, dir);
}

EXPORT SAME(open64, open);
EXPORT SAME(openat64, openat);
EXPORT SAME(__open64_2, __open_2);
EXPORT SAME(__openat64_2, __openat_2);

EXPORT int close(int fd)
{
	fd_closing(fd);
	return REAL(close)(fd);
}

EXPORT int close_range(unsigned int first, unsigned int last, int flags)
{
	int end = fd_limit();

	/* The flag that only marks them for exec() closes none. */
	if (!flags && first <= last)
		for (int fd = (int)first; fd >= 0 && fd < end && (unsigned int)fd <= last; fd++)
			fd_closing(fd);
	return (int)syscall(SYS_close_range, first, last, flags);
}

EXPORT void closefrom(int first)
{
	close_range((unsigned int)(first < 0 ? 0 : first), ~0u, 0);
}

EXPORT int dup(int fd)
{
	int copy = REAL(dup)(fd);

	fd_duplicated(fd, copy);
	return copy;
}

EXPORT int dup2(int fd, int to)
{
	int copy = REAL(dup2)(fd, to);

	fd_duplicated(fd, copy);
	return copy;
}

EXPORT int dup3(int fd, int to, int flags)
{
	int copy = REAL(dup3)(fd, to, flags);

	fd_duplicated(fd, copy);
	return copy;
}

EXPORT int fcntl(int fd, int command, ...)
{
	va_list args;
	void *arg;
	int ret;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	ret = REAL(fcntl)(fd, command, arg);
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		fd_duplicated(fd, ret);
	return ret;
}

EXPORT SAME(fcntl64, fcntl);

static int device_ioctl(struct file *file, unsigned long request, void *arg)
{
	int err = shim_ioctl(file, request, arg);
	bool last;

	pthread_mutex_lock(&shim.lock);
	last = file->refs == 1;
	if (!last)
		file->refs--;
	pthread_mutex_unlock(&shim.lock);
	if (last) {
		pthread_mutex_lock(&shim.exec);
		pthread_mutex_lock(&shim.lock);
		file_close(file);
		pthread_mutex_unlock(&shim.lock);
		pthread_mutex_unlock(&shim.exec);
	}
	return err;
}

/* Newer than some headers. */
struct export_sync_file {
	__u32 flags;
	__s32 fd;
};

#define NR_EXPORT_SYNC_FILE	2
#define NR_IMPORT_SYNC_FILE	3

/* An exported object is never busy. */
static int buffer_ioctl(unsigned long request, void *arg)
{
	struct export_sync_file sync;

	if (_IOC_TYPE(request) != DMA_BUF_BASE)
		return -ENOTTY;
	switch (_IOC_NR(request)) {
	case NR_EXPORT_SYNC_FILE:
		if (copy_in(&sync, (uintptr_t)arg, sizeof(sync)))
			return -EFAULT;
		sync.fd = fence_fd();
		return sync.fd < 0 ? sync.fd : copy_out((uintptr_t)arg, &sync, sizeof(sync));
	case _IOC_NR(DMA_BUF_IOCTL_SYNC):
	case _IOC_NR(DMA_BUF_SET_NAME):
	case NR_IMPORT_SYNC_FILE:
		return 0;
	default:
		return -ENOTTY;
	}
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	struct fd_entry e;
	va_list args;
	void *arg;
	int err = -ENOTTY;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	/* Some pass a number whose upper half is a sign. */
	request = (unsigned int)request;
	if (fd_is_ours(fd)) {
		pthread_mutex_lock(&shim.lock);
		e = fd_get(fd);
		if (e.kind == FD_DEVICE)
			((struct file *)e.object)->refs++;
		pthread_mutex_unlock(&shim.lock);
		if (e.kind == FD_DEVICE)
			err = device_ioctl(e.object, request, arg);
		else if (e.kind == FD_BUFFER)
			err = buffer_ioctl(request, arg);
		if (e.kind != FD_NONE)
			return err ? fail(err) : 0;
	}
	if (_IOC_TYPE(request) == '>')
		err = fence_ioctl(fd, request, arg);
	if (err != -ENOTTY)
		return err ? fail(err) : 0;
	return REAL(ioctl)(fd, request, arg);
}

EXPORT void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct fd_entry e;
	struct bo *bo = NULL;
	uint64_t in = (uint64_t)offset;
	void *addr;
	int err;

	if (flags & MAP_ANONYMOUS || !fd_is_ours(fd))
		goto real;
	pthread_mutex_lock(&shim.lock);
	e = fd_get(fd);
	if (e.kind == FD_NONE) {
		pthread_mutex_unlock(&shim.lock);
		goto real;
	}
	if (e.kind == FD_BUFFER)
		bo = e.object;
	else if (e.kind == FD_DEVICE)
		bo = mapping_object((uint64_t)offset, &in);
	err = bo ? mapping_new(bo, at, in, size, prot, flags, &addr) : -EINVAL;
	pthread_mutex_unlock(&shim.lock);
	if (!err)
		return addr;
	errno = -err;
	return MAP_FAILED;
real:
	return (void *)syscall(SYS_mmap, at, size, prot, flags, fd, offset);
}

EXPORT SAME(mmap64, mmap);

/* Noted first: afterwards another thread could have something else at the same place. */
EXPORT int munmap(void *addr, size_t size)
{
	mapping_gone(addr, size);
	return (int)syscall(SYS_munmap, addr, size);
}

/*
 * The machine's memory, which drivers derive the device's from. Programs choose their sizes by that, so the setting
 * makes the device the same on each machine.
 */
EXPORT long sysconf(int name)
{
	const unsigned long bytes = (unsigned long)shim.settings.memory_mb << 20;

	if (bytes && (name == _SC_PHYS_PAGES || name == _SC_AVPHYS_PAGES))
		return (long)(bytes / (unsigned long)REAL(sysconf)(_SC_PAGESIZE));
	return REAL(sysconf)(name);
}

EXPORT int sysinfo(struct sysinfo *info)
{
	const unsigned long bytes = (unsigned long)shim.settings.memory_mb << 20;
	int ret = REAL(sysinfo)(info);

	if (ret || !bytes)
		return ret;
	info->totalram = bytes / info->mem_unit;
	info->freeram = info->freeram < info->totalram ? info->freeram : info->totalram;
	return 0;
}
