/* SPDX-License-Identifier: MIT */
#ifndef IGEN_SHIM_PROFILE_WRAP_H
#define IGEN_SHIM_PROFILE_WRAP_H

#include "eu/eu.h"

/* By the linker's --wrap: the execution units' function, and what is called in its place. */
enum eu_status __real_eu_run(struct eu_core *core, struct eu_thread *thread, uint64_t budget);
enum eu_status __wrap_eu_run(struct eu_core *core, struct eu_thread *thread, uint64_t budget);

#endif
