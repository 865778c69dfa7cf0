// SPDX-License-Identifier: MIT
/**
 * DOC: Register dispatch
 *
 * Every dword of the register space has at most one owner: a block, found through a table of
 * indices. A register without an owner reads zero, drops writes, and is counted as unimplemented,
 * under the same name that the driver uses for it: its offset. Accesses are 32 bits wide; pci.c
 * splits what is wider.
 *
 * Registers that only store a value are rows of the register database and share the callbacks here.
 */
#include <stdlib.h>
#include <string.h>

#include "regs/regs.h"
#include "igen/regs/gt.h"

#define REGS	(MMIO_SIZE / 4)

struct plain {
	struct plain *next;
	const struct igen_reg *reg;
	uint32_t value[];
};

struct mmio {
	uint16_t owner[REGS];			/* index into block, 0: none */
	struct mmio_block *block;
	unsigned int blocks, max;
	struct plain *plain;
	bool missed;				/* a callback disowned the access */
};

int mmio_init(struct gpu *gpu)
{
	gpu->mmio = calloc(1, sizeof(*gpu->mmio));
	if (!gpu->mmio)
		return -1;
	gpu->mmio->blocks = 1;			/* index 0 is no block */
	return 0;
}

void mmio_fini(struct gpu *gpu)
{
	struct mmio *m = gpu->mmio;
	struct plain *p, *next;

	if (!m)
		return;
	for (p = m->plain; p; p = next) {
		next = p->next;
		free(p);
	}
	free(m->block);
	free(m);
	gpu->mmio = NULL;
}

/**
 * mmio_claim() - gives a range of registers to a block
 * @gpu: the device
 * @block: the range and its callbacks; copied
 *
 * Called while the device is made. Of two claims to a register the one with the smaller range has it, in
 * any order. Ranges that are equal, or that are no range of registers, end the program.
 */
void mmio_claim(struct gpu *gpu, const struct mmio_block *block)
{
	struct mmio *m = gpu->mmio;
	uint32_t size = block->end - block->start;

	if (block->start >= block->end || block->end > MMIO_SIZE || block->start % 4 || size % 4)
		model_die("block %s claims 0x%x to 0x%x", block->name, block->start, block->end);
	if (m->blocks >= m->max) {
		unsigned int max = m->max ? m->max * 2 : 64;
		struct mmio_block *grown = realloc(m->block, max * sizeof(*grown));

		if (!grown || max > UINT16_MAX)
			model_die("no room for block %s", block->name);
		m->block = grown;
		m->max = max;
	}
	m->block[m->blocks] = *block;
	for (uint32_t i = block->start / 4; i < block->end / 4; i++) {
		const struct mmio_block *other = &m->block[m->owner[i]];

		if (m->owner[i]) {
			uint32_t theirs = other->end - other->start;

			if (theirs < size)
				continue;
			if (theirs == size)
				model_die("0x%x claimed by %s and by %s", i * 4, other->name,
					  block->name);
		}
		m->owner[i] = (uint16_t)m->blocks;
	}
	m->blocks++;
}

static struct mmio_block *owner_of(struct gpu *gpu, uint32_t offset)
{
	struct mmio *m = gpu->mmio;

	if (offset >= MMIO_SIZE || !m->owner[offset / 4])
		return NULL;
	return &m->block[m->owner[offset / 4]];
}

/**
 * mmio_unimplemented() - disowns the access that is being served
 * @gpu: the device, whose lock is held
 *
 * For a block's callback that does not know the register after all.
 */
void mmio_unimplemented(struct gpu *gpu)
{
	gpu->mmio->missed = true;
}

static void account(uint32_t offset, bool write, bool from_cpu, bool known)
{
	if (from_cpu) {
		count_mmio(offset, write, known);
	} else if (!known) {
		char name[16];

		snprintf(name, sizeof(name), "0x%x", offset);
		count("engine_unimplemented_registers", name, 1);
	}
	if (!known)
		trace("unimplemented register 0x%06x %s by %s", offset, write ? "written" : "read",
		      from_cpu ? "the CPU" : "an engine");
}

/* Runs the events that are due before the CPU's access. False if the register's forcewake domain is asleep then. */
static bool reaches(struct gpu *gpu, uint32_t offset, bool write, bool from_cpu)
{
	if (!from_cpu)
		return true;
	events_happen(gpu);
	return forcewake_check(gpu, offset, write);
}

/**
 * mmio_read() - reads a register
 * @gpu: the device, whose lock is held
 * @offset: in BAR 0; the low two bits are ignored
 * @from_cpu: the CPU asks, not an engine: counted by register
 *
 * Return: the value; 0 for a register that is not implemented, which is counted.
 */
uint32_t mmio_read(struct gpu *gpu, uint32_t offset, bool from_cpu)
{
	struct mmio_block *b = owner_of(gpu, offset);
	bool missed, outer = gpu->mmio->missed;
	uint32_t v = 0;

	offset &= ~3u;
	gpu->mmio->missed = false;
	if (from_cpu)
		clock_access();
	if (reaches(gpu, offset, false, from_cpu) && b)
		v = b->read(gpu, b->opaque, offset);
	missed = !b || gpu->mmio->missed;
	gpu->mmio->missed = outer;
	account(offset, false, from_cpu, !missed);
	return v;
}

/**
 * mmio_write() - writes a register
 * @gpu: the device, whose lock is held
 * @offset: in BAR 0; the low two bits are ignored
 * @value: all 32 bits
 * @from_cpu: the CPU writes, not an engine: counted by register
 */
void mmio_write(struct gpu *gpu, uint32_t offset, uint32_t value, bool from_cpu)
{
	struct mmio_block *b = owner_of(gpu, offset);
	bool missed, outer = gpu->mmio->missed;

	offset &= ~3u;
	if (from_cpu) {
		atomic_fetch_add_explicit(&gpu->cpu_writes, 1, memory_order_relaxed);
		clock_access();
	}
	gpu->mmio->missed = false;
	if (reaches(gpu, offset, true, from_cpu) && b)
		b->write(gpu, b->opaque, offset, value);
	missed = !b || gpu->mmio->missed;
	gpu->mmio->missed = outer;
	account(offset, true, from_cpu, !missed);
}

uint32_t mmio_peek(struct gpu *gpu, uint32_t offset)
{
	struct mmio_block *b = owner_of(gpu, offset);
	bool outer = gpu->mmio->missed;
	uint32_t v = b ? b->read(gpu, b->opaque, offset) : 0;

	gpu->mmio->missed = outer;
	return v;
}

/**
 * mmio_look() - looks at a register from outside
 * @gpu: the device, whose lock is held
 * @offset: in BAR 0, a multiple of 4
 * @name: gets the block's name
 * @value: gets what it reads as
 *
 * Return: false when it is not implemented.
 */
bool mmio_look(struct gpu *gpu, uint32_t offset, const char **name, uint32_t *value)
{
	struct mmio_block *b = owner_of(gpu, offset);
	bool missed, outer = gpu->mmio->missed;

	if (!b)
		return false;
	gpu->mmio->missed = false;
	*value = b->read(gpu, b->opaque, offset);
	missed = gpu->mmio->missed;
	gpu->mmio->missed = outer;
	*name = b->name;
	return !missed;
}

/* The database has no gaps in what only stores. */
static unsigned int plain_dwords(const struct igen_reg *r)
{
	return r->count * r->dwords;
}

static uint32_t plain_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	struct plain *p = opaque;

	(void)gpu;
	return p->value[(offset - p->reg->offset) / 4];
}

static void plain_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	struct plain *p = opaque;
	uint32_t *v = &p->value[(offset - p->reg->offset) / 4];
	uint32_t mask = p->reg->writable;

	(void)gpu;
	if (p->reg->masked)
		mask &= value >> 16;
	*v = (*v & ~mask) | (value & mask);
}

/* With the board's fault "fuses" no slice is left. */
static uint32_t reset_value(struct gpu *gpu, const struct igen_reg *reg)
{
	return board_has(gpu, BOARD_FUSES) && reg->offset == FUSE2 ? 0 : reg->reset;
}

/**
 * mmio_claim_plain() - makes a register that only stores
 * @gpu: the device
 * @reg: the register, or array of them, which has to outlive the device
 *
 * Called while the device is made. The register has its reset value afterwards.
 */
void mmio_claim_plain(struct gpu *gpu, const struct igen_reg *reg)
{
	unsigned int num = plain_dwords(reg);
	struct plain *p = calloc(1, sizeof(*p) + num * sizeof(p->value[0]));
	const struct mmio_block block = {
		.name = reg->name,
		.start = reg->offset,
		.end = reg->offset + num * 4,
		.read = plain_read,
		.write = plain_write,
		.opaque = p,
	};

	if (!p)
		model_die("no memory for register %s", reg->name);
	p->reg = reg;
	p->next = gpu->mmio->plain;
	gpu->mmio->plain = p;
	for (unsigned int k = 0; k < num; k++)
		p->value[k] = reset_value(gpu, reg);
	mmio_claim(gpu, &block);
}

void mmio_reset_domains(struct gpu *gpu, uint32_t domains)
{
	for (struct plain *p = gpu->mmio->plain; p; p = p->next)
		if (domains == ~0u || (p->reg->domains & domains))
			for (unsigned int k = 0; k < plain_dwords(p->reg); k++)
				p->value[k] = reset_value(gpu, p->reg);
}
