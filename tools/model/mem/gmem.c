// SPDX-License-Identifier: MIT
/**
 * DOC: Guest physical memory
 *
 * QEMU hands over descriptors of its RAM with the guest addresses they appear at, again and again
 * while the firmware moves things about. Each file is mapped whole, once for reading and writing and
 * once for reading alone, and stays mapped for as long as there is room for others. The map from
 * guest addresses to files is an immutable table, sorted by address, replaced with one atomic store,
 * so engines look addresses up without a lock.
 *
 * Every access is one through a view, which begins and ends (view.c). So a table that was replaced is
 * freed, and a region that was unmapped is reported as such, when each access under way has ended or has
 * looked up its memory again: none can use them any more.
 *
 * Accesses are single loads and stores of their size, or copies a word at a time, because guest and
 * engines race here as they do on silicon. Stores release and loads acquire: what an engine wrote
 * before a breadcrumb is seen by any CPU that sees the breadcrumb.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem/mem.h"

#define MAX_FILES	32
#define MAX_REGIONS	1024

struct file {
	dev_t dev;
	ino_t ino;
	uint8_t *map[2];			/* for reading, for reading and writing; NULL: not wanted so far */
	uint64_t size;
};

struct region {
	uint64_t gpa;
	uint64_t size;
	uint8_t *ptr;
	bool read_only;
};

struct table {
	unsigned int n;
	struct region region[];			/* by address; they do not overlap */
};

struct gmem {
	struct table *now;			/* atomic */
	pthread_mutex_t lock;			/* of what follows, outside of the TLBs' locks; not for looking up */
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

static void unmap_file(struct file *f)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(f->map); i++)
		if (f->map[i])
			munmap(f->map[i], f->size);
}

void gmem_fini(struct gpu *gpu)
{
	struct gmem *g = gpu->gmem;

	if (!g)
		return;
	free(g->now);
	for (unsigned int i = 0; i < g->files; i++)
		unmap_file(&g->file[i]);
	pthread_mutex_destroy(&g->lock);
	free(g);
	gpu->gmem = NULL;
}

static bool uses(const struct table *t, const struct file *f)
{
	for (unsigned int i = 0; t && i < t->n; i++)
		for (unsigned int m = 0; m < ARRAY_SIZE(f->map); m++)
			if (f->map[m] && t->region[i].ptr >= f->map[m] &&
			    t->region[i].ptr < f->map[m] + f->size)
				return true;
	return false;
}

/* A place for one more file: a free one, or that of a file that neither the current table nor t uses. */
static struct file *file_slot(struct gmem *g, const struct table *t)
{
	if (g->files < MAX_FILES)
		return &g->file[g->files++];
	for (unsigned int i = 0; i < g->files; i++) {
		struct file *f = &g->file[i];

		if (!uses(g->now, f) && !uses(t, f)) {
			unmap_file(f);
			*f = (struct file){ 0 };
			return f;
		}
	}
	model_log("guest memory: too many files");
	return NULL;
}

/* The mapping of a region's file, made when it is new, for the table t. The descriptor is closed by the caller. */
static uint8_t *map_file(struct gmem *g, const struct table *t, int fd, bool read_only, uint64_t *size)
{
	int prot = read_only ? PROT_READ : PROT_READ | PROT_WRITE;
	struct file *f = NULL;
	struct stat st;
	void *map;

	if (fstat(fd, &st)) {
		model_log("guest memory: %s", strerror(errno));
		return NULL;
	}
	if (st.st_size <= 0) {
		model_log("guest memory: an empty file");
		return NULL;
	}
	for (unsigned int i = 0; i < g->files && !f; i++)
		if (g->file[i].ino == st.st_ino && g->file[i].dev == st.st_dev)
			f = &g->file[i];
	if (!f) {
		f = file_slot(g, t);
		if (!f)
			return NULL;
		*f = (struct file){ .dev = st.st_dev, .ino = st.st_ino, .size = (uint64_t)st.st_size };
	}
	*size = f->size;
	if (f->map[!read_only])
		return f->map[!read_only];
	map = mmap(NULL, f->size, prot, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		model_log("guest memory: cannot map %llu bytes: %s", (unsigned long long)f->size, strerror(errno));
		/* Without a mapping nothing keeps the file's number from being another file's. */
		if (!f->map[0] && !f->map[1])
			*f = (struct file){ 0 };
		return NULL;
	}
	f->map[!read_only] = map;
	return map;
}

/* Puts a region in its place in t, which has room for one more. */
static int add_region(struct gmem *g, struct table *t, const struct gmem_region *r)
{
	uint64_t file_size;
	uint8_t *map = map_file(g, t, r->fd, r->read_only, &file_size);
	unsigned int at;

	if (!map)
		return -1;
	if (!r->size || r->offset > file_size || r->size > file_size - r->offset ||
	    r->gpa > UINT64_MAX - r->size) {
		model_log("guest memory: region 0x%llx+0x%llx at 0x%llx lies outside its file",
			  (unsigned long long)r->offset, (unsigned long long)r->size,
			  (unsigned long long)r->gpa);
		return -1;
	}
	/* An aligned access of the device is an aligned one of ours. */
	if ((r->gpa ^ r->offset) & 4095) {
		model_log("guest memory: region at 0x%llx lies at 0x%llx in its file, which is aligned otherwise",
			  (unsigned long long)r->gpa, (unsigned long long)r->offset);
		return -1;
	}
	if (t->n == MAX_REGIONS) {
		model_log("guest memory: more than %d regions", MAX_REGIONS);
		return -1;
	}
	for (at = t->n; at && t->region[at - 1].gpa > r->gpa; at--)
		;
	if ((at && t->region[at - 1].gpa + t->region[at - 1].size > r->gpa) ||
	    (at < t->n && r->gpa + r->size > t->region[at].gpa)) {
		model_log("guest memory: region 0x%llx+0x%llx overlaps another one",
			  (unsigned long long)r->gpa, (unsigned long long)r->size);
		return -1;
	}
	memmove(&t->region[at + 1], &t->region[at], (t->n - at) * sizeof(t->region[0]));
	t->region[at] = (struct region){ r->gpa, r->size, map + r->offset, r->read_only };
	t->n++;
	return 0;
}

/* A table with the regions of now, or none, and room for more of them. */
static struct table *table_new(const struct table *now, unsigned int more)
{
	unsigned int n = now ? now->n : 0;
	struct table *t = calloc(1, sizeof(*t) + (n + more) * sizeof(t->region[0]));

	if (!t) {
		model_log("guest memory: no memory for its map");
		return NULL;
	}
	t->n = n;
	if (n)
		memcpy(t->region, now->region, n * sizeof(t->region[0]));
	return t;
}

/* Makes t the current table; returns when no access uses the one before, which is freed. g->lock held. */
static void publish(struct gpu *gpu, struct table *t)
{
	struct gmem *g = gpu->gmem;
	struct table *old = g->now;

	__atomic_store_n(&g->now, t, __ATOMIC_RELEASE);
	tlb_wait_all(gpu);
	free(old);
}

static void close_fds(const struct gmem_region *r, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (r[i].fd >= 0)
			close(r[i].fd);
}

/* Adds regions to the table now, or to none, and publishes the result. g->lock held. */
static int add_regions(struct gpu *gpu, const struct table *now, const struct gmem_region *regions,
		       unsigned int n)
{
	struct table *t = table_new(now, n);
	int ret = t ? 0 : -1;

	for (unsigned int i = 0; i < n && !ret; i++)
		ret = add_region(gpu->gmem, t, &regions[i]);
	if (!ret)
		publish(gpu, t);
	else
		free(t);
	return ret;
}

/**
 * gmem_set() - replaces the whole map of guest memory
 * @gpu: the device
 * @regions: guest addresses, sizes, and where in which file; the files are closed
 * @n: how many
 *
 * Any thread that holds no lock of the device; takes the map's own lock and waits for accesses under
 * way, which then are the last to use the old map.
 *
 * Return: 0, or -1 with a line in the log; then the old map stays.
 */
int gmem_set(struct gpu *gpu, const struct gmem_region *regions, unsigned int n)
{
	int ret;

	pthread_mutex_lock(&gpu->gmem->lock);
	ret = add_regions(gpu, NULL, regions, n);
	pthread_mutex_unlock(&gpu->gmem->lock);
	close_fds(regions, n);
	return ret;
}

/**
 * gmem_map() - adds one region of guest memory
 * @gpu: the device
 * @region: the region; its file is closed
 *
 * As gmem_set().
 *
 * Return: 0, or -1 with a line in the log.
 */
int gmem_map(struct gpu *gpu, const struct gmem_region *region)
{
	int ret;

	pthread_mutex_lock(&gpu->gmem->lock);
	ret = add_regions(gpu, gpu->gmem->now, region, 1);
	pthread_mutex_unlock(&gpu->gmem->lock);
	close_fds(region, 1);
	return ret;
}

/**
 * gmem_unmap() - drops the regions within a range
 * @gpu: the device
 * @gpa: first address
 * @size: bytes
 * @all: drops all regions, wherever they are
 *
 * As gmem_set(): when it returns, no engine reads or writes the memory any more.
 *
 * Return: 0, or -1 when there was no such region, or no memory for the new map.
 */
int gmem_unmap(struct gpu *gpu, uint64_t gpa, uint64_t size, bool all)
{
	struct gmem *g = gpu->gmem;
	unsigned int kept = 0;
	struct table *t;
	int ret = -1;

	pthread_mutex_lock(&g->lock);
	t = table_new(g->now, 0);
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
		publish(gpu, t);
	}
	pthread_mutex_unlock(&g->lock);
	return all && t ? 0 : ret;
}

/* The region that an address is in, or NULL. */
static const struct region *find_region(const struct table *t, uint64_t pa)
{
	unsigned int low = 0, high = t ? t->n : 0;

	/* The last one that begins at pa or before. */
	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (t->region[mid].gpa <= pa)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || pa - t->region[low - 1].gpa >= t->region[low - 1].size)
		return NULL;
	return &t->region[low - 1];
}

/**
 * gmem_ptr() - finds guest memory
 * @gpu: the device
 * @pa: guest physical address
 * @len: bytes that have to be there in one piece
 * @write: for a write
 *
 * The caller is in an access of a view, and uses the pointer no longer than that: tlb_wait_all() is what
 * the map waits for before it takes memory away. What other threads and the guest do with the memory
 * meanwhile is theirs, so it is read and written with single accesses.
 *
 * Return: where the byte at @pa is mapped, or NULL if not all of the range is memory, or it is
 * read-only and @write.
 */
void *gmem_ptr(struct gpu *gpu, uint64_t pa, uint64_t len, bool write)
{
	const struct region *r = find_region(__atomic_load_n(&gpu->gmem->now, __ATOMIC_ACQUIRE), pa);

	if (board_has(gpu, BOARD_DMA))
		return NULL;
	if (!r || len > r->size - (pa - r->gpa) || (write && r->read_only))
		return NULL;
	return r->ptr + (pa - r->gpa);
}

void gmem_count_miss(struct gpu *gpu, uint64_t pa, bool write)
{
	const struct region *r = find_region(__atomic_load_n(&gpu->gmem->now, __ATOMIC_ACQUIRE), pa);

	count("memory_misses", !write ? "reads" : r && r->read_only ? "read_only_writes" : "writes", 1);
}

/**
 * gmem_read32() - reads a dword of guest memory in one access
 * @gpu: the device
 * @pa: guest physical address; the low two bits are ignored
 * @v: what was read, all ones for a miss
 *
 * As gmem_ptr(). The read is an acquire: later reads see all that the writer of the dword wrote before it.
 *
 * Return: false when there is no memory, which is counted.
 */
bool gmem_read32(struct gpu *gpu, uint64_t pa, uint32_t *v)
{
	uint32_t *p = gmem_ptr(gpu, pa & ~3ull, 4, false);

	if (!p) {
		gmem_count_miss(gpu, pa, false);
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
	uint64_t *p = gmem_ptr(gpu, pa & ~7ull, 8, false);

	if (!p) {
		gmem_count_miss(gpu, pa, false);
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
 * As gmem_ptr(). A thread that sees the dword sees what was written before it (release).
 *
 * Return: false when there is no memory; the write is dropped and counted.
 */
bool gmem_write32(struct gpu *gpu, uint64_t pa, uint32_t v)
{
	uint32_t *p = gmem_ptr(gpu, pa & ~3ull, 4, true);

	if (!p) {
		gmem_count_miss(gpu, pa, true);
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
	uint64_t *p = gmem_ptr(gpu, pa & ~7ull, 8, true);

	if (!p) {
		gmem_count_miss(gpu, pa, true);
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
			/* What is aligned stays so. */
			do {
				uint64_t v = __atomic_load_n((const uint64_t *)s, __ATOMIC_ACQUIRE);

				memcpy(d, &v, 8);
				s += 8, d += 8, len -= 8;
			} while (len >= 8);
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
