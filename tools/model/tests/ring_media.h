/* SPDX-License-Identifier: MIT */
/**
 * DOC: Threads that execute programs on Ivy Bridge
 *
 * A test puts a program, its interface descriptor and its surface at STATE, has the ring execute media_state(), and
 * then commands that start threads.
 */
#ifndef IGEN_MODEL_RING_MEDIA_H
#define IGEN_MODEL_RING_MEDIA_H

#include "ring_bench.h"

#define BASE		RCS0_BASE
#define STATE		0x50000u		/* in RAM: all bases */
#define DESCRIPTORS	0x800u			/* from there */
#define CURBE		0x900u
#define TABLE		0x1000u
#define SURFACE		0x1100u
#define OUT		0x60000u
#define OUT_BYTES	0x10000u
#define PIPELINE	0x69040000u
#define STALL		GEN7_PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_SCOREBOARD_STALL, 0, 0
#define INVALIDATE	GEN7_PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_SCOREBOARD_STALL | \
			PIPE_CONTROL_INSTRUCTION_INVALIDATE, 0, 0

static inline void media_state(bool gpgpu)
{
	ring(BASE, INVALIDATE, PIPELINE | (gpgpu ? 2 : 1), MI_NOOP);
	ring(BASE, 0x61010008, (VA + STATE) | 1, (VA + STATE) | 1, (VA + STATE) | 1, (VA + STATE) | 1,
	     (VA + STATE) | 1, 0xfffff001, 0xfffff001, 0xfffff001, 0xfffff001);
	ring(BASE, 0x70000006, 0, 35 << 16 | 2 << 8 | (gpgpu ? 4 : 0), 0, 2 << 16 | 2, 0, 0, 0);
	ring(BASE, 0x70010002, 0, 64, CURBE, 0x70020002, 0, 32, DESCRIPTORS);
}

/* A program, which has a register of constants, and its surface. */
static inline void put_program(const uint32_t *program, size_t bytes, const uint32_t surface[8])
{
	memset(ram + OUT, 0, OUT_BYTES);
	memset(ram + STATE, 0, 0x2000);
	memcpy(ram + STATE, program, bytes);
	put_dwords(STATE + SURFACE, surface, 8);
	put(STATE + TABLE, SURFACE);
	commands(STATE + DESCRIPTORS, 0, 0, 0, TABLE, 1 << 16, 1, 0, 0);
}

/* The same, whose surface is a buffer. */
static inline void put_buffer_program(const uint32_t *program, size_t bytes)
{
	static const uint32_t buffer[8] = {
		4u << 29 | 0x1ff << 18, VA + OUT, ((OUT_BYTES - 1) >> 7) << 16 | ((OUT_BYTES - 1) & 0x7f),
	};

	put_program(program, bytes, buffer);
}

#endif
