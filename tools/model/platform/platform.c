// SPDX-License-Identifier: MIT
/**
 * DOC: Platforms by name
 */
#include <string.h>

#include "platform/platform.h"

const struct platform *platform_find(const char *name)
{
	static const struct platform *const families[] = { gen6_platforms, gen9_platforms };

	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		for (const struct platform *p = families[i]; p->name; p++)
			if (!strcmp(p->name, name))
				return p;
	return NULL;
}
