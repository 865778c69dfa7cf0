// SPDX-License-Identifier: MIT
/**
 * DOC: Log and trace
 *
 * The log has what a user should see: one line a message, to standard error or a file. The trace
 * has one line for each access of the guest and each message of an engine, and is off unless asked
 * for. Both are flushed line by line, so that a crash of the guest loses nothing.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"

bool trace_enabled;

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *log_file;
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
	trace_start = now_ns();
	trace_enabled = true;
	return 0;
}

void log_close(void)
{
	pthread_mutex_lock(&log_lock);
	if (log_file)
		fclose(log_file);
	log_file = NULL;
	if (trace_file)
		fflush(trace_file);
	pthread_mutex_unlock(&log_lock);
}

static __attribute__((format(printf, 1, 0), nonnull(1)))
void log_line(const char *fmt, va_list args)
{
	FILE *f;

	pthread_mutex_lock(&log_lock);
	f = log_file ? log_file : stderr;
	fputs("igen-model: ", f);
	vfprintf(f, fmt, args);
	fputc('\n', f);
	pthread_mutex_unlock(&log_lock);
}

void model_log(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_line(fmt, args);
	va_end(args);
}

/* For what cannot go on: a message and the end of the process, with status 1. */
void model_die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_line(fmt, args);
	va_end(args);
	log_close();
	_exit(1);
}

void trace_line(const char *fmt, ...)
{
	va_list args;

	pthread_mutex_lock(&log_lock);
	fprintf(trace_file, "%.3f ", (double)(now_ns() - trace_start) / 1e6);
	va_start(args, fmt);
	vfprintf(trace_file, fmt, args);
	va_end(args);
	fputc('\n', trace_file);
	pthread_mutex_unlock(&log_lock);
}
