// SPDX-License-Identifier: MIT
/**
 * DOC: The walk's rules
 *
 * From the ring, MI_BATCH_BUFFER_START calls; in a batch it chains, or calls when the second-level
 * bit is set. The end of a batch returns to the caller. A batch started from a process's address
 * space stays in it, whatever its address space indicator says (DG1 Vol 2a, MI_BATCH_BUFFER_START).
 * Addresses are compared in 48 bits, as streams hold them with the sign extended and without.
 */
#include "walk.h"

#define ADDRESS_MASK ((1ull << 48) - 1)

struct frame {
	const __u32 *dw;
	size_t left;
	__u64 address;
	bool unprivileged;
};

const __u32 *igen_memory_at(const struct igen_memory *m, __u64 address, size_t *n)
{
	size_t i;

	address &= ADDRESS_MASK;
	for (i = 0; m && i < m->nbuffers; i++) {
		const struct igen_buffer *b = &m->buffers[i];
		__u64 offset = address - (b->address & ADDRESS_MASK);

		if (address % 4 == 0 && address >= (b->address & ADDRESS_MASK) &&
		    offset / 4 < b->n) {
			*n = b->n - offset / 4;
			return b->dw + offset / 4;
		}
	}
	return NULL;
}

/* The fields of a start that the walk needs, looked up once. */
struct start_fields {
	const struct igen_cmd *start, *end;
	const struct igen_cmd_field *second, *space, *address;
};

static bool flag(const struct igen_cmd_field *f, const struct igen_inst *inst)
{
	return f && igen_field_present(f, 0, inst->have) && igen_field_bits(f, 0, inst->dw);
}

/* Goes to where a start leads. Returns false if the walk is over. */
static bool jump(struct igen_walk *w, const struct start_fields *s, const struct igen_inst *inst,
		 struct frame *f, struct frame *stack, unsigned int *depth)
{
	enum igen_walk_event event = IGEN_WALK_CHAIN;
	const __u32 *dw;
	__u64 target;
	size_t n;

	if (!s->address || !igen_field_present(s->address, 0, inst->have))
		return true;
	target = igen_field_value(s->address, 0, inst->dw);
	dw = igen_memory_at(w->memory, target, &n);
	if (!dw)
		return w->visit(w, IGEN_WALK_MISSING, NULL, target);
	if (!w->level || flag(s->second, inst)) {
		if (*depth == IGEN_WALK_LEVELS)
			return w->visit(w, IGEN_WALK_TOO_DEEP, NULL, target);
		f->unprivileged = w->unprivileged;
		stack[(*depth)++] = *f;
		w->level++;
		event = IGEN_WALK_ENTER;
	}
	w->unprivileged |= flag(s->space, inst);
	*f = (struct frame){ .dw = dw, .left = n, .address = target };
	return w->visit(w, event, NULL, target);
}

void igen_walk(struct igen_walk *w, const __u32 *dw, size_t n, __u64 address)
{
	const struct igen_cmd_set *set = w->d->set;
	struct frame stack[IGEN_WALK_LEVELS], f = { .dw = dw, .left = n, .address = address };
	unsigned int depth = 0, jumps = 0;
	struct start_fields s = {
		.start = igen_find_cmd(set, "MI_BATCH_BUFFER_START"),
		.end = igen_find_cmd(set, "MI_BATCH_BUFFER_END"),
	};

	if (s.start) {
		s.second = igen_find_field(s.start, "Second Level Batch Buffer");
		s.space = igen_find_field(s.start, "Address Space Indicator");
		s.address = igen_find_field(s.start, "Batch Buffer Start Address");
	}
	while (f.left) {
		struct igen_inst inst;
		__u64 at = f.address;
		size_t step = igen_step(w->d, f.dw, f.left, &inst);

		f.dw += step;
		f.left -= step;
		f.address += step * 4;
		if (!w->visit(w, IGEN_WALK_COMMAND, &inst, at))
			return;
		if (inst.cmd && inst.cmd == s.start) {
			if (++jumps > IGEN_WALK_JUMPS) {
				w->visit(w, IGEN_WALK_TOO_MANY, NULL, at);
				return;
			}
			if (!jump(w, &s, &inst, &f, stack, &depth))
				return;
		} else if (inst.cmd && inst.cmd == s.end) {
			if (!depth)
				return;
			f = stack[--depth];
			w->level--;
			w->unprivileged = f.unprivileged;
			if (!w->visit(w, IGEN_WALK_RETURN, NULL, f.address))
				return;
		}
	}
	w->visit(w, IGEN_WALK_END, NULL, f.address);
}
