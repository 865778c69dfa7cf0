/* SPDX-License-Identifier: MIT */
/**
 * DOC: Settings and the device as a whole
 */
#ifndef IGEN_MODEL_MAIN_H
#define IGEN_MODEL_MAIN_H

#include "base/base.h"

/* config.c */
void config_init(struct config *cfg);
/* 0, or -1 with one line in err, which names the key. */
int config_set(struct config *cfg, const char *assignment, char *err, size_t err_size);
int config_load(struct config *cfg, const char *path, char *err, size_t err_size);
int config_check(const struct config *cfg, char *err, size_t err_size);
void config_help(FILE *out);
uint64_t config_stolen_bytes(const struct config *cfg);

/* gpu.c: everything but the engines' threads and the transport. */
struct gpu *gpu_new(const struct config *cfg);
void gpu_free(struct gpu *gpu);

#endif
