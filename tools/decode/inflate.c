// SPDX-License-Identifier: MIT
/**
 * DOC: Unpacking of captured buffers
 *
 * Error states hold their buffers as zlib streams. The decoder depends on no library, so here is
 * the format of RFC 1951: blocks stored, of fixed or of dynamic codes. A code is decoded bit by bit
 * from the counts of codes by length: codes of one length are consecutive numbers, so a code's
 * place among them gives the symbol.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inflate.h"

#define MAX_BITS  15
#define LITERALS  288
#define DISTANCES 32

struct stream {
	const unsigned char *in;
	size_t n, at;
	uint32_t bits;
	unsigned int nbits;
	unsigned char *out;
	size_t nout, room, limit;
	int error;
};

struct code {
	uint16_t count[MAX_BITS + 1];
	uint16_t symbol[LITERALS];
};

/* The next @n bits, least significant first; 0 and an error at the end. */
static unsigned int take(struct stream *s, unsigned int n)
{
	unsigned int v;

	while (s->nbits < n) {
		if (s->at == s->n) {
			s->error = -EINVAL;
			return 0;
		}
		s->bits |= (uint32_t)s->in[s->at++] << s->nbits;
		s->nbits += 8;
	}
	v = s->bits & ((1u << n) - 1);
	s->bits >>= n;
	s->nbits -= n;
	return v;
}

static bool put(struct stream *s, unsigned char byte)
{
	if (s->nout == s->limit) {
		s->error = -E2BIG;
		return false;
	}
	if (s->nout == s->room) {
		size_t room = s->room ? s->room * 2 : 4096;
		unsigned char *out = realloc(s->out, room);

		if (!out) {
			s->error = -ENOMEM;
			return false;
		}
		s->out = out;
		s->room = room;
	}
	s->out[s->nout++] = byte;
	return true;
}

/* A code from its symbols' lengths. False if there are more codes than bits can tell. */
static bool build(struct code *c, const unsigned char *length, unsigned int n)
{
	uint16_t first[MAX_BITS + 2];
	unsigned int i;
	int left = 1;

	memset(c->count, 0, sizeof(c->count));
	for (i = 0; i < n; i++)
		c->count[length[i]]++;
	c->count[0] = 0;
	for (i = 1; i <= MAX_BITS; i++) {
		left = left * 2 - c->count[i];
		if (left < 0)
			return false;
	}
	first[1] = 0;
	for (i = 1; i <= MAX_BITS; i++)
		first[i + 1] = first[i] + c->count[i];
	for (i = 0; i < n; i++)
		if (length[i])
			c->symbol[first[length[i]]++] = i;
	return true;
}

/* The next symbol, or -1. */
static int decode(struct stream *s, const struct code *c)
{
	int number = 0, first = 0, index = 0;
	unsigned int i;

	for (i = 1; i <= MAX_BITS && !s->error; i++) {
		number |= take(s, 1);
		if (number - first < c->count[i])
			return c->symbol[index + number - first];
		index += c->count[i];
		first = (first + c->count[i]) << 1;
		number <<= 1;
	}
	s->error = -EINVAL;
	return -1;
}

static void copy_back(struct stream *s, unsigned int length, unsigned int distance)
{
	if (distance > s->nout) {
		s->error = -EINVAL;
		return;
	}
	while (length-- && put(s, s->out[s->nout - distance]))
		;
}

/* A block of literals and of copies of what came before. */
static void block(struct stream *s, const struct code *literal, const struct code *distance)
{
	static const uint16_t length_base[] = { 3,  4,	5,  6,	 7,   8,   9,	10,  11, 13,
						15, 17, 19, 23,	 27,  31,  35,	43,  51, 59,
						67, 83, 99, 115, 131, 163, 195, 227, 258 };
	static const uint8_t length_more[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
					       2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
	static const uint16_t distance_base[] = { 1,	2,    3,    4,	   5,	  7,	9,    13,
						  17,	25,   33,   49,	   65,	  97,	129,  193,
						  257,	385,  513,  769,   1025,  1537, 2049, 3073,
						  4097, 6145, 8193, 12289, 16385, 24577 };
	static const uint8_t distance_more[] = {
		0, 0, 0, 0, 1, 1, 2, 2,	 3,  3,	 4,  4,	 5,  5,	 6,
		6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13
	};
	unsigned int length, back;
	int symbol;

	while (!s->error) {
		symbol = decode(s, literal);
		if (symbol < 0)
			return;
		if (symbol < 256) {
			put(s, symbol);
			continue;
		}
		if (symbol == 256)
			return;
		symbol -= 257;
		if (symbol >= (int)(sizeof(length_base) / sizeof(length_base[0]))) {
			s->error = -EINVAL;
			return;
		}
		length = length_base[symbol] + take(s, length_more[symbol]);
		symbol = decode(s, distance);
		if (symbol < 0 ||
		    symbol >= (int)(sizeof(distance_base) / sizeof(distance_base[0]))) {
			s->error = -EINVAL;
			return;
		}
		back = distance_base[symbol] + take(s, distance_more[symbol]);
		if (!s->error)
			copy_back(s, length, back);
	}
}

static void stored(struct stream *s)
{
	unsigned int n, check;

	s->bits = 0;
	s->nbits = 0;
	n = take(s, 16);
	check = take(s, 16);
	if (s->error || n != (~check & 0xffff)) {
		s->error = -EINVAL;
		return;
	}
	while (n-- && !s->error) {
		unsigned char byte = take(s, 8);

		if (!s->error)
			put(s, byte);
	}
}

static void fixed(struct stream *s)
{
	unsigned char length[LITERALS];
	struct code literal, distance;

	memset(length, 8, 144);
	memset(length + 144, 9, 112);
	memset(length + 256, 7, 24);
	memset(length + 280, 8, 8);
	build(&literal, length, LITERALS);
	memset(length, 5, 30);
	build(&distance, length, 30);
	block(s, &literal, &distance);
}

/* The codes' own lengths are coded, with repeats. */
static void dynamic(struct stream *s)
{
	static const uint8_t order[] = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
					 11, 4,	 12, 3, 13, 2, 14, 1, 15 };
	unsigned int nlen = take(s, 5) + 257, ndist = take(s, 5) + 1, ncode = take(s, 4) + 4, i,
		     repeat;
	unsigned char length[LITERALS + DISTANCES] = { 0 }, value;
	struct code literal, distance;
	int symbol;

	if (s->error || nlen > 286 || ndist > 30)
		goto bad;
	for (i = 0; i < ncode; i++)
		length[order[i]] = take(s, 3);
	if (s->error || !build(&literal, length, 19))
		goto bad;
	memset(length, 0, sizeof(length));
	for (i = 0; i < nlen + ndist;) {
		symbol = decode(s, &literal);
		if (symbol < 0)
			goto bad;
		if (symbol < 16) {
			length[i++] = symbol;
			continue;
		}
		value = 0;
		if (symbol == 16) {
			if (!i)
				goto bad;
			value = length[i - 1];
			repeat = 3 + take(s, 2);
		} else {
			repeat = symbol == 17 ? 3 + take(s, 3) : 11 + take(s, 7);
		}
		if (s->error || i + repeat > nlen + ndist)
			goto bad;
		while (repeat--)
			length[i++] = value;
	}
	if (!build(&literal, length, nlen) || !build(&distance, length + nlen, ndist))
		goto bad;
	block(s, &literal, &distance);
	return;
bad:
	s->error = -EINVAL;
}

/* The stream's own sum of what it holds (RFC 1950, 8.2), against what came out. */
static void verify(struct stream *s)
{
	uint32_t a = 1, b = 0, sum = 0;
	unsigned int i;
	size_t k;

	/* Whole bytes that were taken ahead belong to the sum. */
	s->at -= s->nbits / 8;
	for (i = 0; i < 4 && s->at + i < s->n; i++)
		sum = sum << 8 | s->in[s->at + i];
	for (k = 0; k < s->nout; k++) {
		a = (a + s->out[k]) % 65521;
		b = (b + a) % 65521;
	}
	if (i < 4 || sum != (b << 16 | a))
		s->error = -EINVAL;
}

int igen_inflate_zlib(const unsigned char *in, size_t n, size_t limit, unsigned char **out,
		      size_t *nout)
{
	struct stream s = { .in = in, .n = n, .at = 2, .limit = limit };
	bool last = false;

	*out = NULL;
	*nout = 0;
	/* Deflate, no preset dictionary, the header a multiple of 31 (RFC 1950, 2.2). */
	if (n < 2 || (in[0] & 0xf) != 8 || (in[0] * 256 + in[1]) % 31 || in[1] & 0x20)
		return -EINVAL;
	while (!last && !s.error) {
		last = take(&s, 1);
		switch (take(&s, 2)) {
		case 0:
			stored(&s);
			break;
		case 1:
			fixed(&s);
			break;
		case 2:
			dynamic(&s);
			break;
		default:
			s.error = -EINVAL;
			break;
		}
	}
	if (!s.error)
		verify(&s);
	*out = s.out;
	*nout = s.nout;
	return s.error;
}
