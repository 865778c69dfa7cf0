// SPDX-License-Identifier: MIT
/**
 * DOC: What a thread starts with
 *
 * The interface descriptor says which program, how its floats are, and where its constants are. The first register is
 * the thread's header (IVB Vol 2 Part 2, 1.7.1.1 and 1.7.1.5). Then come, each from a register of its own:
 *
 * ================================ ===========================================================================
 * GPGPU, constants (CURBE)         those of the whole group, then those of the thread
 * GPGPU, indirect data of the      those of the thread, then those of the whole group (public facts: the
 * walker (Gen9)                    order in which Intel's compute driver and compiler have them)
 * media                            constants, then what a synchronised thread gets from the one that lets it
 *                                  start, then the command's inline data, then its indirect data
 * MEDIA_OBJECT_GRPID               constants or indirect data, as those of GPGPU, or the command's inline data
 *                                  (DG1 Vol 2a; that indirect data has the order of the walker's is an assumption)
 * a child thread                   all from the URB: the header, too; the constants are behind it (1.7.1.4)
 * ================================ ===========================================================================
 *
 * In memory the group's constants come first, and those of thread n are behind those of n - 1. What lies beyond the
 * loaded constants is 0 here; on silicon it is what the URB had before.
 */
#include <string.h>

#include "media/media.h"
#include "neutral_state.h"

#define DESCRIPTOR_BYTES	32u
#define LAST_REGISTER		(EU_GRFS - 1)

/**
 * payload_descriptor - reads an interface descriptor
 * @s: the shared functions
 * @state: of the context
 * @loads: where the descriptors are
 * @number: which one
 * @d: filled
 *
 * Return: false if there is none of this number, or its memory is not there.
 */
bool payload_descriptor(struct shared *s, const struct media_state *state, const struct media_loads *loads,
			unsigned int number, struct media_descriptor *d)
{
	uint32_t dw[INTERFACE_DESCRIPTOR_DATA_DWORDS] = { 0 };
	struct interface_descriptor_data c;

	if ((number + 1) * DESCRIPTOR_BYTES > loads->descriptor_bytes ||
	    !shared_read(s, state->bases.dynamic + loads->descriptors + number * DESCRIPTOR_BYTES, dw, sizeof(dw)))
		return false;
	interface_descriptor_data_get(s->gen, dw, &c);
	*d = (struct media_descriptor){
		.kernel = c.kernel_start_pointer,
		.binding_table = (uint32_t)c.binding_table_pointer,
		.sampler_state = (uint32_t)c.sampler_state_pointer,
		.cr0 = (c.floating_point_mode ? EU_CR0_ALT : 0) | (c.single_program_flow ? EU_CR0_SPF : 0) |
		       c.rounding_mode << EU_CR0_ROUND_SHIFT,
		.cr1 = (c.illegal_opcode_exception_enable ? EU_CR1_ILLEGAL_ENABLE : 0) |
		       (c.software_exception_enable ? EU_CR1_SOFTWARE_ENABLE : 0),
		.read_offset = c.constant_urb_entry_read_offset,
		.read_length = c.constant_urb_entry_read_length,
		.cross_length = c.cross_thread_constant_data_read_length,
		.slm_bytes = s->platform->slm_bytes(c.shared_local_memory_size),
		.barrier_threads = c.barrier_enable ? c.number_of_threads_in_gpgpu_thread_group : 0,
	};
	return true;
}

/* Memory that payloads come from: so many bytes from an address on. */
struct source {
	uint64_t addr;
	uint32_t bytes;
};

/* Copies registers to the thread, from one on; returns the one behind them. What does not fit is left out. */
static unsigned int copy(const struct media_payload *p, struct eu_thread *thread, unsigned int reg,
			 const struct source *from, uint64_t first, unsigned int registers)
{
	unsigned int n = reg < EU_GRFS ? EU_GRFS - reg : 0;
	uint64_t offset = first * EU_GRF_BYTES;
	unsigned int bytes;

	n = registers < n ? registers : n;
	bytes = n * EU_GRF_BYTES;
	if (offset >= from->bytes)
		return reg + n;
	bytes = from->bytes - offset < bytes ? (unsigned int)(from->bytes - offset) : bytes;
	shared_read(p->shared, from->addr + offset, thread->grf[reg], bytes);
	return reg + n;
}

static struct source constants(const struct media_payload *p, const struct media_loads *loads)
{
	return (struct source){ p->state->bases.dynamic + loads->curbe, loads->curbe_bytes };
}

/**
 * payload_program - where a thread's program is
 * @p: what it starts from
 * @thread: its address space, and the bases that its instruction pointer and the system routine's count from, are set
 */
void payload_program(const struct media_payload *p, struct eu_thread *thread)
{
	thread->base = p->state->bases.instruction + (p->descriptor->kernel & ~(uint64_t)UINT32_MAX);
	thread->sip = (uint32_t)p->state->sip;
	thread->space = p->shared->vm.ggtt ? 1 : p->shared->vm.pml4;
}

/* What r0.2 has of a barrier and local memory. */
static uint32_t shared_bits(const struct media_descriptor *d)
{
	return (d->barrier_threads ? 1u << 29 : 0) | (d->slm_bytes ? 1u << 28 : 0);
}

/* Constants of a thread in a group: those of the group, then its own. */
static unsigned int put_shares(const struct media_payload *p, const struct media_loads *loads, unsigned int index,
			       struct eu_thread *thread)
{
	const struct media_descriptor *d = p->descriptor;
	struct source from = constants(p, loads);
	unsigned int reg = copy(p, thread, 1, &from, d->read_offset, d->cross_length);

	return copy(p, thread, reg, &from, d->read_offset + d->cross_length + (uint64_t)index * d->read_length,
		    d->read_length);
}

static void set_common(const struct media_payload *p, struct eu_thread *thread, unsigned int index)
{
	uint32_t space = p->shared->platform->scratch_bytes(p->state->scratch_code), r0[8];

	memcpy(r0, thread->grf[0], sizeof(r0));
	r0[2] |= p->number << 4;
	r0[3] = (p->descriptor->sampler_state & ~31u) | p->state->scratch_code;
	r0[4] = p->descriptor->binding_table & ~31u;
	/* Threads have numbers, which tell their scratch spaces apart. */
	r0[5] = (((uint32_t)p->state->scratch + index * space) & ~1023u) | index;
	memcpy(thread->grf[0], r0, sizeof(r0));
	thread->ip = (uint32_t)p->descriptor->kernel;
	thread->cr[0] |= p->descriptor->cr0;
	thread->cr[1] |= p->descriptor->cr1;
	payload_program(p, thread);
}

/**
 * payload_mask - the execution mask of a thread of a group
 * @walk: the walker
 * @index: the thread's number in the group
 *
 * Return: a bit for each channel; those of the last thread of a row and those of the last row have masks.
 */
uint32_t payload_mask(const struct media_walk *walk, unsigned int index)
{
	uint32_t mask = walk->simd >= 2 ? ~0u : (1u << (8u << walk->simd)) - 1;
	unsigned int row = walk->width + 1u, rows = walk->height + 1u;

	if (index % row == walk->width)
		mask &= walk->right;
	if (index / row % rows == walk->height)
		mask &= walk->bottom;
	return mask;
}

/**
 * payload_group - the registers of a thread of a group
 * @p: what it starts from
 * @walk: the walker
 * @id: of the group
 * @index: the thread's number in the group
 * @thread: initialised; filled
 */
void payload_group(const struct media_payload *p, const struct media_walk *walk, const uint32_t id[3],
		   unsigned int index, struct eu_thread *thread)
{
	const struct media_descriptor *d = p->descriptor;
	uint32_t r0[8] = { 0, id[0], 0, 0, 0, 0, id[1], id[2] };
	struct source from = { p->state->bases.indirect + walk->indirect, walk->indirect_bytes };
	unsigned int reg;

	r0[2] = shared_bits(d);
	memcpy(thread->grf[0], r0, sizeof(r0));
	set_common(p, thread, p->first_thread + index);
	if (!walk->indirect_bytes) {
		put_shares(p, &walk->loads, index, thread);
		return;
	}
	reg = copy(p, thread, 1, &from, d->cross_length + (uint64_t)index * d->read_length, d->read_length);
	copy(p, thread, reg, &from, 0, d->cross_length);
}

/**
 * payload_data - the data of a command for a media thread
 * @s: the shared functions
 * @state: of the context
 * @object: the command's part
 * @to: PAYLOAD_REGISTERS of them, filled: inline data, then indirect data, each from a register of its own
 *
 * Return: registers that are filled.
 */
unsigned int payload_data(struct shared *s, const struct media_state *state, const struct root_thread *object,
			  uint8_t *to)
{
	unsigned int most = LAST_REGISTER * EU_GRF_BYTES, n = object->num_inline * 4, reg, left;

	n = n < most ? n : most;
	memcpy(to, object->inline_data, n);
	reg = (n + EU_GRF_BYTES - 1) / EU_GRF_BYTES;
	memset(to + n, 0, reg * EU_GRF_BYTES - n);
	left = most - reg * EU_GRF_BYTES;
	n = object->indirect_bytes < left ? object->indirect_bytes : left;
	to += reg * EU_GRF_BYTES;
	memset(to, 0, (n + EU_GRF_BYTES - 1) / EU_GRF_BYTES * EU_GRF_BYTES);
	shared_read(s, state->bases.indirect + object->indirect, to, n);
	return reg + (n + EU_GRF_BYTES - 1) / EU_GRF_BYTES;
}

/* Reads registers of an object's indirect data; what lies beyond it is 0. Returns how many there was room for. */
static unsigned int read_share(struct shared *s, uint64_t addr, uint32_t bytes, uint64_t first, unsigned int registers,
			       uint8_t *to, unsigned int room)
{
	uint64_t offset = first * EU_GRF_BYTES;
	unsigned int n = registers < room ? registers : room;
	uint64_t left = offset < bytes ? bytes - offset : 0;

	memset(to, 0, n * EU_GRF_BYTES);
	if (left)
		shared_read(s, addr + offset, to, left < n * EU_GRF_BYTES ? (uint32_t)left : n * EU_GRF_BYTES);
	return n;
}

/**
 * payload_split - the part that a thread has of its group's indirect data
 * @s: the shared functions
 * @state: of the context
 * @object: the command's part
 * @d: the interface descriptor, which says how long the parts are
 * @index: the thread's number in the group
 * @to: PAYLOAD_REGISTERS of them, filled: what is the thread's own, then what all threads get
 *
 * Return: registers that are filled.
 */
unsigned int payload_split(struct shared *s, const struct media_state *state, const struct root_thread *object,
			   const struct media_descriptor *d, unsigned int index, uint8_t *to)
{
	uint64_t addr = state->bases.indirect + object->indirect;
	uint64_t own = d->cross_length + (uint64_t)index * d->read_length;
	unsigned int n = read_share(s, addr, object->indirect_bytes, own, d->read_length, to, LAST_REGISTER);

	return n + read_share(s, addr, object->indirect_bytes, 0, d->cross_length, to + n * EU_GRF_BYTES,
			      LAST_REGISTER - n);
}

static unsigned int put_data(struct eu_thread *thread, unsigned int reg, const struct media_data *data)
{
	unsigned int n = reg < EU_GRFS ? EU_GRFS - reg : 0;

	n = data->registers < n ? data->registers : n;
	if (n)
		memcpy(thread->grf[reg], data->data, n * EU_GRF_BYTES);
	return reg + n;
}

static unsigned int put_constants(const struct media_payload *p, const struct media_loads *loads,
				  struct eu_thread *thread)
{
	const struct media_descriptor *d = p->descriptor;
	struct source from = constants(p, loads);

	return copy(p, thread, 1, &from, d->read_offset, d->cross_length + d->read_length);
}

/**
 * payload_object - the registers of a media thread
 * @p: what it starts from
 * @object: the command's part
 * @id: FFTID
 * @handle: of its entry in the URB
 * @data: of the thread that has let it start, and of its command
 * @thread: initialised; filled
 */
void payload_object(const struct media_payload *p, const struct root_thread *object, unsigned int id, uint32_t handle,
		    const struct media_data data[2], struct eu_thread *thread)
{
	uint32_t r0[8] = { object->scoreboard_mask << 24 | handle, (object->y & 0x1ff) << 16 | (object->x & 0x1ff),
		object->color | (object->grouped ? shared_bits(p->descriptor) : 0) };
	unsigned int reg;

	memcpy(thread->grf[0], r0, sizeof(r0));
	set_common(p, thread, id);
	if (!object->numbered)
		reg = put_constants(p, &object->loads, thread);
	else
		reg = object->indirect_bytes ? 1 : put_shares(p, &object->loads, p->index, thread);
	reg = put_data(thread, reg, &data[0]);
	put_data(thread, reg, &data[1]);
}

/**
 * payload_child - the registers of a thread that another one has started
 * @p: what it starts from
 * @loads: where constants are
 * @data: from the URB; the constants come behind its first register, the header
 * @thread: initialised; filled
 */
void payload_child(const struct media_payload *p, const struct media_loads *loads, const struct media_data *data,
		   struct eu_thread *thread)
{
	const struct media_data header = { data->data, 1 };
	const struct media_data rest = { data->data + EU_GRF_BYTES, data->registers - 1 };

	put_data(thread, 0, &header);
	put_data(thread, put_constants(p, loads, thread), &rest);
	thread->ip = (uint32_t)p->descriptor->kernel;
	thread->cr[0] |= p->descriptor->cr0;
	thread->cr[1] |= p->descriptor->cr1;
	payload_program(p, thread);
}
