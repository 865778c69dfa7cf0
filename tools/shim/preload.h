/* SPDX-License-Identifier: MIT */
/**
 * DOC: igen-shim: what the replaced functions share
 *
 * The C library's own functions are looked up behind this library.
 */
#ifndef IGEN_SHIM_PRELOAD_H
#define IGEN_SHIM_PRELOAD_H

#include <dlfcn.h>

#include "shim.h"

#define EXPORT	__attribute__((visibility("default")))

/* The C library's function of a name, with the type of ours. */
#define REAL(name__) ({ static void *real__; (__typeof__(name__) *)shim_real(&real__, #name__); })

/* preload.c */
void *shim_real(void **kept, const char *name);

/* preload.c: once, before anything else is used. */
void shim_ready(void);
/* The node that a path names; ours says whether the shim answers for it. */
const struct node *shim_node(const char *path, bool follow, bool *ours);
/* The node of a path that may be below an open folder. */
const struct node *shim_node_at(int dir, const char *path, bool follow, bool *ours);
/* A descriptor for a node, or -1 with errno. */
int shim_open(const struct node *node, int flags);

#endif
