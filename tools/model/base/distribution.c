// SPDX-License-Identifier: MIT
/**
 * DOC: Distributions
 *
 * Samples whose distribution matters. The dump has their number, the least, the median, the 99th percentile and the
 * largest, as counters. The first MAX_SAMPLES are kept; number and largest cover all samples.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define MAX_SAMPLES	16384u
#define GROUP_LEN	64

struct distribution {
	struct distribution *next;
	char group[GROUP_LEN];			/* of its counters */
	uint64_t n, max;
	uint64_t sample[MAX_SAMPLES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct distribution *all;

static struct distribution *find_or_add(const char *what, const char *name)
{
	char group[GROUP_LEN];
	struct distribution *d;

	snprintf(group, sizeof(group), "%s.%s", what, name);
	for (d = all; d; d = d->next)
		if (!strcmp(d->group, group))
			return d;
	d = calloc(1, sizeof(*d));
	if (!d)
		model_die("no memory for distribution %s", group);
	strcpy(d->group, group);
	d->next = all;
	all = d;
	return d;
}

/**
 * sample() - adds to a distribution
 * @what: object in the dump
 * @name: object in that, with the figures
 * @value: one more
 *
 * Any thread; takes a leaf lock, and memory for the first of a distribution.
 */
void sample(const char *what, const char *name, uint64_t value)
{
	struct distribution *d;

	pthread_mutex_lock(&lock);
	d = find_or_add(what, name);
	if (d->n < MAX_SAMPLES)
		d->sample[d->n] = value;
	d->n++;
	if (value > d->max)
		d->max = value;
	pthread_mutex_unlock(&lock);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void set(const struct distribution *d, const char *name, uint64_t value)
{
	atomic_store_explicit(counter_get(d->group, name), value, memory_order_relaxed);
}

/* Has the counters say what the distributions are now. */
void distributions_to_counters(void)
{
	pthread_mutex_lock(&lock);
	for (struct distribution *d = all; d; d = d->next) {
		size_t kept = d->n < MAX_SAMPLES ? d->n : MAX_SAMPLES;

		set(d, "samples", d->n);
		if (!kept)
			continue;
		qsort(d->sample, kept, sizeof(d->sample[0]), by_value);
		set(d, "min", d->sample[0]);
		set(d, "median", d->sample[kept / 2]);
		set(d, "p99", d->sample[kept * 99 / 100]);
		set(d, "max", d->max);
	}
	pthread_mutex_unlock(&lock);
}

/* Forgets all samples. */
void distributions_reset(void)
{
	pthread_mutex_lock(&lock);
	for (struct distribution *d = all; d; d = d->next) {
		d->n = 0;
		d->max = 0;
	}
	pthread_mutex_unlock(&lock);
}
