/* SPDX-License-Identifier: MIT */
/**
 * DOC: Platforms
 *
 * One file a platform, or a family of them: what the hardware is, as rows of data.
 */
#ifndef IGEN_MODEL_PLATFORM_H
#define IGEN_MODEL_PLATFORM_H

#include "base/base.h"

/* kbl.c: a platform by name, or NULL. */
const struct platform *platform_find(const char *name);

#endif
