/* SPDX-License-Identifier: MIT */
/**
 * DOC: Platforms
 *
 * One file a platform, or a family of them: what the hardware is, as rows of data.
 */
#ifndef IGEN_MODEL_PLATFORM_H
#define IGEN_MODEL_PLATFORM_H

#include "base/base.h"

/* platform.c: a platform by name, or NULL. */
const struct platform *platform_find(const char *name);

/* The rows of a family; the last one has no name. */
extern const struct platform gen6_platforms[], gen9_platforms[];

#endif
