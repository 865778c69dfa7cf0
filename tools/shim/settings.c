// SPDX-License-Identifier: MIT
/**
 * DOC: The environment
 *
 * A variable with a bad value is named on standard error. Its default holds, but for what chooses the device: a device
 * that was not asked for would be worse than none, so then it cannot be opened. The program is not ended by either.
 */
#include <stdlib.h>
#include <string.h>

#include "main/main.h"
#include "platform/platform.h"
#include "shim.h"

#define DEFAULT_TIMEOUT_MS	60000u

static bool flag(const char *name)
{
	const char *v = getenv(name);

	if (!v || !*v || !strcmp(v, "0"))
		return false;
	if (strcmp(v, "1"))
		shim_say("%s=%s: 0 or 1 is expected; 1 is assumed", name, v);
	return true;
}

static unsigned int number(const char *name, unsigned int least, unsigned int most, unsigned int otherwise)
{
	const char *v = getenv(name);
	unsigned long n;
	char *end;

	if (!v || !*v)
		return otherwise;
	n = strtoul(v, &end, 10);
	if (*end || *v == '-' || n < least || n > most) {
		shim_say("%s=%s: a number from %u to %u is expected%s", name, v, least, most,
			 otherwise ? "; the default is assumed" : "; it is left out");
		return otherwise;
	}
	return (unsigned int)n;
}

static bool set_model(struct config *cfg, const char *assignment)
{
	struct config before = *cfg;
	char err[256];

	if (!config_set(cfg, assignment, err, sizeof(err)) && !config_check(cfg, err, sizeof(err)))
		return true;
	shim_say("%s: the device cannot be opened", err);
	*cfg = before;
	return false;
}

/* False when there is something that the model does not know. */
static bool read_model(struct config *cfg)
{
	bool good = true;
	const char *platform = getenv("IGEN_SHIM_PLATFORM"), *more = getenv("IGEN_SHIM_MODEL");
	char assignment[256], *copy, *word, *save;

	config_init(cfg);
	/* Time of thread groups is of interest where a kernel schedules them. */
	cfg->group_ns = 0;
	if (platform && *platform) {
		snprintf(assignment, sizeof(assignment), "platform=%s", platform);
		good = set_model(cfg, assignment);
	}
	copy = more ? strdup(more) : NULL;
	for (word = copy ? strtok_r(copy, " \t\n", &save) : NULL; word; word = strtok_r(NULL, " \t\n", &save))
		good &= set_model(cfg, word);
	free(copy);
	return good;
}

void settings_read(struct settings *s)
{
	const char *counters = getenv("IGEN_SHIM_COUNTERS");

	s->verbose = flag("IGEN_SHIM_VERBOSE");
	s->scratch = flag("IGEN_SHIM_SCRATCH");
	s->timeout_ms = number("IGEN_SHIM_TIMEOUT_MS", 1, 86400000, DEFAULT_TIMEOUT_MS);
	s->memory_mb = number("IGEN_SHIM_MEMORY_MB", 64, 1 << 20, 0);
	s->counters = counters && *counters ? counters : NULL;
	s->bad = !read_model(&s->model);
}
