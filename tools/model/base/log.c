// SPDX-License-Identifier: MIT
/**
 * DOC: Log and trace
 *
 * The log has what a user should see: one line a message, to standard error or a file. The trace
 * has one line for each access of the guest and each message of an engine, and is off unless asked
 * for. Both are flushed line by line, so that a crash of the guest loses nothing.
 *
 * A guest can bring about most of the log's lines as often as it likes, so the log is bounded. Each place in the
 * source that logs may write LOG_BURST lines at once and then one line a second; the next line that is written
 * from there tells how many were left out. All places together may write LOG_MAX_BYTES; after that the log holds
 * one line that says so, and no more. The trace has no bound: it is for guests that are trusted.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

#define LOG_BURST	64u
#define LOG_REFILL_NS	1000000000ull
#define LOG_MAX_BYTES	(16u << 20)

bool trace_enabled;

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *log_file;
static uint64_t log_bytes;			/* written so far */
static struct log_site *log_sites;		/* those that have logged */
static FILE *trace_file;
static uint64_t trace_start;

/*
 * Opens the log file; 0 or -1 with errno. Before that, and with NULL, the log goes to standard
 * error.
 */
int log_open(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	setvbuf(f, NULL, _IOLBF, 0);
	pthread_mutex_lock(&log_lock);
	log_file = f;
	pthread_mutex_unlock(&log_lock);
	return 0;
}

/* Opens the trace and turns it on; call it before threads start. 0 or -1 with errno. */
int trace_open(const char *path)
{
	trace_file = fopen(path, "w");
	if (!trace_file)
		return -1;
	setvbuf(trace_file, NULL, _IOFBF, 1 << 16);
	trace_start = host_ns();
	trace_enabled = true;
	return 0;
}

/* log_lock held: one line, without regard to any bound. */
static __attribute__((format(printf, 1, 0), nonnull(1)))
void put_line(const char *fmt, va_list args, uint64_t left_out)
{
	FILE *f = log_file ? log_file : stderr;
	int n = fprintf(f, "igen-model: ");
	int m = vfprintf(f, fmt, args);

	if (left_out)
		fprintf(f, " (%llu more were left out)", (unsigned long long)left_out);
	fputc('\n', f);
	/* The count of those left out is not part of the sum: it is short, and errors are negative. */
	log_bytes += (uint64_t)(n > 0 ? n : 0) + (uint64_t)(m > 0 ? m : 0) + 1;
}

static __attribute__((format(printf, 1, 2)))
void put_text(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_line(fmt, args, 0);
	va_end(args);
}

void log_close(void)
{
	pthread_mutex_lock(&log_lock);
	for (struct log_site *s = log_sites; s; s = s->next) {
		if (s->left_out)
			put_text("%s:%u: %llu lines like its last one were left out", s->file, s->line,
				 (unsigned long long)s->left_out);
		s->left_out = 0;
	}
	if (log_file)
		fclose(log_file);
	log_file = NULL;
	if (trace_file)
		fflush(trace_file);
	pthread_mutex_unlock(&log_lock);
}

/* log_lock held: may this place in the source write a line now? */
static bool may_log(struct log_site *site)
{
	uint64_t now = host_ns();
	uint64_t more;

	if (!site->known) {
		site->known = true;
		site->next = log_sites;
		log_sites = site;
		site->tokens = LOG_BURST;
		site->refilled_ns = now;
	}
	more = (now - site->refilled_ns) / LOG_REFILL_NS;
	site->refilled_ns += more * LOG_REFILL_NS;
	site->tokens = more < LOG_BURST - site->tokens ? site->tokens + (unsigned int)more : LOG_BURST;
	if (!site->tokens || log_bytes >= LOG_MAX_BYTES) {
		site->left_out++;
		return false;
	}
	site->tokens--;
	return true;
}

/**
 * model_log_at() - writes a line to the log, unless its place in the source has written too many
 * @site: the place in the source; model_log() provides it
 * @fmt: as for printf(), without a newline
 *
 * Any thread; takes a leaf lock.
 */
void model_log_at(struct log_site *site, const char *fmt, ...)
{
	va_list args;

	pthread_mutex_lock(&log_lock);
	if (may_log(site)) {
		va_start(args, fmt);
		put_line(fmt, args, site->left_out);
		va_end(args);
		site->left_out = 0;
		if (log_bytes >= LOG_MAX_BYTES)
			put_text("the log has reached its %u bytes and ends here", LOG_MAX_BYTES);
	}
	pthread_mutex_unlock(&log_lock);
}

/* For what cannot go on: a message and the end of the process, with status 1. */
void model_die(const char *fmt, ...)
{
	va_list args;

	pthread_mutex_lock(&log_lock);
	va_start(args, fmt);
	put_line(fmt, args, 0);
	va_end(args);
	pthread_mutex_unlock(&log_lock);
	log_close();
	_exit(1);
}

void trace_line(const char *fmt, ...)
{
	va_list args;

	pthread_mutex_lock(&log_lock);
	fprintf(trace_file, "%.3f ", (double)(host_ns() - trace_start) / 1e6);
	va_start(args, fmt);
	vfprintf(trace_file, fmt, args);
	va_end(args);
	fputc('\n', trace_file);
	pthread_mutex_unlock(&log_lock);
}
