// SPDX-License-Identifier: MIT
/**
 * DOC: The shared functions' part of a message
 */
#include <string.h>

#include "judge.h"

static __u32 mix(__u32 hash, __u32 value)
{
	hash = (hash ^ value) * 0x01000193u;
	return hash ^ hash >> 15;
}

/* The next dword of the payload, round and round. */
static __u32 next_dword(const struct eu_ref_message *m, const __u8 *const payload[2], unsigned int *at)
{
	unsigned int all = (m->length[0] + m->length[1]) * 8, n = (*at)++ % all;
	const __u8 *from = n < m->length[0] * 8u ? payload[0] + n * 4 : payload[1] + (n - m->length[0] * 8u) * 4;
	__u32 value;

	memcpy(&value, from, 4);
	return value;
}

void judge_answer(const struct eu_ref_message *m, const __u8 *const payload[2], __u8 *response)
{
	__u32 hash = mix(mix(mix(2166136261u, m->desc), m->ex_desc), m->mask << 1 | m->header);
	unsigned int i, k, at = 0;

	for (i = 0; i < m->response_length * 8u && response; i++) {
		for (k = 0; k < 5 && m->length[0]; k++)
			hash = mix(hash, next_dword(m, payload, &at));
		if (m->header || m->mask >> i % 32 & 1)
			memcpy(response + i * 4, &hash, 4);
	}
}
