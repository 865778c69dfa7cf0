/* SPDX-License-Identifier: MIT */
/**
 * DOC: Batches of every generation
 *
 * Batches that the builders of include/igen/batch write straight into their objects, so they fit the device's
 * generation.
 */
#ifndef IGEN_TESTS_BUILD_H
#define IGEN_TESTS_BUILD_H

#include "igen/batch/mi.h"
#include "it.h"

#define IT_SLOTS	512u		/* of an object that batches store to: eight bytes each */

/* The device's generation, 0 without a device whose commands are known. */
unsigned int it_generation(void);

/* A batch for an engine of that generation; its builder writes into the object's mapping. */
struct it_batch it_build(struct it_dev *dev, unsigned int gen, unsigned int engine, uint64_t size,
			 struct igen_batch *b);
/* Builds the batch anew from its beginning. The object is idle. */
void it_build_again(struct it_dev *dev, unsigned int gen, unsigned int engine, struct it_batch *bo,
		    struct igen_batch *b);
/* MI_BATCH_BUFFER_END. Fails the subtest if anything could not be built. */
void it_build_end(struct igen_batch *b, struct it_batch *bo);

/* Stores a value to a slot of an object of IT_SLOTS * 8 bytes. */
void it_build_store(struct igen_batch *b, uint64_t object, unsigned int slot, uint32_t value, uint32_t handle);
uint32_t it_slot(const struct it_bo *bo, unsigned int slot);
/* Waits until the slot has the value, without asking the driver, which would then look after the GPU. */
void it_expect_slot(const struct it_bo *bo, unsigned int slot, uint32_t want);

#endif
