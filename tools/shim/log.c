// SPDX-License-Identifier: MIT
/**
 * DOC: Messages
 *
 * Takes the place of the model's base/log.c: the model's lines are shown only if IGEN_SHIM_VERBOSE is set, since
 * standard error is the program's own. The last line is kept for the message about a batch that failed.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

#define LINE	512

bool trace_enabled;

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char last[LINE];

static __attribute__((format(printf, 2, 0)))
void put_line(const char *who, const char *fmt, va_list args)
{
	char line[LINE];
	int n = snprintf(line, sizeof(line), "%s: ", who);
	int m = vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, args);

	n += m < 0 ? 0 : m;
	if (n > LINE - 2)
		n = LINE - 2;
	line[n] = '\n';
	/* One write, so that lines of several threads and processes do not mix. */
	if (write(STDERR_FILENO, line, (size_t)n + 1) < 0)
		return;
}

void shim_say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_line("igen-shim", fmt, args);
	va_end(args);
}

void log_forget(void)
{
	pthread_mutex_lock(&log_lock);
	last[0] = 0;
	pthread_mutex_unlock(&log_lock);
}

void log_last(char *text, size_t size)
{
	pthread_mutex_lock(&log_lock);
	snprintf(text, size, "%s", last);
	pthread_mutex_unlock(&log_lock);
}

void model_log_at(struct log_site *site, const char *fmt, ...)
{
	va_list args;

	(void)site;
	pthread_mutex_lock(&log_lock);
	va_start(args, fmt);
	vsnprintf(last, sizeof(last), fmt, args);
	va_end(args);
	if (shim.settings.verbose) {
		va_start(args, fmt);
		put_line("igen-model", fmt, args);
		va_end(args);
	}
	pthread_mutex_unlock(&log_lock);
}

void model_die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_line("igen-model", fmt, args);
	va_end(args);
	abort();
}

/* There is no trace: trace_enabled is never set. */
void trace_line(const char *fmt, ...)
{
	(void)fmt;
}
