// SPDX-License-Identifier: MIT
/**
 * DOC: The unified return buffer
 *
 * A handle is an offset into the buffer, in units of 64 bytes (IVB Vol 4 Part 2, 2.4). The descriptor's offset counts
 * from there, in registers (HWORD), in 16 bytes (OWORD and SIMD8) or in dwords (atomic operations); each slot may have
 * another one in the header. What lies beyond the buffer reads 0 and is not written (2.4, "Out-of-Bounds Accesses"):
 *
 * ============ ======================================================================================
 * HWORD        registers of one entry; interleaved, the lower half of each is one entry's next
 *              16 bytes, the upper half the other's
 * OWORD        16 bytes, in the half of the register that M0.5[16] says; interleaved, of two entries
 * SIMD8        each channel has a handle; dwords of all channels are a register (DG1 Vol 2a, "URB Dword
 *              Write MSD"; where its mask stands in the register is a public fact of Mesa)
 * atomic       one dword: it is replaced, or counted up or added to, and comes back as it was
 * ============ ======================================================================================
 *
 * A dword of a register is moved if its channel is enabled and its bit of M0.5[15:8] is set. The buffer keeps what was
 * written there when the threads and their context are gone: no manual at hand says that anything clears it.
 */
#include <string.h>

#include "shared/shared.h"

#define OWORD	16u

static bool is_hword(const struct send *s)
{
	return s->info->id == ISA_MSG_URB_WRITE_HWORD || s->info->id == ISA_MSG_URB_READ_HWORD;
}

/* Why the message has no place in the URB; NULL: it has one. */
static const char *urb_error(const struct send *s, unsigned int registers)
{
	if (!s->shared->urb)
		return "a URB message of a thread that has no URB entry";
	if (!s->msg->header)
		return "a URB message without a header";
	return send_lacks(s, registers * EU_GRF_BYTES) ? "a URB message with less data than it says" : NULL;
}

/* Handles and offsets count in dwords at least, so each is aligned. */
static uint32_t *urb_dword(const struct send *s, uint64_t at)
{
	return (uint32_t *)(s->shared->urb + at);
}

static uint32_t urb_get(const struct send *s, uint64_t at)
{
	uint32_t v = 0;

	if (at + sizeof(v) <= URB_BYTES)
		v = __atomic_load_n(urb_dword(s, at), __ATOMIC_ACQUIRE);
	return v;
}

static void urb_put(const struct send *s, uint64_t at, uint32_t v)
{
	if (at + sizeof(v) <= URB_BYTES)
		__atomic_store_n(urb_dword(s, at), v, __ATOMIC_RELEASE);
}

/* Adds to a dword, which other threads may do at the same time; returns what it was. */
static uint32_t urb_add(const struct send *s, uint64_t at, uint32_t v)
{
	return at + sizeof(v) <= URB_BYTES ? __atomic_fetch_add(urb_dword(s, at), v, __ATOMIC_ACQ_REL) : 0;
}

/* The place of a slot: the handle's, and the offsets in units of so many bytes. */
static uint64_t place(const struct send *s, uint32_t handle, uint32_t slot_offset, unsigned int unit)
{
	uint64_t offset = send_field(s, ISA_MSG_F_OFFSET);

	if (send_field(s, ISA_MSG_F_PER_SLOT))
		offset += slot_offset;
	return (uint64_t)(handle & 0xffff) * URB_HANDLE_UNIT + offset * unit;
}

/* Where dwords of the message's registers are. */
struct layout {
	uint64_t at[2];			/* of the lower and the upper half */
	unsigned int step;		/* bytes to the next register's */
	uint32_t mask;			/* dwords of each register that are moved */
	unsigned int registers;
};

static void lay_out(const struct send *s, unsigned int registers, struct layout *l)
{
	unsigned int unit = is_hword(s) ? EU_GRF_BYTES : OWORD;
	bool high = send_dword(s, 20) >> 16 & 1;

	l->registers = registers;
	l->step = EU_GRF_BYTES;
	l->mask = s->msg->exec_mask & (send_dword(s, 20) >> 8) & 0xff;
	l->at[0] = place(s, send_dword(s, 0), send_dword(s, 12), unit);
	l->at[1] = l->at[0] + OWORD;
	if (send_field(s, ISA_MSG_F_SWIZZLE)) {
		l->at[1] = place(s, send_dword(s, 4), send_dword(s, 16), unit);
		l->step = OWORD;
	} else if (!is_hword(s)) {
		l->at[1] = l->at[0];
		l->mask &= high ? 0xf0 : 0x0f;
	}
	if (!is_hword(s) && l->registers > 1)
		l->registers = 1;
}

static uint64_t dword_at(const struct layout *l, unsigned int reg, unsigned int dword)
{
	return l->at[dword / 4] + (uint64_t)reg * l->step + dword % 4 * 4;
}

enum eu_reply message_urb_write(struct send *s)
{
	const char *error = urb_error(s, 1);
	struct layout l;

	if (error)
		return send_bad(s, error);
	lay_out(s, s->payload_bytes / EU_GRF_BYTES - 1, &l);
	for (unsigned int i = 0; i < l.registers * 8; i++)
		if (l.mask >> i % 8 & 1)
			urb_put(s, dword_at(&l, i / 8, i % 8), send_dword(s, EU_GRF_BYTES + 4 * i));
	return EU_DONE;
}

enum eu_reply message_urb_read(struct send *s)
{
	const char *error = urb_error(s, 1);
	struct layout l;

	if (error)
		return send_bad(s, error);
	lay_out(s, s->msg->response_length, &l);
	for (unsigned int i = 0; i < l.registers * 8; i++) {
		uint32_t v = urb_get(s, dword_at(&l, i / 8, i % 8));

		if (l.mask >> i % 8 & 1)
			send_respond(s, 4 * i, &v, sizeof(v));
	}
	return EU_DONE;
}

enum eu_reply message_urb_atomic(struct send *s)
{
	const char *error = urb_error(s, 1);
	uint64_t at;
	uint32_t old;

	if (error)
		return send_bad(s, error);
	at = (uint64_t)(send_dword(s, 0) & 0xffff) * URB_HANDLE_UNIT + send_field(s, ISA_MSG_F_OFFSET) * 4ull;
	switch (s->info->id) {
	case ISA_MSG_URB_ATOMIC_MOV:
		urb_put(s, at, send_dword(s, 8));
		return EU_DONE;
	case ISA_MSG_URB_ATOMIC_INC:
		old = urb_add(s, at, 1);
		break;
	default:
		old = urb_add(s, at, send_dword(s, 8));
		break;
	}
	send_respond(s, 0, &old, sizeof(old));
	return EU_DONE;
}

/* The place of a channel's first dword. */
static uint64_t channel_place(const struct send *s, unsigned int channel)
{
	return place(s, send_dword(s, 4 * channel), send_dword(s, EU_GRF_BYTES + 4 * channel), OWORD);
}

enum eu_reply message_urb_write_simd8(struct send *s)
{
	unsigned int masks = 1 + send_field(s, ISA_MSG_F_PER_SLOT), data = masks + send_field(s, ISA_MSG_F_MASKED);
	const char *error = urb_error(s, data);
	unsigned int n;

	if (error)
		return send_bad(s, error);
	n = s->payload_bytes / EU_GRF_BYTES - data;
	for (unsigned int i = 0; i < n * 8; i++) {
		unsigned int channel = i % 8, dword = i / 8;
		uint32_t mask = data > masks ? send_dword(s, masks * EU_GRF_BYTES + 4 * channel) >> 16 : ~0u;

		if (s->msg->exec_mask >> channel & 1 && dword < 8 && mask >> dword & 1)
			urb_put(s, channel_place(s, channel) + 4 * dword, send_dword(s, data * EU_GRF_BYTES + 4 * i));
	}
	return EU_DONE;
}

enum eu_reply message_urb_read_simd8(struct send *s)
{
	const char *error = urb_error(s, 1 + send_field(s, ISA_MSG_F_PER_SLOT));

	if (error)
		return send_bad(s, error);
	for (unsigned int i = 0; i < s->msg->response_length * 8; i++) {
		unsigned int channel = i % 8;
		uint32_t v = urb_get(s, channel_place(s, channel) + 4 * (i / 8));

		if (s->msg->exec_mask >> channel & 1)
			send_respond(s, 4 * i, &v, sizeof(v));
	}
	return EU_DONE;
}
