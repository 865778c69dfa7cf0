// SPDX-License-Identifier: MIT
/**
 * DOC: Guest physical memory
 *
 * QEMU hands over descriptors of its RAM with the guest addresses they appear at, again and again
 * while the firmware moves things about. Each file is mapped whole, once, and stays mapped; the map
 * from guest addresses to it is an immutable table, replaced with one atomic store, so engines look
 * addresses up without a lock. Tables repeat, so an old one is used again rather than made anew;
 * all are freed at the end.
 *
 * Accesses are single loads and stores of their size, or copies a word at a time, because guest and
 * engines race here as they do on silicon. Stores release and loads acquire: what an engine wrote
 * before a breadcrumb is seen by who sees the breadcrumb.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"

#define MAX_FILES	32
#define MAX_REGIONS	64

struct file {
	dev_t dev;
	ino_t ino;
	uint8_t *map;
	uint64_t size;
};

struct region {
	uint64_t gpa;
	uint64_t size;
	uint8_t *ptr;
};

struct table {
	struct table *next;
	unsigned int n;
	struct region region[MAX_REGIONS];
};

struct gmem {
	struct table *now;			/* atomic */
	pthread_mutex_t lock;			/* of what follows; not for looking up */
	struct table *all;
	struct file file[MAX_FILES];
	unsigned int files;
};

int gmem_init(struct gpu *gpu)
{
	struct gmem *g = calloc(1, sizeof(*g));

	if (!g)
		return -1;
	pthread_mutex_init(&g->lock, NULL);
	gpu->gmem = g;
	return 0;
}

void gmem_fini(struct gpu *gpu)
{
	struct gmem *g = gpu->gmem;
	struct table *t, *next;

	if (!g)
		return;
	for (t = g->all; t; t = next) {
		next = t->next;
		free(t);
	}
	for (unsigned int i = 0; i < g->files; i++)
		munmap(g->file[i].map, g->file[i].size);
	pthread_mutex_destroy(&g->lock);
	free(g);
	gpu->gmem = NULL;
}

/* The mapping of a region's file, made when it is new. The descriptor is closed by the caller. */
static struct file *map_file(struct gmem *g, int fd)
{
	struct file *f;
	struct stat st;
	void *map;

	if (fstat(fd, &st)) {
		model_log("guest memory: %s", strerror(errno));
		return NULL;
	}
	for (unsigned int i = 0; i < g->files; i++)
		if (g->file[i].ino == st.st_ino && g->file[i].dev == st.st_dev)
			return &g->file[i];
	if (g->files == MAX_FILES || st.st_size <= 0) {
		model_log("guest memory: %s", st.st_size <= 0 ? "an empty file" : "too many files");
		return NULL;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		model_log("guest memory: cannot map %lld bytes: %s", (long long)st.st_size,
			  strerror(errno));
		return NULL;
	}
	f = &g->file[g->files++];
	*f = (struct file){ st.st_dev, st.st_ino, map, (uint64_t)st.st_size };
	return f;
}

static int add_region(struct gmem *g, struct table *t, const struct gmem_region *r)
{
	struct file *f = map_file(g, r->fd);

	if (!f)
		return -1;
	if (!r->size || r->offset > f->size || r->size > f->size - r->offset ||
	    r->gpa > UINT64_MAX - r->size) {
		model_log("guest memory: region 0x%llx+0x%llx at 0x%llx lies outside its file",
			  (unsigned long long)r->offset, (unsigned long long)r->size,
			  (unsigned long long)r->gpa);
		return -1;
	}
	if (t->n == MAX_REGIONS) {
		model_log("guest memory: more than %d regions", MAX_REGIONS);
		return -1;
	}
	t->region[t->n++] = (struct region){ r->gpa, r->size, f->map + r->offset };
	return 0;
}

static bool same(const struct table *a, const struct table *b)
{
	if (a->n != b->n)
		return false;
	for (unsigned int i = 0; i < a->n; i++)
		if (a->region[i].gpa != b->region[i].gpa ||
		    a->region[i].size != b->region[i].size ||
		    a->region[i].ptr != b->region[i].ptr)
			return false;
	return true;
}

/* Makes t, or its equal from before, the current table. */
static void publish(struct gmem *g, struct table *t)
{
	struct table *old;

	for (old = g->all; old && !same(old, t); old = old->next)
		;
	if (old) {
		free(t);
		t = old;
	} else {
		t->next = g->all;
		g->all = t;
	}
	__atomic_store_n(&g->now, t, __ATOMIC_RELEASE);
}

static void close_fds(const struct gmem_region *r, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (r[i].fd >= 0)
			close(r[i].fd);
}

/**
 * gmem_set() - replaces the whole map of guest memory
 * @gpu: the device
 * @regions: guest addresses, sizes, and where in which file; the files are closed
 * @n: how many
 *
 * Any thread; takes the map's own lock.
 *
 * Return: 0, or -1 with a line in the log; then the old map stays.
 */
int gmem_set(struct gpu *gpu, const struct gmem_region *regions, unsigned int n)
{
	struct gmem *g = gpu->gmem;
	struct table *t = calloc(1, sizeof(*t));
	int ret = t ? 0 : -1;

	pthread_mutex_lock(&g->lock);
	for (unsigned int i = 0; i < n && !ret; i++)
		ret = add_region(g, t, &regions[i]);
	if (!ret)
		publish(g, t);
	else
		free(t);
	pthread_mutex_unlock(&g->lock);
	close_fds(regions, n);
	return ret;
}

static struct table *copy_now(struct gmem *g)
{
	struct table *t = calloc(1, sizeof(*t));
	struct table *now = __atomic_load_n(&g->now, __ATOMIC_ACQUIRE);

	if (t && now) {
		memcpy(t, now, sizeof(*t));
		t->next = NULL;
	}
	return t;
}

/**
 * gmem_map() - adds one region of guest memory
 * @gpu: the device
 * @region: the region; its file is closed
 *
 * Return: 0, or -1 with a line in the log.
 */
int gmem_map(struct gpu *gpu, const struct gmem_region *region)
{
	struct gmem *g = gpu->gmem;
	struct table *t;
	int ret = -1;

	pthread_mutex_lock(&g->lock);
	t = copy_now(g);
	if (t)
		ret = add_region(g, t, region);
	if (!ret)
		publish(g, t);
	else
		free(t);
	pthread_mutex_unlock(&g->lock);
	close_fds(region, 1);
	return ret;
}

/* Drops the regions within [gpa, gpa + size), or all; -1 when there was none. */
int gmem_unmap(struct gpu *gpu, uint64_t gpa, uint64_t size, bool all)
{
	struct gmem *g = gpu->gmem;
	unsigned int kept = 0;
	struct table *t;
	int ret = -1;

	pthread_mutex_lock(&g->lock);
	t = copy_now(g);
	for (unsigned int i = 0; t && i < t->n; i++) {
		struct region *r = &t->region[i];

		if (all || (r->gpa >= gpa && r->gpa - gpa < size &&
			    r->size <= size - (r->gpa - gpa)))
			ret = 0;
		else
			t->region[kept++] = *r;
	}
	if (t) {
		t->n = kept;
		publish(g, t);
	}
	pthread_mutex_unlock(&g->lock);
	return all && t ? 0 : ret;
}

/**
 * gmem_ptr() - finds guest memory
 * @gpu: the device
 * @pa: guest physical address
 * @len: bytes that have to be there in one piece
 *
 * Any thread, no locks. The pointer is good until the device is freed; what other threads and the
 * guest do with the memory meanwhile is theirs, so it is read and written with single accesses.
 *
 * Return: where the byte at @pa is mapped, or NULL if not all of the range is memory.
 */
void *gmem_ptr(struct gpu *gpu, uint64_t pa, uint64_t len)
{
	struct table *t = __atomic_load_n(&gpu->gmem->now, __ATOMIC_ACQUIRE);

	for (unsigned int i = 0; t && i < t->n; i++) {
		const struct region *r = &t->region[i];

		if (pa >= r->gpa && pa - r->gpa < r->size && len <= r->size - (pa - r->gpa))
			return r->ptr + (pa - r->gpa);
	}
	return NULL;
}

static void missed(bool write)
{
	count("memory_misses", write ? "writes" : "reads", 1);
}

/**
 * gmem_read32() - reads a dword of guest memory in one access
 * @gpu: the device
 * @pa: guest physical address; the low two bits are ignored
 * @v: what was read, all ones for a miss
 *
 * Any thread, no locks. What was written before the dword is seen after it (acquire).
 *
 * Return: false when there is no memory, which is counted.
 */
bool gmem_read32(struct gpu *gpu, uint64_t pa, uint32_t *v)
{
	uint32_t *p = gmem_ptr(gpu, pa & ~3ull, 4);

	if (!p) {
		missed(false);
		*v = ~0u;
		return false;
	}
	*v = __atomic_load_n(p, __ATOMIC_ACQUIRE);
	return true;
}

/**
 * gmem_read64() - reads a qword of guest memory in one access
 * @gpu: the device
 * @pa: guest physical address; the low three bits are ignored
 * @v: what was read, all ones for a miss
 *
 * As gmem_read32().
 *
 * Return: false when there is no memory, which is counted.
 */
bool gmem_read64(struct gpu *gpu, uint64_t pa, uint64_t *v)
{
	uint64_t *p = gmem_ptr(gpu, pa & ~7ull, 8);

	if (!p) {
		missed(false);
		*v = ~0ull;
		return false;
	}
	*v = __atomic_load_n(p, __ATOMIC_ACQUIRE);
	return true;
}

/**
 * gmem_write32() - writes a dword of guest memory in one access
 * @gpu: the device
 * @pa: guest physical address; the low two bits are ignored
 * @v: what to write
 *
 * Any thread, no locks. Who sees the dword sees what was written before it (release).
 *
 * Return: false when there is no memory; the write is dropped and counted.
 */
bool gmem_write32(struct gpu *gpu, uint64_t pa, uint32_t v)
{
	uint32_t *p = gmem_ptr(gpu, pa & ~3ull, 4);

	if (!p) {
		missed(true);
		return false;
	}
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
	return true;
}

/**
 * gmem_write64() - writes a qword of guest memory in one access
 * @gpu: the device
 * @pa: guest physical address; the low three bits are ignored
 * @v: what to write
 *
 * As gmem_write32().
 *
 * Return: false when there is no memory; the write is dropped and counted.
 */
bool gmem_write64(struct gpu *gpu, uint64_t pa, uint64_t v)
{
	uint64_t *p = gmem_ptr(gpu, pa & ~7ull, 8);

	if (!p) {
		missed(true);
		return false;
	}
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
	return true;
}

/*
 * Both walk the guest's side in the largest units that its alignment allows; an aligned unit does
 * not tear.
 */
void gmem_copy_from(void *dst, const void *src, size_t len)
{
	const uint8_t *s = src;
	uint8_t *d = dst;

	while (len) {
		if (((uintptr_t)s & 7) == 0 && len >= 8) {
			uint64_t v = __atomic_load_n((const uint64_t *)s, __ATOMIC_ACQUIRE);

			memcpy(d, &v, 8);
			s += 8, d += 8, len -= 8;
		} else if (((uintptr_t)s & 3) == 0 && len >= 4) {
			uint32_t v = __atomic_load_n((const uint32_t *)s, __ATOMIC_ACQUIRE);

			memcpy(d, &v, 4);
			s += 4, d += 4, len -= 4;
		} else if (((uintptr_t)s & 1) == 0 && len >= 2) {
			uint16_t v = __atomic_load_n((const uint16_t *)s, __ATOMIC_ACQUIRE);

			memcpy(d, &v, 2);
			s += 2, d += 2, len -= 2;
		} else {
			*d = __atomic_load_n(s, __ATOMIC_ACQUIRE);
			s++, d++, len--;
		}
	}
}

void gmem_copy_to(void *dst, const void *src, size_t len)
{
	const uint8_t *s = src;
	uint8_t *d = dst;

	while (len) {
		if (((uintptr_t)d & 7) == 0 && len >= 8) {
			uint64_t v;

			memcpy(&v, s, 8);
			__atomic_store_n((uint64_t *)d, v, __ATOMIC_RELEASE);
			s += 8, d += 8, len -= 8;
		} else if (((uintptr_t)d & 3) == 0 && len >= 4) {
			uint32_t v;

			memcpy(&v, s, 4);
			__atomic_store_n((uint32_t *)d, v, __ATOMIC_RELEASE);
			s += 4, d += 4, len -= 4;
		} else if (((uintptr_t)d & 1) == 0 && len >= 2) {
			uint16_t v;

			memcpy(&v, s, 2);
			__atomic_store_n((uint16_t *)d, v, __ATOMIC_RELEASE);
			s += 2, d += 2, len -= 2;
		} else {
			__atomic_store_n(d, *s, __ATOMIC_RELEASE);
			s++, d++, len--;
		}
	}
}
