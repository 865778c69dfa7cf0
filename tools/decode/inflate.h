/* SPDX-License-Identifier: MIT */
#ifndef _IGEN_INFLATE_H_
#define _IGEN_INFLATE_H_

#include <stddef.h>

/**
 * igen_inflate_zlib() - unpack a zlib stream (RFC 1950 and 1951)
 * @in: the stream
 * @n: its bytes; what follows the stream's end is not looked at
 * @limit: most bytes to unpack
 * @out: set to the bytes, from malloc(); the caller's. Set also on an error, with what came before
 * it.
 * @nout: their number
 *
 * Return: 0, or -EINVAL for a stream that is no zlib, is broken off or does not have its checksum,
 * -E2BIG past the limit, -ENOMEM.
 */
int igen_inflate_zlib(const unsigned char *in, size_t n, size_t limit, unsigned char **out,
		      size_t *nout);

#endif
