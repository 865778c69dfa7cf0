/* SPDX-License-Identifier: MIT */
/**
 * DOC: Pixel shaders of Gen9 for tests
 *
 * Each stands as text in the language of Intel's assembler (iga64), and as what that made of it; the last message of
 * each ends the thread. The setup data begin in r6.
 */
#ifndef IGEN_MODEL_DRAW_PROGRAMS_H
#define IGEN_MODEL_DRAW_PROGRAMS_H

#include <stdint.h>

/*
 * Writes the texture's colour at the place that the first attribute says, 16 pixels:
 *
 *	pln (16|M0) r20.0<1>:f r6.0<0;1,0>:f r2.0<8;8,1>:f
 *	pln (16|M0) r22.0<1>:f r6.4<0;1,0>:f r2.0<8;8,1>:f
 *	send (16|M0) r30:uw r20:f 0x2 0x08840001
 *	send (16|M0) null r30:f 0x25 0x10031000
 */
static const uint32_t shader_copy16[] = {
	0x0080005a, 0x22803ae8, 0x3a0000c0, 0x008d0040, 0x0080005a, 0x22c03ae8, 0x3a0000d0, 0x008d0040,
	0x02800031, 0x23c03a48, 0x06000280, 0x08840001, 0x05800031, 0x20003a00, 0x060003c0, 0x90031000,
};

/*
 * Writes the texture's colour at the place that the first attribute says, 8 pixels:
 *
 *	pln (8|M0) r20.0<1>:f r6.0<0;1,0>:f r2.0<8;8,1>:f
 *	pln (8|M0) r21.0<1>:f r6.4<0;1,0>:f r2.0<8;8,1>:f
 *	send (8|M0) r30:uw r20:f 0x2 0x04420001
 *	send (8|M0) null r30:f 0x25 0x08031400
 */
static const uint32_t shader_copy8[] = {
	0x0060005a, 0x22803ae8, 0x3a0000c0, 0x008d0040, 0x0060005a, 0x22a03ae8, 0x3a0000d0, 0x008d0040,
	0x02600031, 0x23c03a48, 0x06000280, 0x04420001, 0x05600031, 0x20003a00, 0x060003c0, 0x88031400,
};

/*
 * Writes the first attribute's value at the first vertex, replicated:
 *
 *	mov (1|M0) r20.0<1>:f r6.3<0;1,0>:f
 *	mov (1|M0) r20.1<1>:f r6.7<0;1,0>:f
 *	mov (1|M0) r20.2<1>:f r7.3<0;1,0>:f
 *	mov (1|M0) r20.3<1>:f r7.7<0;1,0>:f
 *	send (16|M0) null r20:f 0x25 0x02031100
 */
static const uint32_t shader_fill[] = {
	0x00000001, 0x22803ae8, 0x000000cc, 0x00000000, 0x00000001, 0x22843ae8, 0x000000dc, 0x00000000,
	0x00000001, 0x22883ae8, 0x000000ec, 0x00000000, 0x00000001, 0x228c3ae8, 0x000000fc, 0x00000000,
	0x05800031, 0x20003a00, 0x06000280, 0x82031100,
};

/*
 * Writes that value with a header, which lets the first pixel through alone:
 *
 *	mov (8|M0) r40.0<1>:ud r0.0<8;8,1>:ud
 *	mov (8|M0) r41.0<1>:ud r1.0<8;8,1>:ud
 *	mov (1|M0) r41.7<1>:ud 1:ud
 *	mov (16|M0) r42.0<1>:f r6.3<0;1,0>:f
 *	mov (16|M0) r44.0<1>:f r6.7<0;1,0>:f
 *	mov (16|M0) r46.0<1>:f r7.3<0;1,0>:f
 *	mov (16|M0) r48.0<1>:f r7.7<0;1,0>:f
 *	send (16|M0) null r40:f 0x25 0x140B1000
 */
static const uint32_t shader_header[] = {
	0x00600001, 0x25000208, 0x008d0000, 0x00000000, 0x00600001, 0x25200208, 0x008d0020, 0x00000000,
	0x00000001, 0x253c0608, 0x00000000, 0x00000001, 0x00800001, 0x25403ae8, 0x000000cc, 0x00000000,
	0x00800001, 0x25803ae8, 0x000000dc, 0x00000000, 0x00800001, 0x25c03ae8, 0x000000ec, 0x00000000,
	0x00800001, 0x26003ae8, 0x000000fc, 0x00000000, 0x05800031, 0x20003a00, 0x06000500, 0x940b1000,
};

#endif
