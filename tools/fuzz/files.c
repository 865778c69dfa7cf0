// SPDX-License-Identifier: MIT
/*
 * DOC: The driver's files
 *
 * What igen has in debugfs and sysfs is read and written by programs. What makes the device useless for all that follow
 * (hang checks off, resets off, given up) is put right from time to time by the parent.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define DEBUGFS "/sys/kernel/debug/dri/0/"

static glob_t found;

/**
 * files_find - lists the files, in an order that is always the same
 */
void files_find(void)
{
	static const char * const patterns[] = {
		DEBUGFS "*", DEBUGFS "i915_params/*", "/sys/class/drm/card0/engine/*/*",
		"/sys/class/drm/card0/engine/*/.defaults/*",
		"/sys/class/drm/card0/gt_*", "/sys/class/drm/card0/gt/gt*/*",
	};
	unsigned int i;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &found);
	for (i = 0; i < found.gl_pathc; i++) {
		/* Unloading is not for a program that goes on afterwards. */
		if (strstr(found.gl_pathv[i], "unload"))
			found.gl_pathv[i] = found.gl_pathv[0];
	}
}

unsigned int files_count(void)
{
	return found.gl_pathc;
}

const char *files_name(unsigned int n)
{
	return found.gl_pathv[n];
}

static bool file_read(const char *path, char *text, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	text[0] = 0;
	if (fd < 0)
		return false;
	n = read(fd, text, bytes - 1);
	close(fd);
	if (n < 0)
		return false;
	text[n] = 0;
	return true;
}

static void file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	/* A refusal shows in what is read the next time. */
	if (write(fd, text, strlen(text)) < 0)
		text = NULL;
	close(fd);
}

/**
 * files_resets - how often the driver has reset something
 *
 * Return: the count, 0 when it cannot be read.
 */
uint64_t files_resets(void)
{
	char text[256];
	const char *at;

	if (!file_read(DEBUGFS "i915_engine_info", text, sizeof(text)))
		return 0;
	at = strstr(text, "resets: ");
	return at ? strtoull(at + 8, NULL, 10) : 0;
}

/**
 * files_repair - makes the device usable after what programs wrote
 *
 * Return: whether the driver had given it up.
 */
bool files_repair(void)
{
	static const char * const settings[][2] = {
		{ "heartbeat_interval_ms", "250" }, { "preempt_timeout_ms", "100" }, { "stop_timeout_ms", "50" },
		{ "timeslice_duration_ms", "1" },
	};
	bool wedged = false;
	char text[64];
	glob_t engines;
	unsigned int i;
	size_t n;

	file_write(DEBUGFS "i915_params/reset", "3");
	file_write(DEBUGFS "i915_params/enable_hangcheck", "Y");
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		snprintf(text, sizeof(text), "/sys/class/drm/card0/engine/*/%s", settings[i][0]);
		if (glob(text, 0, NULL, &engines))
			continue;
		for (n = 0; n < engines.gl_pathc; n++)
			file_write(engines.gl_pathv[n], settings[i][1]);
		globfree(&engines);
	}
	if (file_read(DEBUGFS "i915_wedged", text, sizeof(text)) && text[0] == '1') {
		wedged = true;
		file_write(DEBUGFS "i915_wedged", "1");
	}
	return wedged;
}
