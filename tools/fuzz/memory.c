// SPDX-License-Identifier: MIT
/*
 * DOC: User memory, good and bad
 *
 * Each thread has an arena, emptied before each call, into which arguments are put: as they should be, read-only, half
 * behind the end of what is mapped, in a mapping of an object of the driver itself, or nowhere at all.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#define PAGE 0x1000u

static __thread struct thread *me;

static void fault(int number)
{
	if (me && me->guarded) {
		me->guarded = false;
		siglongjmp(me->guard, number);
	}
	/* A fault of the fuzzer's own: the parent reports how the lane ended. */
	signal(number, SIG_DFL);
	raise(number);
}

static void nothing(int number)
{
	(void)number;
}

/**
 * memory_handlers - faults in guarded accesses are survived; alarms only interrupt
 */
void memory_handlers(void)
{
	struct sigaction action = { .sa_handler = fault, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	action.sa_handler = nothing;
	action.sa_flags = 0;
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/**
 * memory_init - a lane's memory
 * @lane: the lane
 *
 * Return: whether there was any.
 */
bool memory_init(struct lane *lane)
{
	const size_t arenas = NTHREADS * (ARENA_BYTES + PAGE);
	int fd = memfd_create("arena", MFD_CLOEXEC);
	int i;

	if (fd < 0 || ftruncate(fd, arenas))
		return false;
	lane->arena = mmap(NULL, arenas, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	lane->arena_ro = mmap(NULL, arenas, PROT_READ, MAP_SHARED, fd, 0);
	lane->beyond = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, arenas);
	lane->maps = mmap(NULL, NSLOTS * MAP_SLOT_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	lane->user = mmap(NULL, USER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (lane->arena == MAP_FAILED || lane->arena_ro == MAP_FAILED || lane->beyond == MAP_FAILED ||
	    lane->maps == MAP_FAILED || lane->user == MAP_FAILED)
		return false;
	/* A page behind each thread's arena that is not there. */
	for (i = 0; i < NTHREADS; i++)
		if (mprotect(lane->arena + i * (ARENA_BYTES + PAGE) + ARENA_BYTES, PAGE, PROT_NONE))
			return false;
	close(fd);
	return true;
}

/**
 * memory_reset - unmaps what a program has mapped
 * @lane: the lane
 */
void memory_reset(struct lane *lane)
{
	int i;

	for (i = 0; i < NSLOTS; i++) {
		uint64_t addr = atomic_load(&lane->slot[K_MAP][i]);

		/* Mapped by the driver where it liked. */
		if (addr && lane->map_size[i] &&
		    (addr < (uintptr_t)lane->maps || addr >= (uintptr_t)lane->maps + NSLOTS * MAP_SLOT_BYTES))
			munmap((void *)addr, lane->map_size[i]);
		lane->map_size[i] = 0;
	}
	mmap(lane->maps, NSLOTS * MAP_SLOT_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
	     -1, 0);
	mmap(lane->user, USER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* Copies as far as it goes. */
static bool copy_guarded(struct thread *t, void *to, const void *from, size_t bytes)
{
	me = t;
	if (sigsetjmp(t->guard, 1))
		return false;
	t->guarded = true;
	memcpy(to, from, bytes);
	t->guarded = false;
	return true;
}

/**
 * touch - reads or writes memory that may not be there
 * @t: the thread
 * @addr: address
 * @bytes: how many, one access in each page
 * @write: write instead
 *
 * Return: whether all of it was there.
 */
bool touch(struct thread *t, uint64_t addr, size_t bytes, bool write)
{
	volatile uint8_t *p = (uint8_t *)(uintptr_t)addr;
	size_t i;

	me = t;
	if (sigsetjmp(t->guard, 1))
		return false;
	t->guarded = true;
	for (i = 0; i < bytes; i += PAGE) {
		if (write)
			p[i] = i >> 12;
		else
			(void)p[i];
	}
	t->guarded = false;
	return true;
}

static uint8_t *arena_of(struct thread *t)
{
	return t->lane->arena + (size_t)t->index * (ARENA_BYTES + PAGE);
}

/**
 * scratch - room in the thread's arena until its next call
 * @t: the thread
 * @bytes: how much; less when there is no more, and always readable and writable
 *
 * Return: the room.
 */
uint8_t *scratch(struct thread *t, size_t bytes)
{
	uint8_t *p;

	bytes = (bytes + 15) & ~15ull;
	if (bytes > ARENA_BYTES / 2)
		bytes = ARENA_BYTES / 2;
	if (t->arena_used + bytes > ARENA_BYTES - PAGE)
		t->arena_used = 0;
	p = arena_of(t) + t->arena_used;
	t->arena_used += bytes;
	return p;
}

/**
 * put - puts data where a call will look for it
 * @t: the thread
 * @data: the data
 * @bytes: how much, up to half of the arena
 * @where: enum where
 *
 * Return: the address to give to the kernel.
 */
uint64_t put(struct thread *t, const void *data, size_t bytes, uint64_t where)
{
	uint8_t *p;
	uint64_t addr;

	if (bytes > ARENA_BYTES / 2)
		bytes = ARENA_BYTES / 2;
	switch (where) {
	case P_NULL:
		return 0;
	case P_UNMAPPED:
		return (uintptr_t)arena_of(t) + ARENA_BYTES;
	case P_READ_ONLY:
		p = scratch(t, bytes);
		memcpy(p, data, bytes);
		return (uintptr_t)(t->lane->arena_ro + (p - t->lane->arena));
	case P_ACROSS:
		p = arena_of(t) + ARENA_BYTES - (bytes / 2 & ~3ull);
		memcpy(p, data, bytes / 2 & ~3ull);
		return (uintptr_t)p;
	case P_KERNEL:
		return 0xffff888000001000ull;
	case P_NONCANONICAL:
		return 0x800000000000ull;
	case P_WRAPS:
		return -16ull;
	case P_BEYOND_EOF:
		return (uintptr_t)t->lane->beyond;
	case P_ODD:
		p = scratch(t, bytes + 16) + 1;
		memcpy(p, data, bytes);
		return (uintptr_t)p;
	}
	if (where >= P_MAP && where < P_MAP + NSLOTS) {
		addr = atomic_load(&t->lane->slot[K_MAP][where - P_MAP]);
		if (addr) {
			copy_guarded(t, (void *)addr, data, bytes);
			return addr;
		}
	}
	p = scratch(t, bytes);
	memcpy(p, data, bytes);
	return (uintptr_t)p;
}
