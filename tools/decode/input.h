/* SPDX-License-Identifier: MIT */
/**
 * DOC: Input formats of igen-decode
 *
 * Raw dwords in little endian, hexadecimal text, or an error state: the text of i915's
 * card<N>/error, which our own device coredump has as well. An error state names the device and
 * holds buffers by engine: batches, the ring, the context.
 */
#ifndef _IGEN_INPUT_H_
#define _IGEN_INPUT_H_

#include <stddef.h>

#include "walk.h"

/* Most that a buffer of an error state may unpack to. */
#define IGEN_INPUT_LIMIT (64u << 20)

enum igen_format { IGEN_FORMAT_AUTO, IGEN_FORMAT_RAW, IGEN_FORMAT_HEX, IGEN_FORMAT_ERROR };

/**
 * struct igen_section - a buffer of an error state
 * @engine: engine's name as written, "rcs0"
 * @name: "batch", "ring", "HW context"...
 * @address: in the graphics address space
 * @dw: the dwords, from malloc()
 * @n: their number
 * @head: of a ring: where the requests in flight begin, in bytes; -1 if not known
 * @tail: of a ring: where they end
 * @acthd: of a ring: the address that the engine was at
 * @ipehr: of a ring: the header of the command that it was at
 * @registers: are these two known?
 */
struct igen_section {
	char engine[16];
	char name[32];
	__u64 address;
	__u32 *dw;
	size_t n;
	long head, tail;
	__u64 acthd;
	__u32 ipehr;
	bool registers;
};

/**
 * struct igen_error - an error state
 * @pci_id: device; 0 if not named
 * @sections: from malloc()
 * @nsections: their number
 * @broken: sections whose data could not be read to the end
 */
struct igen_error {
	unsigned int pci_id;
	struct igen_section *sections;
	size_t nsections;
	unsigned int broken;
};

/* Tells the format of what was read. */
enum igen_format igen_guess_format(const unsigned char *data, size_t n);

/**
 * igen_read_hex() - dwords from hexadecimal text
 * @text: words of up to eight digits, 0x before them or not; "#" begins a comment, "address:"
 * before words is passed over
 * @n: bytes
 * @dw: set to the dwords, from malloc()
 * @ndw: their number
 * @line: set to the line of an error
 *
 * Return: 0, -EINVAL for what is no word, -ENOMEM.
 */
int igen_read_hex(const char *text, size_t n, __u32 **dw, size_t *ndw, unsigned int *line);

/* Dwords from raw bytes; a rest of less than four is dropped. Returns 0 or -ENOMEM. */
int igen_read_raw(const unsigned char *data, size_t n, __u32 **dw, size_t *ndw);

/**
 * igen_read_error() - an error state
 * @text: the text
 * @n: bytes
 * @e: filled; to be released with igen_free_error() whatever is returned
 *
 * Return: 0, or -ENOMEM. A section that cannot be read has no dwords, or those before the fault.
 */
int igen_read_error(const char *text, size_t n, struct igen_error *e);
void igen_free_error(struct igen_error *e);

#endif
