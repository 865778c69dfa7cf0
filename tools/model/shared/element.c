// SPDX-License-Identifier: MIT
/**
 * DOC: Elements of surfaces that are written
 *
 * A message that has all channels writes whole elements. One that leaves channels out writes the bytes of its own ones
 * and no other: meanwhile another thread, an engine or the CPU may write the other channels. Bits of an element that
 * belong to no channel are written with whole elements alone.
 *
 * Channels of some formats share bytes (R10G10B10A2, B5G6R5). No text at hand says what silicon does with these. Here
 * the bits are replaced by an atomic operation on their dword.
 */
#include "shared/shared.h"

#define ELEMENT_BYTES	16u

/* The bits of a dword that are replaced. */
struct bits {
	uint32_t mask, value;
};

static uint64_t replace(uint64_t old, const void *operands)
{
	const struct bits *b = operands;

	return (old & ~b->mask) | (b->value & b->mask);
}

static bool shares_bytes(const uint8_t *mask, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		if (mask[i] && mask[i] != 0xff)
			return true;
	return false;
}

/* Bytes that follow each other are one write. */
static void write_bytes(struct send *s, const struct space *space, uint64_t addr, const uint8_t *element,
			const uint8_t *mask, unsigned int bytes)
{
	unsigned int n;

	for (unsigned int i = 0; i < bytes; i += n) {
		for (n = 1; i + n < bytes && mask[i + n] == mask[i]; n++)
			;
		if (mask[i])
			space_write(s, space, addr + i, element + i, n);
	}
}

/* Dword by dword, of which an element that is aligned has one. */
static void write_bits(struct send *s, const struct space *space, uint64_t addr, const uint8_t *element,
		       const uint8_t *mask, unsigned int bytes)
{
	unsigned int first = addr & 3;

	for (unsigned int i = 0; i < bytes;) {
		uint64_t dword = (addr + i) & ~3ull;
		struct bits b = { 0 };

		do {
			unsigned int shift = 8 * ((first + i) & 3);

			b.mask |= (uint32_t)mask[i] << shift;
			b.value |= (uint32_t)element[i] << shift;
		} while (++i < bytes && (first + i) & 3);
		if (b.mask)
			space_atomic(s, space, dword, 4, replace, &b);
	}
}

/**
 * element_write - writes channels of an element
 * @s: the send
 * @f: its surface, of a format that typed messages can have
 * @addr: the element's graphics address
 * @channels: red, green, blue, alpha
 * @kept: those that keep what the surface has; bit 0: red
 */
void element_write(struct send *s, const struct surface *f, uint64_t addr, const uint32_t channels[4],
		   unsigned int kept)
{
	struct space space = { SPACE_MEMORY, 0, UINT64_MAX };
	uint8_t element[ELEMENT_BYTES], mask[ELEMENT_BYTES];

	if (!format_pack(f->format, channels, element))
		return;
	if (!(kept & 15)) {
		space_write(s, &space, addr, element, f->bytes);
		return;
	}
	format_bits(f->format, ~kept & 15, mask);
	if (shares_bytes(mask, f->bytes))
		write_bits(s, &space, addr, element, mask, f->bytes);
	else
		write_bytes(s, &space, addr, element, mask, f->bytes);
}
