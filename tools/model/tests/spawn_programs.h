/* SPDX-License-Identifier: MIT */
/**
 * DOC: Programs of media threads that wait for each other, for tests
 *
 * Each stands as text in the language of Intel's assembler (iga64), and as what that made of it.
 */
#ifndef IGEN_MODEL_SPAWN_PROGRAMS_H
#define IGEN_MODEL_SPAWN_PROGRAMS_H

#include <stdint.h>

/*
 * Counts itself, tells how many have before it, at 400h and its place, reads what is at its place, takes its time, and
 * writes one more at the next place:
 *
 *	and (1|M0) r2.0<1>:ud r0.1<0;1,0>:ud 0x1ff:ud
 *	shr (1|M0) r2.1<1>:ud r0.1<0;1,0>:ud 0xc:ud
 *	and (1|M0) r2.1<1>:ud r2.1<0;1,0>:ud 0x1ff0:ud
 *	add (1|M0) r2.2<1>:ud r2.1<0;1,0>:ud r2.0<0;1,0>:ud
 *	shl (1|M0) r2.3<1>:ud r2.2<0;1,0>:ud 2:ud
 *	mov (8|M0) r10.0<1>:ud 0x800:ud
 *	(W) send (1|M0) r12:ud r10:ud 0xC 0x0210B500
 *	add (8|M0) r14.0<1>:ud r2.3<0;1,0>:ud 0x400:ud
 *	mov (8|M0) r15.0<1>:ud r12.0<0;1,0>:ud
 *	(W) send (1|M0) null r14:ud 0xC 0x04026E00
 *	mov (8|M0) r16.0<1>:ud r2.3<0;1,0>:ud
 *	(W) send (1|M0) r18:ud r16:ud 0xC 0x02106E00
 *	mov (1|M0) r3.0<1>:ud 400:ud
 *	L0:
 *	add (1|M0) r3.0<1>:d r3.0<0;1,0>:d -1:d
 *	cmp (8|M0) (gt)f0.0 null:d r3.0<0;1,0>:d 0:d
 *	(W&f0.0) jmpi (1|M0) L0
 *	add (8|M0) r20.0<1>:ud r2.3<0;1,0>:ud 4:ud
 *	add (8|M0) r21.0<1>:ud r18.0<0;1,0>:ud 1:ud
 *	(W) send (1|M0) null r20:ud 0xC 0x04026E00
 *	mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud
 *	(W) send (8|M0) null r112:ud 0x27 0x02000010
 */
static const uint32_t program_chain[] = {
	0x00000005, 0x20400208, 0x06000004, 0x000001ff, 0x00000008, 0x20440208, 0x06000004, 0x0000000c,
	0x00000005, 0x20440208, 0x06000044, 0x00001ff0, 0x00000040, 0x20480208, 0x02000044, 0x00000040,
	0x00000009, 0x204c0208, 0x06000048, 0x00000002, 0x00600001, 0x21400608, 0x00000000, 0x00000800,
	0x0c000031, 0x2180020c, 0x06000140, 0x0210b500, 0x00600040, 0x21c00208, 0x0600004c, 0x00000400,
	0x00600001, 0x21e00208, 0x00000180, 0x00000000, 0x0c000031, 0x20000204, 0x060001c0, 0x04026e00,
	0x00600001, 0x22000208, 0x0000004c, 0x00000000, 0x0c000031, 0x2240020c, 0x06000200, 0x02106e00,
	0x00000001, 0x20600608, 0x00000000, 0x00000190, 0x00000040, 0x20600a28, 0x0e000060, 0xffffffff,
	0x03600010, 0x20000a20, 0x0e000060, 0x00000000, 0x00010020, 0x34000004, 0x0e001400, 0xffffffd0,
	0x00600040, 0x22800208, 0x0600004c, 0x00000004, 0x00600040, 0x22a00208, 0x06000240, 0x00000001,
	0x0c000031, 0x20000204, 0x06000280, 0x04026e00, 0x00600001, 0x2e000208, 0x008d0000, 0x00000000,
	0x07600031, 0x20000204, 0x06000e00, 0x82000010,
};

/*
 * Starts twelve children by the second descriptor, each with a header and its number, waits until each has sent a
 * message, tells what they have written to its registers, and gives back its entry of the URB:
 *
 *	mov (1|M0) r5.0<1>:ud sr0.0<0;1,0>:ud
 *	mov (8|M0) r30.0<1>:ud 0:ud
 *	and (1|M0) r30.0<1>:ud r0.0<0;1,0>:ud 0xffff:ud
 *	mov (1|M0) r30.5<1>:ud 0xff00:ud
 *	mov (8|M0) r31.0<1>:ud 0:ud
 *	shl (1|M0) r31.4<1>:ud r5.0<0;1,0>:ud 16:ud
 *	mov (8|M0) r40.0<1>:ud 0:ud
 *	and (1|M0) r40.0<1>:ud r0.0<0;1,0>:ud 0xffff:ud
 *	mov (1|M0) r40.2<1>:ud 0x10:ud
 *	mov (1|M0) r6.0<1>:ud 0:ud
 *	L0:
 *	mov (8|M0) r32.0<1>:ud r6.0<0;1,0>:ud
 *	shl (1|M0) r30.3<1>:ud r6.0<0;1,0>:ud 1:ud
 *	(W) send (8|M0) null r30:ud 0x6 0x060A0000
 *	add (1|M0) r40.4<1>:ud r30.3<0;1,0>:ud 0x800:ud
 *	(W) send (8|M0) null r40:ud 0x7 0x02000001
 *	add (1|M0) r6.0<1>:ud r6.0<0;1,0>:ud 1:ud
 *	cmp (8|M0) (lt)f0.0 null:ud r6.0<0;1,0>:ud 12:ud
 *	(W&f0.0) jmpi (1|M0) L0
 *	L1:
 *	wait (1|M0) n0.0<0;1,0>:ud
 *	add (1|M0) r6.0<1>:d r6.0<0;1,0>:d -1:d
 *	cmp (8|M0) (gt)f0.0 null:d r6.0<0;1,0>:d 0:d
 *	(W&f0.0) jmpi (1|M0) L1
 *	mov (8|M0) r59.0<1>:ud r0.0<8;8,1>:ud
 *	mov (1|M0) r59.2<1>:ud 0x10:ud
 *	(W) send (16|M0) null r59:ud 0xA 0x060A0300
 *	mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud
 *	(W) send (8|M0) null r112:ud 0x27 0x02000000
 */
static const uint32_t program_parent[] = {
	0x00000001, 0x20a00008, 0x00000e00, 0x00000000, 0x00600001, 0x23c00608, 0x00000000, 0x00000000,
	0x00000005, 0x23c00208, 0x06000000, 0x0000ffff, 0x00000001, 0x23d40608, 0x00000000, 0x0000ff00,
	0x00600001, 0x23e00608, 0x00000000, 0x00000000, 0x00000009, 0x23f00208, 0x060000a0, 0x00000010,
	0x00600001, 0x25000608, 0x00000000, 0x00000000, 0x00000005, 0x25000208, 0x06000000, 0x0000ffff,
	0x00000001, 0x25080608, 0x00000000, 0x00000010, 0x00000001, 0x20c00608, 0x00000000, 0x00000000,
	0x00600001, 0x24000208, 0x000000c0, 0x00000000, 0x00000009, 0x23cc0208, 0x060000c0, 0x00000001,
	0x06600031, 0x20000204, 0x060003c0, 0x060a0000, 0x00000040, 0x25100208, 0x060003cc, 0x00000800,
	0x07600031, 0x20000204, 0x06000500, 0x02000001, 0x00000040, 0x20c00208, 0x060000c0, 0x00000001,
	0x05600010, 0x20000200, 0x060000c0, 0x0000000c, 0x00010020, 0x34000004, 0x0e001400, 0xffffff80,
	0x00000030, 0x32000000, 0x00001200, 0x00000000, 0x00000040, 0x20c00a28, 0x0e0000c0, 0xffffffff,
	0x03600010, 0x20000a20, 0x0e0000c0, 0x00000000, 0x00010020, 0x34000004, 0x0e001400, 0xffffffc0,
	0x00600001, 0x27600208, 0x008d0000, 0x00000000, 0x00000001, 0x27680608, 0x00000000, 0x00000010,
	0x0a800031, 0x20000204, 0x06000760, 0x060a0300, 0x00600001, 0x2e000208, 0x008d0000, 0x00000000,
	0x07600031, 0x20000204, 0x06000e00, 0x82000000,
};

/*
 * Sends 500 more than its number to its parent, to a dword of its own, and ends:
 *
 *	mov (8|M0) r20.0<1>:ud 0:ud
 *	add (1|M0) r20.0<1>:ud r1.0<0;1,0>:ud 500:ud
 *	mov (1|M0) r20.4<1>:ud r0.4<0;1,0>:ud
 *	shl (1|M0) r20.5<1>:ud r1.0<0;1,0>:ud 2:ud
 *	add (1|M0) r20.5<1>:ud r20.5<0;1,0>:ud 1920:ud
 *	shl (1|M0) r20.5<1>:ud r20.5<0;1,0>:ud 16:ud
 *	or (1|M0) r20.5<1>:ud r20.5<0;1,0>:ud 0x200:ud
 *	(W) send (8|M0) null r20:ud 0x3 0x02008002
 *	mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud
 *	(W) send (8|M0) null r112:ud 0x27 0x02000012
 */
static const uint32_t program_child[] = {
	0x00600001, 0x22800608, 0x00000000, 0x00000000, 0x00000040, 0x22800208, 0x06000020, 0x000001f4,
	0x00000001, 0x22900208, 0x00000010, 0x00000000, 0x00000009, 0x22940208, 0x06000020, 0x00000002,
	0x00000040, 0x22940208, 0x06000294, 0x00000780, 0x00000009, 0x22940208, 0x06000294, 0x00000010,
	0x00000006, 0x22940208, 0x06000294, 0x00000200, 0x03600031, 0x20000204, 0x06000280, 0x02008002,
	0x00600001, 0x2e000208, 0x008d0000, 0x00000000, 0x07600031, 0x20000204, 0x06000e00, 0x82000012,
};

/*
 * Takes its time, writes 5 to 910h, lets a root thread start, with 1234h for it, waits until 900h is set, and
 * writes 7 to 904h:
 *
 *	mov (8|M0) r30.0<1>:ud 0:ud
 *	and (1|M0) r30.0<1>:ud r0.0<0;1,0>:ud 0xffff:ud
 *	mov (1|M0) r30.5<1>:ud 0xff00:ud
 *	mov (8|M0) r31.0<1>:ud 0x1234:ud
 *	(W) send (8|M0) null r30:ud 0x6 0x04080000
 *	mov (1|M0) r3.0<1>:ud 400:ud
 *	L0:
 *	add (1|M0) r3.0<1>:d r3.0<0;1,0>:d -1:d
 *	cmp (8|M0) (gt)f0.0 null:d r3.0<0;1,0>:d 0:d
 *	(W&f0.0) jmpi (1|M0) L0
 *	mov (8|M0) r14.0<1>:ud 0x910:ud
 *	mov (8|M0) r15.0<1>:ud 5:ud
 *	(W) send (1|M0) null r14:ud 0xC 0x04026E00
 *	mov (8|M0) r40.0<1>:ud 0:ud
 *	and (1|M0) r40.0<1>:ud r0.0<0;1,0>:ud 0xffff:ud
 *	mov (1|M0) r40.4<1>:ud 0x400:ud
 *	(W) send (8|M0) null r40:ud 0x7 0x02000011
 *	mov (8|M0) r16.0<1>:ud 0x900:ud
 *	L1:
 *	(W) send (1|M0) r18:ud r16:ud 0xC 0x02106E00
 *	cmp (8|M0) (eq)f0.0 null:ud r18.0<0;1,0>:ud 0:ud
 *	(W&f0.0) jmpi (1|M0) L1
 *	mov (8|M0) r14.0<1>:ud 0x904:ud
 *	mov (8|M0) r15.0<1>:ud 7:ud
 *	(W) send (1|M0) null r14:ud 0xC 0x04026E00
 *	mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud
 *	(W) send (8|M0) null r112:ud 0x27 0x02000000
 */
static const uint32_t program_release[] = {
	0x00600001, 0x23c00608, 0x00000000, 0x00000000, 0x00000005, 0x23c00208, 0x06000000, 0x0000ffff,
	0x00000001, 0x23d40608, 0x00000000, 0x0000ff00, 0x00600001, 0x23e00608, 0x00000000, 0x00001234,
	0x06600031, 0x20000204, 0x060003c0, 0x04080000, 0x00000001, 0x20600608, 0x00000000, 0x00000190,
	0x00000040, 0x20600a28, 0x0e000060, 0xffffffff, 0x03600010, 0x20000a20, 0x0e000060, 0x00000000,
	0x00010020, 0x34000004, 0x0e001400, 0xffffffd0, 0x00600001, 0x21c00608, 0x00000000, 0x00000910,
	0x00600001, 0x21e00608, 0x00000000, 0x00000005, 0x0c000031, 0x20000204, 0x060001c0, 0x04026e00,
	0x00600001, 0x25000608, 0x00000000, 0x00000000, 0x00000005, 0x25000208, 0x06000000, 0x0000ffff,
	0x00000001, 0x25100608, 0x00000000, 0x00000400, 0x07600031, 0x20000204, 0x06000500, 0x02000011,
	0x00600001, 0x22000608, 0x00000000, 0x00000900, 0x0c000031, 0x2240020c, 0x06000200, 0x02106e00,
	0x01600010, 0x20000200, 0x06000240, 0x00000000, 0x00010020, 0x34000004, 0x0e001400, 0xffffffd0,
	0x00600001, 0x21c00608, 0x00000000, 0x00000904, 0x00600001, 0x21e00608, 0x00000000, 0x00000007,
	0x0c000031, 0x20000204, 0x060001c0, 0x04026e00, 0x00600001, 0x2e000208, 0x008d0000, 0x00000000,
	0x07600031, 0x20000204, 0x06000e00, 0x82000000,
};

/*
 * Tells what is at 910h, what is in its first two registers of data, and sets 900h:
 *
 *	mov (8|M0) r16.0<1>:ud 0x910:ud
 *	(W) send (1|M0) r18:ud r16:ud 0xC 0x02106E00
 *	mov (8|M0) r14.0<1>:ud 0x914:ud
 *	mov (8|M0) r15.0<1>:ud r18.0<0;1,0>:ud
 *	(W) send (1|M0) null r14:ud 0xC 0x04026E00
 *	mov (8|M0) r14.0<1>:ud 0x908:ud
 *	mov (8|M0) r15.0<1>:ud r1.0<0;1,0>:ud
 *	(W) send (1|M0) null r14:ud 0xC 0x04026E00
 *	mov (8|M0) r14.0<1>:ud 0x90c:ud
 *	mov (8|M0) r15.0<1>:ud r2.0<0;1,0>:ud
 *	(W) send (1|M0) null r14:ud 0xC 0x04026E00
 *	mov (8|M0) r14.0<1>:ud 0x900:ud
 *	mov (8|M0) r15.0<1>:ud 1:ud
 *	(W) send (1|M0) null r14:ud 0xC 0x04026E00
 *	mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud
 *	(W) send (8|M0) null r112:ud 0x27 0x02000010
 */
static const uint32_t program_released[] = {
	0x00600001, 0x22000608, 0x00000000, 0x00000910, 0x0c000031, 0x2240020c, 0x06000200, 0x02106e00,
	0x00600001, 0x21c00608, 0x00000000, 0x00000914, 0x00600001, 0x21e00208, 0x00000240, 0x00000000,
	0x0c000031, 0x20000204, 0x060001c0, 0x04026e00, 0x00600001, 0x21c00608, 0x00000000, 0x00000908,
	0x00600001, 0x21e00208, 0x00000020, 0x00000000, 0x0c000031, 0x20000204, 0x060001c0, 0x04026e00,
	0x00600001, 0x21c00608, 0x00000000, 0x0000090c, 0x00600001, 0x21e00208, 0x00000040, 0x00000000,
	0x0c000031, 0x20000204, 0x060001c0, 0x04026e00, 0x00600001, 0x21c00608, 0x00000000, 0x00000900,
	0x00600001, 0x21e00608, 0x00000000, 0x00000001, 0x0c000031, 0x20000204, 0x060001c0, 0x04026e00,
	0x00600001, 0x2e000208, 0x008d0000, 0x00000000, 0x07600031, 0x20000204, 0x06000e00, 0x82000010,
};

/*
 * Waits until 900h is set:
 *
 *	mov (8|M0) r16.0<1>:ud 0x900:ud
 *	L1:
 *	(W) send (1|M0) r18:ud r16:ud 0xC 0x02106E00
 *	cmp (8|M0) (eq)f0.0 null:ud r18.0<0;1,0>:ud 0:ud
 *	(W&f0.0) jmpi (1|M0) L1
 *	mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud
 *	(W) send (8|M0) null r112:ud 0x27 0x02000010
 */
static const uint32_t program_poll[] = {
	0x00600001, 0x22000608, 0x00000000, 0x00000900, 0x0c000031, 0x2240020c, 0x06000200, 0x02106e00,
	0x01600010, 0x20000200, 0x06000240, 0x00000000, 0x00010020, 0x34000004, 0x0e001400, 0xffffffd0,
	0x00600001, 0x2e000208, 0x008d0000, 0x00000000, 0x07600031, 0x20000204, 0x06000e00, 0x82000010,
};

#endif
