/* SPDX-License-Identifier: MIT */
#ifndef IGEN_TESTS_LEFTOVER_H
#define IGEN_TESTS_LEFTOVER_H

#include "lib/it.h"

/* Subtests of what a command streamer and a blitter keep, for an engine of Gen6 or Gen7 (leftover_state.c). */
void leftover_state(unsigned int gen, unsigned int engine, const struct it_engine *e);

#endif
