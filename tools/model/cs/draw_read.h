/* SPDX-License-Identifier: MIT */
#ifndef IGEN_MODEL_DRAW_READ_H
#define IGEN_MODEL_DRAW_READ_H

#include "cs/cs.h"

const char *draw_read(struct engine *e, uint32_t topology, struct draw_state *d);

#endif
