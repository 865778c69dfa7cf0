// SPDX-License-Identifier: MIT
/**
 * DOC: Fuzz target of everything that reads foreign bytes
 *
 * The first byte chooses generation, engine and what to do with the rest: walk it as a stream that
 * may jump into itself, with printing and checking; or read it as text, as an error state, or as a
 * zlib stream.
 */
#include <stdint.h>
#include <stdlib.h>

#include "inflate.h"
#include "input.h"

struct state {
	struct igen_print print;
	struct igen_check check;
	unsigned int commands;
};

static bool visit(struct igen_walk *w, enum igen_walk_event event, const struct igen_inst *inst,
		  __u64 address)
{
	struct state *s = w->data;

	s->check.level = w->level;
	s->check.unprivileged = w->unprivileged;
	if (event != IGEN_WALK_COMMAND)
		return true;
	if (!inst->have || inst->have > inst->length)
		abort();
	igen_print_inst(&s->print, inst, address);
	igen_check_inst(&s->check, inst, address);
	return ++s->commands < 600;
}

static void report(void *data, const struct igen_finding *f)
{
	struct state *s = data;

	fprintf(s->print.out, "%s %s\n", f->rule->id, f->section);
}

static void stream(unsigned int which, enum igen_cmd_engine engine, unsigned int how,
		   const uint8_t *data, size_t n, FILE *out)
{
	static const struct igen_cmd_set *const sets[] = { &igen_cmds_gen6, &igen_cmds_gen7,
							   &igen_cmds_gen9, &igen_cmds_gen12 };
	static struct igen_decoder decoders[4][IGEN_CMD_ENGINES];
	const struct igen_cmd_set *set = sets[which];
	struct igen_decoder *decoder = &decoders[which][engine];
	struct igen_buffer buffer = { .address = 0x1000 };
	struct igen_memory memory = { .buffers = &buffer, .nbuffers = 1 };
	struct state s = { .print = { .out = out, .colour = how & 1, .zeros = how & 2 } };
	struct igen_walk walk = {
		.d = decoder, .memory = &memory, .level = how >> 2 & 1, .visit = visit, .data = &s
	};
	__u32 *dw;

	if (igen_read_raw(data, n, &dw, &buffer.n))
		return;
	buffer.dw = dw;
	if (!decoder->set)
		igen_decoder_init(decoder, set, engine);
	igen_check_init(&s.check, set, engine, report, &s);
	s.check.fresh = how & 1;
	igen_walk(&walk, dw, buffer.n, 0x1000);
	igen_check_end(&s.check, 0);
	free(dw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static FILE *out;
	unsigned char *unpacked;
	struct igen_error e;
	unsigned int line;
	size_t size;
	__u32 *dw;

	if (!out)
		out = fopen("/dev/null", "w");
	if (!out || n < 2)
		return 0;
	/* Reading past the end shows at once if the end is the allocation's. */
	switch (data[0] >> 5) {
	case 5:
		if (!igen_read_hex((const char *)data + 2, n - 2, &dw, &size, &line))
			free(dw);
		break;
	case 6:
		igen_read_error((const char *)data + 2, n - 2, &e);
		igen_free_error(&e);
		break;
	case 7:
		igen_inflate_zlib(data + 2, n - 2, 1 << 20, &unpacked, &size);
		free(unpacked);
		break;
	default:
		stream(data[0] & 3, (data[0] >> 2 & 7) % IGEN_CMD_ENGINES, data[1], data + 2, n - 2,
		       out);
		break;
	}
	return 0;
}
