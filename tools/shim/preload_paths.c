// SPDX-License-Identifier: MIT
/**
 * DOC: Replaced functions: paths and folders
 *
 * stat(), readlink(), realpath(), access(), fopen(), opendir() and their like.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "preload.h"

#define DRM_MAJOR	226
#define RENDER_MINOR	128

static int fail(int err)
{
	errno = err;
	return -1;
}

static unsigned int minor_of(const struct node *node)
{
	return strstr(node->path, "card") ? 0 : RENDER_MINOR;
}

static ino_t number_of(const struct node *node)
{
	/* A hash of the path, so that each node has its own number. */
	ino_t n = 5381;

	for (const char *p = node->path; *p; p++)
		n = n * 33 + (unsigned char)*p;
	return n;
}

static void fill_device(struct stat *st, unsigned int minor)
{
	st->st_mode = S_IFCHR | 0666;
	st->st_rdev = makedev(DRM_MAJOR, minor);
	st->st_size = 0;
	st->st_blocks = 0;
}

static int fill(const struct node *node, struct stat *st)
{
	static const mode_t modes[] = {
		[NODE_FOLDER] = S_IFDIR | 0755, [NODE_FILE] = S_IFREG | 0444, [NODE_LINK] = S_IFLNK | 0777,
	};

	if (!node)
		return fail(ENOENT);
	*st = (struct stat){ .st_dev = 5, .st_ino = number_of(node), .st_nlink = 1, .st_blksize = 4096 };
	if (node->kind == NODE_DEVICE) {
		fill_device(st, minor_of(node));
	} else {
		st->st_mode = modes[node->kind];
		st->st_size = (off_t)(node->kind == NODE_LINK ? strlen(node->target) : node->size);
	}
	return 0;
}

/* A descriptor of the device is a memory file to the kernel. */
static void correct(int fd, struct stat *st)
{
	struct fd_entry e;

	if (!fd_is_ours(fd))
		return;
	pthread_mutex_lock(&shim.lock);
	e = fd_get(fd);
	if (e.kind == FD_DEVICE)
		fill_device(st, ((struct file *)e.object)->primary ? 0 : RENDER_MINOR);
	else if (e.kind == FD_FOLDER)
		fill(e.object, st);
	pthread_mutex_unlock(&shim.lock);
}

static int stat_at(int dir, const char *path, struct stat *st, int flags)
{
	bool ours;
	const struct node *node = shim_node_at(dir, path, !(flags & AT_SYMLINK_NOFOLLOW), &ours);
	int ret;

	if (ours)
		return fill(node, st);
	ret = REAL(fstatat)(dir, path, st, flags);
	if (!ret && flags & AT_EMPTY_PATH && !*path)
		correct(dir, st);
	return ret;
}

static int stat_fd(int fd, struct stat *st)
{
	int ret = REAL(fstat)(fd, st);

	if (!ret)
		correct(fd, st);
	return ret;
}

/* On this machine's kind the structures of both sizes are one. */
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "64-bit files alone");

EXPORT int stat(const char *path, struct stat *st)
{
	return stat_at(AT_FDCWD, path, st, 0);
}

EXPORT int stat64(const char *path, struct stat64 *st)
{
	return stat_at(AT_FDCWD, path, (struct stat *)st, 0);
}

EXPORT int lstat(const char *path, struct stat *st)
{
	return stat_at(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

EXPORT int lstat64(const char *path, struct stat64 *st)
{
	return stat_at(AT_FDCWD, path, (struct stat *)st, AT_SYMLINK_NOFOLLOW);
}

EXPORT int fstat(int fd, struct stat *st)
{
	return stat_fd(fd, st);
}

EXPORT int fstat64(int fd, struct stat64 *st)
{
	return stat_fd(fd, (struct stat *)st);
}

EXPORT int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return stat_at(dir, path, st, flags);
}

EXPORT int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
	return stat_at(dir, path, (struct stat *)st, flags);
}

/* What programs call that were built with an older C library. */
EXPORT int __xstat(int version, const char *path, struct stat *st);
EXPORT int __xstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return stat_at(AT_FDCWD, path, st, 0);
}

EXPORT int __xstat64(int version, const char *path, struct stat64 *st);
EXPORT int __xstat64(int version, const char *path, struct stat64 *st)
{
	(void)version;
	return stat_at(AT_FDCWD, path, (struct stat *)st, 0);
}

EXPORT int __lxstat(int version, const char *path, struct stat *st);
EXPORT int __lxstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return stat_at(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

EXPORT int __lxstat64(int version, const char *path, struct stat64 *st);
EXPORT int __lxstat64(int version, const char *path, struct stat64 *st)
{
	(void)version;
	return stat_at(AT_FDCWD, path, (struct stat *)st, AT_SYMLINK_NOFOLLOW);
}

EXPORT int __fxstat(int version, int fd, struct stat *st);
EXPORT int __fxstat(int version, int fd, struct stat *st)
{
	(void)version;
	return stat_fd(fd, st);
}

EXPORT int __fxstat64(int version, int fd, struct stat64 *st);
EXPORT int __fxstat64(int version, int fd, struct stat64 *st)
{
	(void)version;
	return stat_fd(fd, (struct stat *)st);
}

static void to_statx(const struct stat *st, struct statx *out)
{
	*out = (struct statx){
		.stx_mask = STATX_BASIC_STATS, .stx_blksize = (uint32_t)st->st_blksize, .stx_nlink = 1,
		.stx_mode = (uint16_t)st->st_mode, .stx_ino = st->st_ino, .stx_size = (uint64_t)st->st_size,
		.stx_rdev_major = major(st->st_rdev), .stx_rdev_minor = minor(st->st_rdev),
	};
}

EXPORT int statx(int dir, const char *restrict path, int flags, unsigned int mask, struct statx *restrict out)
{
	bool ours;
	const struct node *node = shim_node_at(dir, path, !(flags & AT_SYMLINK_NOFOLLOW), &ours);
	struct stat st;

	if (ours) {
		if (fill(node, &st))
			return -1;
		to_statx(&st, out);
		return 0;
	}
	if (flags & AT_EMPTY_PATH && !*path && fd_is_ours(dir)) {
		if (stat_fd(dir, &st))
			return -1;
		to_statx(&st, out);
		return 0;
	}
	return REAL(statx)(dir, path, flags, mask, out);
}

static int access_node(const struct node *node, int mode)
{
	if (!node)
		return fail(ENOENT);
	if (mode & X_OK && node->kind != NODE_FOLDER)
		return fail(EACCES);
	return mode & W_OK && node->kind != NODE_DEVICE && !node->writable ? fail(EACCES) : 0;
}

EXPORT int access(const char *path, int mode)
{
	bool ours;
	const struct node *node = shim_node(path, true, &ours);

	return ours ? access_node(node, mode) : REAL(access)(path, mode);
}

EXPORT int eaccess(const char *path, int mode)
{
	bool ours;
	const struct node *node = shim_node(path, true, &ours);

	return ours ? access_node(node, mode) : REAL(eaccess)(path, mode);
}

EXPORT int faccessat(int dir, const char *path, int mode, int flags)
{
	bool ours;
	const struct node *node = shim_node_at(dir, path, !(flags & AT_SYMLINK_NOFOLLOW), &ours);

	return ours ? access_node(node, mode) : REAL(faccessat)(dir, path, mode, flags);
}

static ssize_t link_node(const struct node *node, char *to, size_t size)
{
	size_t n;

	if (!node)
		return fail(ENOENT);
	if (node->kind != NODE_LINK)
		return fail(EINVAL);
	n = strlen(node->target);
	n = n < size ? n : size;
	memcpy(to, node->target, n);
	return (ssize_t)n;
}

EXPORT ssize_t readlink(const char *restrict path, char *restrict to, size_t size)
{
	bool ours;
	const struct node *node = shim_node(path, false, &ours);

	return ours ? link_node(node, to, size) : REAL(readlink)(path, to, size);
}

EXPORT ssize_t readlinkat(int dir, const char *restrict path, char *restrict to, size_t size)
{
	bool ours;
	const struct node *node = shim_node_at(dir, path, false, &ours);

	return ours ? link_node(node, to, size) : REAL(readlinkat)(dir, path, to, size);
}

EXPORT ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room);
EXPORT ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room)
{
	return readlink(path, to, size < room ? size : room);
}

EXPORT ssize_t __readlinkat_chk(int dir, const char *path, char *to, size_t size, size_t room);
EXPORT ssize_t __readlinkat_chk(int dir, const char *path, char *to, size_t size, size_t room)
{
	return readlinkat(dir, path, to, size < room ? size : room);
}

EXPORT char *realpath(const char *restrict path, char *restrict to)
{
	char real[PATH_MAX];
	const struct node *node = NULL;
	bool ours = false;

	if (path && path[0] == '/') {
		shim_ready();
		node = node_find(path, true, &ours, real, sizeof(real));
	}
	if (!ours)
		return REAL(realpath)(path, to);
	if (!node) {
		errno = ENOENT;
		return NULL;
	}
	return to ? strcpy(to, real) : strdup(real);
}

EXPORT char *__realpath_chk(const char *path, char *to, size_t room);
EXPORT char *__realpath_chk(const char *path, char *to, size_t room)
{
	(void)room;
	return realpath(path, to);
}

EXPORT char *canonicalize_file_name(const char *path)
{
	return realpath(path, NULL);
}

static FILE *open_stream(const struct node *node, const char *mode)
{
	int fd = shim_open(node, mode[0] == 'r' && !strchr(mode, '+') ? O_RDONLY : O_RDWR);
	FILE *f = fd < 0 ? NULL : fdopen(fd, mode);

	if (fd >= 0 && !f)
		close(fd);
	return f;
}

EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
	bool ours;
	const struct node *node = shim_node(path, true, &ours);

	return ours ? open_stream(node, mode) : REAL(fopen)(path, mode);
}

EXPORT FILE *fopen64(const char *restrict path, const char *restrict mode)
{
	bool ours;
	const struct node *node = shim_node(path, true, &ours);

	return ours ? open_stream(node, mode) : REAL(fopen64)(path, mode);
}

/* A folder that is being read. The program has a pointer to it instead of one to the C library's. */
struct folder {
	const struct node *node;
	unsigned int next;
	struct dirent entry;
	struct folder *more;		/* of those that are open */
};

_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "64-bit files alone");

static struct folder *folders;
static pthread_mutex_t folders_lock = PTHREAD_MUTEX_INITIALIZER;

static struct folder *folder_of(DIR *dir, bool take)
{
	struct folder *f = NULL;

	pthread_mutex_lock(&folders_lock);
	for (struct folder **at = &folders; *at; at = &(*at)->more)
		if ((DIR *)*at == dir) {
			f = *at;
			if (take)
				*at = f->more;
			break;
		}
	pthread_mutex_unlock(&folders_lock);
	return f;
}

EXPORT DIR *opendir(const char *path)
{
	bool ours;
	const struct node *node = shim_node(path, true, &ours);
	struct folder *f;

	if (!ours)
		return REAL(opendir)(path);
	if (!node || node->kind != NODE_FOLDER) {
		errno = node ? ENOTDIR : ENOENT;
		return NULL;
	}
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->node = node;
	pthread_mutex_lock(&folders_lock);
	f->more = folders;
	folders = f;
	pthread_mutex_unlock(&folders_lock);
	return (DIR *)f;
}

static unsigned char type_of(const struct node *node)
{
	static const unsigned char types[] = {
		[NODE_FOLDER] = DT_DIR, [NODE_FILE] = DT_REG, [NODE_LINK] = DT_LNK, [NODE_DEVICE] = DT_CHR,
	};

	return types[node->kind];
}

/* "." and ".." come first, as from the kernel. */
static struct dirent *read_folder(struct folder *f)
{
	const struct node *node = f->node;
	const char *name = f->next ? ".." : ".";

	if (f->next > 1)
		node = node_child(f->node, f->next - 2, &name);
	if (!node)
		return NULL;
	f->next++;
	f->entry = (struct dirent){ .d_ino = number_of(node), .d_off = (off_t)f->next, .d_type = type_of(node),
				    .d_reclen = sizeof(f->entry) };
	strcpy(f->entry.d_name, name);
	return &f->entry;
}

EXPORT struct dirent *readdir(DIR *dir)
{
	struct folder *f = folder_of(dir, false);

	return f ? read_folder(f) : REAL(readdir)(dir);
}

EXPORT struct dirent64 *readdir64(DIR *dir)
{
	struct folder *f = folder_of(dir, false);

	return f ? (struct dirent64 *)read_folder(f) : REAL(readdir64)(dir);
}

EXPORT void rewinddir(DIR *dir)
{
	struct folder *f = folder_of(dir, false);

	if (f)
		f->next = 0;
	else
		REAL(rewinddir)(dir);
}

EXPORT int dirfd(DIR *dir)
{
	return folder_of(dir, false) ? fail(ENOTSUP) : REAL(dirfd)(dir);
}

EXPORT int closedir(DIR *dir)
{
	struct folder *f = folder_of(dir, true);

	if (!f)
		return REAL(closedir)(dir);
	free(f);
	return 0;
}

static void list_free(struct dirent **list, int n)
{
	while (n--)
		free(list[n]);
	free(list);
}

static int scan_folder(const char *path, struct dirent ***out, int (*filter)(const struct dirent *),
		       int (*compare)(const struct dirent **, const struct dirent **))
{
	struct dirent **list = NULL, *e;
	DIR *dir = opendir(path);
	int n = 0;

	if (!dir)
		return -1;
	while ((e = readdir(dir))) {
		struct dirent **more;

		if (filter && !filter(e))
			continue;
		more = realloc(list, ((size_t)n + 1) * sizeof(*more));
		list = more ? more : list;
		if (more)
			list[n] = malloc(sizeof(*e));
		if (!more || !list[n]) {
			list_free(list, n);
			closedir(dir);
			return fail(ENOMEM);
		}
		*list[n++] = *e;
	}
	closedir(dir);
	if (n && compare)
		qsort(list, (size_t)n, sizeof(*list), (int (*)(const void *, const void *))compare);
	*out = list;
	return n;
}

EXPORT int scandir(const char *restrict path, struct dirent ***restrict list, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **))
{
	bool ours;

	shim_node(path, true, &ours);
	return ours ? scan_folder(path, list, filter, compare) : REAL(scandir)(path, list, filter, compare);
}

EXPORT int scandir64(const char *restrict path, struct dirent64 ***restrict list,
		     int (*filter)(const struct dirent64 *),
		     int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
	bool ours;

	shim_node(path, true, &ours);
	if (!ours)
		return REAL(scandir64)(path, list, filter, compare);
	return scan_folder(path, (struct dirent ***)list, (int (*)(const struct dirent *))filter,
			   (int (*)(const struct dirent **, const struct dirent **))compare);
}
