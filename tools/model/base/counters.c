// SPDX-License-Identifier: MIT
/**
 * DOC: Counters
 *
 * The model's figures do not depend on the speed of the machine, so performance is
 * judged by them. A counter is a group and a name and appears when it is first counted; accesses to
 * registers have an array of their own. The dump is JSON; README.md has its schema. A group "a.b"
 * becomes an object b within an object a.
 *
 * The model chooses groups, but a guest can choose names: an opcode, a register. So a group has at most NAMES_MAX
 * names, and all further names count as "other".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

#define HASH_SIZE	4096u			/* at first; a power of two */
#define NAMES_MAX	1024u			/* of a group; what comes later is counted as OTHER */
#define OTHER		"other"
#define MMIO_REGS	(MMIO_SIZE / 4)

struct group {
	struct group *next;
	unsigned int names;
	char name[];
};

struct counter {
	struct counter *next;			/* in the hash chain */
	uint32_t hash;
	struct group *group;
	char *name;
	atomic_uint_fast64_t n;
	atomic_uint_fast64_t *_Atomic own[NUM_ENGINES];	/* parts that one engine's thread counts; NULL: none */
};

const char *counters_platform = "";

static pthread_mutex_t counters_lock = PTHREAD_MUTEX_INITIALIZER;
static struct counter **hash;
static unsigned int hash_size;			/* a power of two; 0 before the first counter */
static unsigned int num_counters;
static struct group *all_groups;

/* Reads, then writes. */
static atomic_uint_fast64_t mmio_count[2][MMIO_REGS];
static atomic_uint_fast64_t mmio_missed[2][MMIO_REGS];

/* Groups that are in every dump, even when empty, so that a reader need not ask whether they exist. */
static const char *const groups[] = {
	"aperture", "asleep_accesses", "commands", "context_switches", "elsp_writes",
	"engine_unimplemented_registers", "faults_injected", "forcewake_missing", "ggtt_pte",
	"interrupts", "memory_misses", "page_faults", "resets", "stray_accesses",
	"tlb_invalidations", "tlb_misses", "undefined_state",
	"unknown_opcodes",
};

static uint32_t hash_of(const char *group, const char *name)
{
	uint32_t h = 2166136261u;

	for (; *group; group++)
		h = (h ^ (uint8_t)*group) * 16777619u;
	h = (h ^ '/') * 16777619u;
	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 16777619u;
	return h;
}

/* counters_lock held, as for all that follow up to counter_get(). */
static struct counter *find(const char *group, const char *name)
{
	uint32_t h = hash_of(group, name);
	struct counter *c;

	for (c = hash_size ? hash[h & (hash_size - 1)] : NULL; c; c = c->next)
		if (c->hash == h && !strcmp(c->name, name) && !strcmp(c->group->name, group))
			return c;
	return NULL;
}

static uint64_t total_of(const struct counter *c)
{
	uint64_t total = atomic_load_explicit(&c->n, memory_order_relaxed);

	for (unsigned int i = 0; i < NUM_ENGINES; i++) {
		atomic_uint_fast64_t *own = atomic_load_explicit(&c->own[i], memory_order_acquire);

		if (own)
			total += atomic_load_explicit(own, memory_order_relaxed);
	}
	return total;
}

static struct group *find_or_add_group(const char *name)
{
	struct group *g;

	for (g = all_groups; g; g = g->next)
		if (!strcmp(g->name, name))
			return g;
	g = calloc(1, sizeof(*g) + strlen(name) + 1);
	if (!g)
		model_die("no memory for the counters of %s", name);
	strcpy(g->name, name);
	g->next = all_groups;
	all_groups = g;
	return g;
}

/* Doubles the table when there are as many counters as chains. */
static void grow(void)
{
	unsigned int size = hash_size ? 2 * hash_size : HASH_SIZE;
	struct counter **to;

	if (num_counters < hash_size)
		return;
	to = calloc(size, sizeof(*to));
	if (!to)
		model_die("no memory for %u counters", size);
	for (unsigned int h = 0; h < hash_size; h++) {
		struct counter *c, *next;

		for (c = hash[h]; c; c = next) {
			next = c->next;
			c->next = to[c->hash & (size - 1)];
			to[c->hash & (size - 1)] = c;
		}
	}
	free(hash);
	hash = to;
	hash_size = size;
}

static struct counter *find_or_add(const char *group, const char *name)
{
	struct counter *c = find(group, name);
	struct counter **head;
	struct group *g;

	if (c)
		return c;
	g = find_or_add_group(group);
	if (g->names >= NAMES_MAX) {
		name = OTHER;
		c = find(group, name);
		if (c)
			return c;
	}
	grow();
	c = calloc(1, sizeof(*c));
	if (c)
		c->name = strdup(name);
	if (!c || !c->name)
		model_die("no memory for counter %s/%s", group, name);
	c->group = g;
	c->hash = hash_of(group, name);
	head = &hash[c->hash & (hash_size - 1)];
	c->next = *head;
	*head = c;
	g->names++;
	num_counters++;
	return c;
}

/**
 * counter_get() - finds a counter, for code that counts often
 * @group: as for count()
 * @name: as for count()
 *
 * Return: the counter, good for ever; add to it with a relaxed atomic.
 */
atomic_uint_fast64_t *counter_get(const char *group, const char *name)
{
	struct counter *c;

	pthread_mutex_lock(&counters_lock);
	c = find_or_add(group, name);
	pthread_mutex_unlock(&counters_lock);
	return &c->n;
}

/**
 * counter_own() - finds the part of a counter that one engine's thread counts
 * @group: as for count()
 * @name: as for count()
 * @id: the engine; its thread alone adds to the part
 *
 * For what is counted with each command: counter_add() is a load and a store, where a counter that all
 * threads share needs a locked operation.
 *
 * Return: the part, good for ever.
 */
atomic_uint_fast64_t *counter_own(const char *group, const char *name, enum engine_id id)
{
	const size_t line = 64;		/* of a cache, which no other thread shall write */
	atomic_uint_fast64_t *own;
	struct counter *c;

	pthread_mutex_lock(&counters_lock);
	c = find_or_add(group, name);
	own = atomic_load_explicit(&c->own[id], memory_order_relaxed);
	if (!own) {
		own = aligned_alloc(line, line);
		if (!own)
			model_die("no memory for counter %s/%s", group, name);
		memset(own, 0, line);
		atomic_store_explicit(&c->own[id], own, memory_order_release);
	}
	pthread_mutex_unlock(&counters_lock);
	return own;
}

/**
 * count() - counts
 * @group: group in the dump; "a.b" is an object b within an object a
 * @name: name within the group, not empty
 * @n: how much to add
 *
 * Any thread; takes a leaf lock. A counter appears when it is counted first. A new name in a group that is full is
 * counted under "other".
 */
void count(const char *group, const char *name, uint64_t n)
{
	atomic_fetch_add_explicit(counter_get(group, name), n, memory_order_relaxed);
}

/* What a counter stands at; 0 for one that was never counted. */
uint64_t counter_value(const char *group, const char *name)
{
	struct counter *c;

	pthread_mutex_lock(&counters_lock);
	c = find(group, name);
	pthread_mutex_unlock(&counters_lock);
	return c ? total_of(c) : 0;
}

/**
 * count_mmio() - counts an access of the CPU to a register
 * @offset: in BAR 0, bytes
 * @write: a write
 * @implemented: some block knows the register
 *
 * Any thread, no locks.
 */
void count_mmio(uint32_t offset, bool write, bool implemented)
{
	uint32_t i = offset / 4;

	if (i >= MMIO_REGS)
		i = MMIO_REGS - 1;
	atomic_fetch_add_explicit(&mmio_count[write][i], 1, memory_order_relaxed);
	if (!implemented)
		atomic_fetch_add_explicit(&mmio_missed[write][i], 1, memory_order_relaxed);
}

static void put_string(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			fprintf(out, "\\u%04x", (unsigned char)*s);
		else
			fputc(*s, out);
	}
	fputc('"', out);
}

static void put_mmio(FILE *out, const char *key, bool write)
{
	uint64_t total = 0;
	bool first = true;

	fprintf(out, "  \"%s\": {\n    \"registers\": {", key);
	for (uint32_t i = 0; i < MMIO_REGS; i++) {
		uint64_t n = atomic_load_explicit(&mmio_count[write][i], memory_order_relaxed);

		if (!n)
			continue;
		total += n;
		fprintf(out, "%s\n      \"0x%x\": %llu", first ? "" : ",", i * 4,
			(unsigned long long)n);
		first = false;
	}
	fprintf(out, "%s},\n    \"total\": %llu\n  },\n", first ? "" : "\n    ",
		(unsigned long long)total);
}

static void put_unimplemented(FILE *out)
{
	bool first = true;

	fputs("  \"unimplemented_registers\": {", out);
	for (uint32_t i = 0; i < MMIO_REGS; i++) {
		uint64_t r = atomic_load_explicit(&mmio_missed[0][i], memory_order_relaxed);
		uint64_t w = atomic_load_explicit(&mmio_missed[1][i], memory_order_relaxed);

		if (!r && !w)
			continue;
		fprintf(out, "%s\n    \"0x%x\": {\"reads\": %llu, \"writes\": %llu}",
			first ? "" : ",", i * 4, (unsigned long long)r, (unsigned long long)w);
		first = false;
	}
	fprintf(out, "%s}", first ? "" : "\n  ");
}

static int by_name(const void *a, const void *b)
{
	const struct counter *x = *(struct counter *const *)a;
	const struct counter *y = *(struct counter *const *)b;
	int r = strcmp(x->group->name, y->group->name);

	return r ? r : strcmp(x->name, y->name);
}

/*
 * All counters in the order of their groups, with one empty entry for each group that must appear. Counters are never
 * freed and their names never change, so the lock is held no longer than it takes to copy the pointers.
 */
static struct counter **sorted(unsigned int *n)
{
	struct counter **all;
	unsigned int i = 0;

	pthread_mutex_lock(&counters_lock);
	for (unsigned int g = 0; g < ARRAY_SIZE(groups); g++)
		find_or_add(groups[g], "");
	all = calloc(num_counters, sizeof(*all));
	for (unsigned int h = 0; all && h < hash_size; h++)
		for (struct counter *c = hash[h]; c; c = c->next)
			all[i++] = c;
	pthread_mutex_unlock(&counters_lock);
	if (!all)
		return NULL;
	qsort(all, i, sizeof(*all), by_name);
	*n = i;
	return all;
}

/* Length of what stands before the dot of a nested group, 0 for a plain one. */
static size_t outer_len(const char *group)
{
	const char *dot = strchr(group, '.');

	return dot ? (size_t)(dot - group) : 0;
}

static void put_groups(FILE *out, struct counter **all, unsigned int n)
{
	const char *outer = NULL;

	for (unsigned int i = 0; i < n; ) {
		const char *group = all[i]->group->name;
		size_t len = outer_len(group);
		const char *indent = len ? "    " : "  ";
		uint64_t total = 0;
		bool first = true;

		if (outer && !(len == outer_len(outer) && !strncmp(group, outer, len))) {
			fputs("\n  }", out);
			outer = NULL;
		} else if (outer) {
			fputs(",", out);
		}
		if (!outer)
			fputs(",\n", out);
		else
			fputs("\n", out);
		if (len && !outer) {
			fprintf(out, "  \"%.*s\": {\n", (int)len, group);
			outer = group;
		}
		fputs(indent, out);
		put_string(out, len ? group + len + 1 : group);
		fputs(": {", out);
		for (; i < n && !strcmp(all[i]->group->name, group); i++) {
			uint64_t v = total_of(all[i]);

			if (!all[i]->name[0])
				continue;
			total += v;
			fprintf(out, "%s\n%s  ", first ? "" : ",", indent);
			put_string(out, all[i]->name);
			fprintf(out, ": %llu", (unsigned long long)v);
			first = false;
		}
		if (!len)
			fprintf(out, "%s\n%s  \"total\": %llu", first ? "" : ",", indent,
				(unsigned long long)total);
		fprintf(out, "\n%s}", indent);
	}
	if (outer)
		fputs("\n  }", out);
}

/* Writes the dump; 0, or -1 with errno. */
int counters_write(FILE *out)
{
	struct counter **all;
	unsigned int n;

	distributions_to_counters();
	fprintf(out, "{\n  \"schema\": 1,\n  \"platform\": ");
	put_string(out, counters_platform);
	fputs(",\n", out);
	put_mmio(out, "mmio_reads", false);
	put_mmio(out, "mmio_writes", true);
	put_unimplemented(out);
	all = sorted(&n);
	if (all)
		put_groups(out, all, n);
	free(all);
	fputs("\n}\n", out);
	if (!all)
		errno = ENOMEM;
	return !all || ferror(out) ? -1 : 0;
}

/* Writes the dump to a file, whole or not at all; "-" is standard output. 0, or -1 with errno. */
int counters_dump(const char *path)
{
	char *tmp = NULL;
	int err = 0;
	FILE *out;

	if (!strcmp(path, "-"))
		return counters_write(stdout) || fflush(stdout) ? -1 : 0;
	if (asprintf(&tmp, "%s.tmp", path) < 0)
		return -1;
	out = fopen(tmp, "w");
	if (!out) {
		free(tmp);
		return -1;
	}
	if (counters_write(out))
		err = errno ? errno : EIO;
	if (fclose(out) && !err)
		err = errno;
	if (!err && rename(tmp, path))
		err = errno;
	if (err)
		unlink(tmp);
	free(tmp);
	errno = err;
	return err ? -1 : 0;
}

/* How many names a group has; what the guest makes of it is bounded. */
unsigned int counters_names(const char *group)
{
	unsigned int n;

	pthread_mutex_lock(&counters_lock);
	n = find_or_add_group(group)->names;
	pthread_mutex_unlock(&counters_lock);
	return n;
}

static void counter_clear(struct counter *c)
{
	atomic_store_explicit(&c->n, 0, memory_order_relaxed);
	for (unsigned int i = 0; i < NUM_ENGINES; i++) {
		atomic_uint_fast64_t *own = atomic_load_explicit(&c->own[i], memory_order_acquire);

		if (own)
			atomic_store_explicit(own, 0, memory_order_relaxed);
	}
}

/* Sets all counters to 0, while no engine runs; pointers from counter_get() and counter_own() stay good. */
void counters_reset(void)
{
	distributions_reset();
	pthread_mutex_lock(&counters_lock);
	for (unsigned int h = 0; h < hash_size; h++)
		for (struct counter *c = hash[h]; c; c = c->next)
			counter_clear(c);
	pthread_mutex_unlock(&counters_lock);
	for (uint32_t i = 0; i < MMIO_REGS; i++) {
		for (int w = 0; w < 2; w++) {
			atomic_store_explicit(&mmio_count[w][i], 0, memory_order_relaxed);
			atomic_store_explicit(&mmio_missed[w][i], 0, memory_order_relaxed);
		}
	}
}
