// SPDX-License-Identifier: MIT
/**
 * DOC: Descriptors
 *
 * Which of the program's descriptors are files of the device, exported objects or exported syncobjs. Behind each stands
 * a memory file of its own, so that the number is taken, poll() and fstat() work, and lseek() tells an object's size.
 * dup() and close() of the program are looked at.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu.h"

static struct fd_entry *entries;
static int room;
static _Atomic unsigned int used;	/* so that programs without any pay little */

/* Takes over the caller's reference. */
int fd_install(enum fd_kind kind, void *object, int fd)
{
	if (fd >= room) {
		int more_room = room ? room : 64;
		struct fd_entry *more;

		while (more_room <= fd)
			more_room *= 2;
		more = realloc(entries, (size_t)more_room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		memset(more + room, 0, (size_t)(more_room - room) * sizeof(*more));
		entries = more;
		room = more_room;
	}
	entries[fd] = (struct fd_entry){ kind, object };
	used++;
	return 0;
}

static void entry_put(struct fd_entry e)
{
	if (e.kind == FD_DEVICE)
		file_close(e.object);
	else if (e.kind == FD_BUFFER)
		bo_put(e.object);
	else if (e.kind == FD_SYNCOBJ)
		syncobj_put(e.object);
}

/* The entry lives as long as shim.lock is held; of a file of the device as long as the program does not close it. */
struct fd_entry fd_get(int fd)
{
	return used && fd >= 0 && fd < room ? entries[fd] : (struct fd_entry){ FD_NONE, NULL };
}

static void fd_forget(int fd)
{
	struct fd_entry e = fd_get(fd);

	if (e.kind == FD_NONE)
		return;
	entries[fd] = (struct fd_entry){ FD_NONE, NULL };
	used--;
	entry_put(e);
}

/**
 * fd_duplicated() - takes note that a descriptor is a copy of another
 * @fd: the other
 * @copy: the descriptor; what it was before is closed
 */
void fd_duplicated(int fd, int copy)
{
	struct fd_entry e;

	if (!used || copy < 0 || fd == copy)
		return;
	pthread_mutex_lock(&shim.lock);
	e = fd_get(fd);
	if (e.kind == FD_DEVICE)
		((struct file *)e.object)->refs++;
	else if (e.kind == FD_BUFFER)
		bo_get(e.object);
	else if (e.kind == FD_SYNCOBJ)
		((struct syncobj *)e.object)->refs++;
	fd_forget(copy);
	if (e.kind != FD_NONE && fd_install(e.kind, e.object, copy))
		entry_put(e);
	pthread_mutex_unlock(&shim.lock);
}

/* Before a descriptor is closed: true when it was one of ours. */
bool fd_closing(int fd)
{
	bool ours;

	if (!used)
		return false;
	/* A context that goes must not be one that runs. */
	if (fd_get(fd).kind == FD_NONE)
		return false;
	pthread_mutex_lock(&shim.exec);
	pthread_mutex_lock(&shim.lock);
	ours = fd_get(fd).kind != FD_NONE;
	fd_forget(fd);
	pthread_mutex_unlock(&shim.lock);
	pthread_mutex_unlock(&shim.exec);
	return ours;
}

/* Without a lock: a descriptor that the program uses stays what it is meanwhile. */
bool fd_is_ours(int fd)
{
	return fd_get(fd).kind != FD_NONE;
}

/* All that are ours are below. */
int fd_limit(void)
{
	return used ? room : 0;
}
