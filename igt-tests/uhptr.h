/* SPDX-License-Identifier: MIT */
#ifndef IGEN_TESTS_UHPTR_H
#define IGEN_TESTS_UHPTR_H

#include "lib/it.h"

/* Subtests for a render engine that is preempted by UHPTR (uhptr_events.c). */
void uhptr_events(unsigned int gen, unsigned int engine, const char *name);

#endif
