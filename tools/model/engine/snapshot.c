// SPDX-License-Identifier: MIT
/**
 * DOC: Snapshots of registers and context images
 *
 * A snapshot lists every register that is implemented, with its value, and the images of the contexts that each
 * engine saved last, as the engine wrote them. With --registers FILE the guest asks for one, at the moment that it
 * wants to be compared, by a write of one byte to configuration offset 0xf0, which is nothing on silicon; the byte
 * becomes the snapshot's number.
 *
 * A line is "snapshot N", "mmio OFFSET VALUE BLOCK", "context ENGINE ADDRESS" or, below that, "image OFFSET VALUE".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "regs/regs.h"
#include "igen/cmd/mi.h"

#define SAVED_CONTEXTS	8
#define SNAPSHOTS_MAX	64		/* a run; some hundred KB each */
#define SAVED_DWORDS	768

/* Images that an engine saved, newest first. */
struct saved {
	struct saved_image {
		uint64_t desc;
		unsigned int n;
		uint32_t dw[SAVED_DWORDS];
	} image[SAVED_CONTEXTS];
};

/**
 * state_note_context() - remembers an image for snapshots
 * @e: the engine that saves it
 * @desc: the context's descriptor
 * @dw: the image, or its first part
 * @n: its dwords
 * @rest: the second part
 * @n_rest: its dwords, may be 0
 *
 * Does nothing when no snapshots are asked for. gpu->lock held.
 */
void state_note_context(struct engine *e, uint64_t desc, const uint32_t *dw, unsigned int n,
			const uint32_t *rest, unsigned int n_rest)
{
	struct saved_image *image;
	unsigned int i;

	if (!e->gpu->registers_path)
		return;
	if (!e->saved)
		e->saved = calloc(1, sizeof(*e->saved));
	if (!e->saved || n + n_rest > SAVED_DWORDS)
		model_die("no room for a context image of %u dwords", n + n_rest);

	/* The context's older image goes, or else the oldest of all. */
	for (i = 0; i < SAVED_CONTEXTS - 1; i++)
		if ((uint32_t)e->saved->image[i].desc == (uint32_t)desc)
			break;
	memmove(&e->saved->image[1], &e->saved->image[0], i * sizeof(*image));
	image = &e->saved->image[0];
	image->desc = desc;
	image->n = n + n_rest;
	memcpy(image->dw, dw, n * sizeof(*dw));
	if (n_rest)
		memcpy(image->dw + n, rest, n_rest * sizeof(*rest));
}

/* The registers that the image's commands load; what is between the commands are NOOPs. */
static void put_image(FILE *out, const struct engine *e, const struct saved_image *image)
{
	for (unsigned int i = 0; i < image->n; i++) {
		unsigned int pairs;

		if (IGEN_GET(MI_OPCODE_MASK, image->dw[i]) != MI_OP_LOAD_REGISTER_IMM)
			continue;
		pairs = context_lri_pairs(e, image->dw[i]);
		for (; pairs && i + 2 < image->n; pairs--, i += 2)
			fprintf(out, "image 0x%06x 0x%08x\n", image->dw[i + 1] & MI_REGISTER_MASK,
				image->dw[i + 2]);
	}
}

static void put_contexts(FILE *out, const struct engine *e)
{
	for (unsigned int i = 0; e->saved && i < SAVED_CONTEXTS; i++) {
		const struct saved_image *image = &e->saved->image[i];

		if (!image->n)
			continue;
		fprintf(out, "context %s 0x%08x\n", e->info->name, (uint32_t)image->desc);
		put_image(out, e, image);
	}
}

/**
 * state_snapshot() - appends a snapshot to the file of --registers
 * @gpu: the device; its lock is not held
 * @number: what the snapshot is called
 *
 * The guest asks for snapshots, so there is a bound on how many a run writes; those beyond it are counted as stray
 * accesses.
 */
void state_snapshot(struct gpu *gpu, unsigned int number)
{
	const char *name;
	uint32_t value;
	bool failed;
	FILE *out;

	if (atomic_fetch_add(&gpu->snapshots, 1) >= SNAPSHOTS_MAX) {
		count("stray_accesses", "snapshots", 1);
		return;
	}
	out = fopen(gpu->registers_path, "a");
	if (!out) {
		model_log("registers: %s: %s", gpu->registers_path, strerror(errno));
		return;
	}
	pthread_mutex_lock(&gpu->lock);
	fprintf(out, "snapshot %u\n", number);
	for (uint32_t offset = 0; offset < MMIO_SIZE; offset += 4)
		if (mmio_look(gpu, offset, &name, &value))
			fprintf(out, "mmio 0x%06x 0x%08x %s\n", offset, value, name);
	for (unsigned int i = 0; i < gpu->platform->num_engines; i++) {
		const struct engine *e = gpu->engine[gpu->platform->engines[i].id];

		if (e)
			put_contexts(out, e);
	}
	pthread_mutex_unlock(&gpu->lock);
	failed = ferror(out);
	if (fclose(out) || failed)
		model_log("registers: %s cannot be written", gpu->registers_path);
}
