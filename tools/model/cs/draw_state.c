// SPDX-License-Identifier: MIT
/*
 * DOC: The pipelines' state
 *
 * A draw depends on all of the 3D pipeline's state, and a walker on the media pipeline's. State that a context has
 * never set keeps its value from before: on silicon the draw may hang, or use another context's state. So the model
 * keeps the state of the loaded context, as the packets that set it: the last packet of each state command, or of each
 * index where a command sets one of several (the database says which). A packet that sets several is kept as one packet
 * for each. STATE_BASE_ADDRESS and PIPELINE_SELECT change only the fields that they enable (DG1 Vol 2a, "the other
 * fields ... are updated only when this bit is set"): the kept packet merges the fields and enables of all earlier
 * ones.
 *
 * The context's image holds these packets one after the other, where silicon keeps the state itself. A context that
 * starts from the copy of an image has the state of that image; a context that restores nothing has no state. In the
 * image a MI_NOOP comes first, whose identification number is the count of dwords behind it. MI_BATCH_BUFFER_END comes
 * last, so that a decoder can read the list as a batch. The driver can write the image: the first dword that begins no
 * state packet ends the list.
 *
 * At a draw or walker, "undefined_state" counts each state command that it depends on and that the context lacks.
 */
#include <stdlib.h>
#include <string.h>

#include "cs/cs.h"
#include "igen/cmd/mi.h"
#include "igen/regs/context.h"

#define STATE_KINDS	(IGEN_STATE_WALKED + 1)
#define MERGED_DWORDS	257			/* an 8-bit length and its bias */

struct packet {
	uint32_t at;			/* in cs_state.dw */
	uint16_t room, len;		/* dwords; len 0: not set */
};

/* A state command. */
struct state_command {
	const struct igen_cmd *cmd;
	_Atomic uint64_t *counter;	/* of draws or walkers without it; NULL until there is one */
	unsigned int first;		/* its packets, in the order of their index */
	bool set;			/* by the context that is loaded */
};

struct cs_state {
	struct state_command *commands;
	struct packet *packets;
	uint8_t *number;		/* by command of the set: its place in commands, plus 1; 0: none */
	uint32_t *dw;			/* the packets' */
	uint32_t *image;		/* what is saved and loaded */
	unsigned int num_commands, num_packets, num_dw;
	unsigned int missing[STATE_KINDS]; /* commands of each kind that the context has not set */
	const struct state_command *asked[CS_PACKETS]; /* NULL: the platform has no such command */
	bool changed;			/* since it was loaded */
};

static const struct vm_ref ggtt = { .ggtt = true };

static unsigned int indices(const struct igen_cmd *cmd)
{
	return 1u << cmd->key_width;
}

/* The most that is kept of a packet. */
static unsigned int room(const struct igen_cmd *cmd)
{
	if (cmd->key_in_tail)
		return cmd->extent + cmd->tail_dwords;
	return cmd->max ? cmd->max : (1u << cmd->length_bits) - 1 + cmd->bias;
}

static void add_command(struct cs_state *s, const struct igen_cmd *cmd)
{
	struct state_command *c = &s->commands[s->num_commands++];

	c->cmd = cmd;
	c->first = s->num_packets;
	for (unsigned int i = 0; i < indices(cmd); i++) {
		struct packet *p = &s->packets[s->num_packets++];

		p->at = s->num_dw;
		p->room = (uint16_t)room(cmd);
		s->num_dw += p->room;
	}
}

/* The command just added, if its packets are asked for. */
static void note_asked(struct cs_state *s, const struct igen_cmd *cmd)
{
	static const char *const names[CS_PACKETS] = {
		[CS_PACKET_BASES] = "STATE_BASE_ADDRESS",
		[CS_PACKET_SIP] = "STATE_SIP",
		[CS_PACKET_VFE] = "MEDIA_VFE_STATE",
		[CS_PACKET_CURBE] = "MEDIA_CURBE_LOAD",
		[CS_PACKET_DESCRIPTORS] = "MEDIA_INTERFACE_DESCRIPTOR_LOAD",
		[CS_PACKET_AREA] = "GPGPU_CSR_BASE_ADDRESS",
		[CS_PACKET_TOPOLOGY] = "3DSTATE_VF_TOPOLOGY",
		[CS_PACKET_VERTEX_FETCH] = "3DSTATE_VF",
		[CS_PACKET_INSTANCING] = "3DSTATE_VF_INSTANCING",
		[CS_PACKET_GENERATED_VALUES] = "3DSTATE_VF_SGVS",
		[CS_PACKET_VERTEX_BUFFERS] = "3DSTATE_VERTEX_BUFFERS",
		[CS_PACKET_VERTEX_ELEMENTS] = "3DSTATE_VERTEX_ELEMENTS",
		[CS_PACKET_INDEX_BUFFER] = "3DSTATE_INDEX_BUFFER",
		[CS_PACKET_VS] = "3DSTATE_VS",
		[CS_PACKET_HS] = "3DSTATE_HS",
		[CS_PACKET_TE] = "3DSTATE_TE",
		[CS_PACKET_DS] = "3DSTATE_DS",
		[CS_PACKET_GS] = "3DSTATE_GS",
		[CS_PACKET_STREAMOUT] = "3DSTATE_STREAMOUT",
		[CS_PACKET_CLIP] = "3DSTATE_CLIP",
		[CS_PACKET_SF] = "3DSTATE_SF",
		[CS_PACKET_RASTER] = "3DSTATE_RASTER",
		[CS_PACKET_SBE] = "3DSTATE_SBE",
		[CS_PACKET_VIEWPORTS] = "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP",
		[CS_PACKET_SCISSORS] = "3DSTATE_SCISSOR_STATE_POINTERS",
		[CS_PACKET_DRAWING_RECTANGLE] = "3DSTATE_DRAWING_RECTANGLE",
		[CS_PACKET_MULTISAMPLE] = "3DSTATE_MULTISAMPLE",
		[CS_PACKET_SAMPLE_MASK] = "3DSTATE_SAMPLE_MASK",
		[CS_PACKET_WM] = "3DSTATE_WM",
		[CS_PACKET_DEPTH_STENCIL] = "3DSTATE_WM_DEPTH_STENCIL",
		[CS_PACKET_DEPTH_STATE] = "3DSTATE_DEPTH_STENCIL_STATE_POINTERS",
		[CS_PACKET_HZ_OP] = "3DSTATE_WM_HZ_OP",
		[CS_PACKET_CHROMA_KEY] = "3DSTATE_WM_CHROMAKEY",
		[CS_PACKET_PS] = "3DSTATE_PS",
		[CS_PACKET_PS_EXTRA] = "3DSTATE_PS_EXTRA",
		[CS_PACKET_PS_BLEND] = "3DSTATE_PS_BLEND",
		[CS_PACKET_PS_TABLE] = "3DSTATE_BINDING_TABLE_POINTERS_PS",
		[CS_PACKET_PS_SAMPLERS] = "3DSTATE_SAMPLER_STATE_POINTERS_PS",
		[CS_PACKET_BLEND] = "3DSTATE_BLEND_STATE_POINTERS",
	};

	for (unsigned int i = 0; i < CS_PACKETS; i++)
		if (!strcmp(cmd->name, names[i]))
			s->asked[i] = &s->commands[s->num_commands - 1];
}

/* Counts the platform's commands that set state, and the packets and dwords that they have at most. */
static unsigned int count_commands(const struct igen_cmd_set *set, unsigned int *packets, unsigned int *dwords)
{
	unsigned int n = 0;

	*packets = *dwords = 0;
	for (unsigned int i = 0; i < set->ncmds; i++) {
		const struct igen_cmd *cmd = &set->cmds[i];

		if (cmd->state == IGEN_STATE_NONE)
			continue;
		n++;
		*packets += indices(cmd);
		*dwords += indices(cmd) * room(cmd);
	}
	return n;
}

/**
 * cs_state_init - makes room for the state of the platform's commands
 * @e: the render engine, with its decoder
 *
 * Does not return when the context image has no room for it, or there are more commands than are numbered.
 *
 * Return: false without memory.
 */
bool cs_state_init(struct engine *e)
{
	unsigned int space = e->gpu->platform->image->size - e->gpu->platform->image->packets;
	const struct igen_cmd_set *set = e->decoder->set;
	struct cs_state *s = calloc(1, sizeof(*s));
	unsigned int n, packets, dwords;

	if (!s)
		return false;
	e->draw_state = s;
	n = count_commands(set, &packets, &dwords);
	for (unsigned int i = 0; i < set->ncmds; i++)
		if (set->cmds[i].nmerges && room(&set->cmds[i]) > MERGED_DWORDS)
			model_die("%s has more than %u dwords", set->cmds[i].name, MERGED_DWORDS);
	if (n >= UINT8_MAX || dwords + 2 > space)
		model_die("no room for %u state commands of %u dwords in a context image of %u dwords", n, dwords,
			  e->gpu->platform->image->size);
	s->commands = calloc(n, sizeof(*s->commands));
	s->packets = calloc(packets, sizeof(*s->packets));
	s->number = calloc(set->ncmds, sizeof(*s->number));
	s->dw = calloc(dwords, sizeof(*s->dw));
	s->image = calloc(dwords + 2, sizeof(*s->image));
	if (!s->commands || !s->packets || !s->number || !s->dw || !s->image)
		return false;
	for (unsigned int i = 0; i < set->ncmds; i++) {
		if (set->cmds[i].state == IGEN_STATE_NONE)
			continue;
		add_command(s, &set->cmds[i]);
		s->number[i] = (uint8_t)s->num_commands;
		s->missing[set->cmds[i].state]++;
		note_asked(s, &set->cmds[i]);
	}
	s->changed = true;
	return true;
}

/**
 * cs_state_free - gives it back
 * @e: any engine
 */
void cs_state_free(struct engine *e)
{
	struct cs_state *s = e->draw_state;

	if (!s)
		return;
	free(s->commands);
	free(s->packets);
	free(s->number);
	free(s->dw);
	free(s->image);
	free(s);
	e->draw_state = NULL;
}

static void set_length(const struct state_command *c, struct packet *p, uint32_t *dw)
{
	uint32_t mask = (uint32_t)(1ull << c->cmd->length_bits) - 1;

	if (mask)
		dw[0] = (dw[0] & ~mask) | ((p->len - c->cmd->bias) & mask);
}

static void is_set(struct cs_state *s, struct state_command *c)
{
	if (!c->set)
		s->missing[c->cmd->state]--;
	c->set = true;
}

/* A packet of head dwords and n more, under the command's index. Its header says how long it is. */
static void keep(struct cs_state *s, struct state_command *c, unsigned int index, const uint32_t *head,
		 unsigned int num_head, const uint32_t *rest, unsigned int num_rest)
{
	struct packet *p = &s->packets[c->first + index];
	uint32_t *to = s->dw + p->at;

	num_head = num_head < p->room ? num_head : p->room;
	num_rest = num_rest < p->room - num_head ? num_rest : p->room - num_head;
	memcpy(to, head, num_head * sizeof(*to));
	if (num_rest)
		memcpy(to + num_head, rest, num_rest * sizeof(*to));
	p->len = (uint16_t)(num_head + num_rest);
	set_length(c, p, to);
	is_set(s, c);
}

static bool bit_of(const uint32_t *dw, unsigned int len, unsigned int bit)
{
	return bit / 32 < len && dw[bit / 32] >> bit % 32 & 1;
}

/* Takes these bits of dword i from the packet that was kept before. */
static void restore(uint32_t *to, const uint32_t *before, unsigned int i, uint32_t bits)
{
	to[i] = (to[i] & ~bits) | (before[i] & bits);
}

/* A packet that leaves parts of what is kept as they were. */
static void merge(struct cs_state *s, struct state_command *c, const uint32_t *dw, unsigned int len)
{
	struct packet *p = &s->packets[c->first];
	uint32_t before[MERGED_DWORDS] = { 0 }, *to = s->dw + p->at;

	len = len < p->room ? len : p->room;
	memcpy(before, to, p->len * sizeof(*to));
	memcpy(to, dw, len * sizeof(*to));
	if (len < p->len)
		memset(to + len, 0, (p->len - len) * sizeof(*to));
	else
		p->len = (uint16_t)len;
	for (unsigned int k = 0; k < c->cmd->nmerges; k++) {
		const struct igen_cmd_merge *m = &c->cmd->merges[k];

		if (bit_of(dw, len, m->enable))
			continue;
		for (unsigned int i = m->first / 32; i <= m->last / 32u && i < p->len; i++) {
			uint32_t from = i == m->first / 32u ? ~0u << m->first % 32 : ~0u;
			uint32_t till = i == m->last / 32u ? ~0u >> (31 - m->last % 32) : ~0u;

			restore(to, before, i, from & till);
		}
		if (m->enable / 32u < p->len)
			restore(to, before, m->enable / 32, 1u << m->enable % 32);
	}
	set_length(c, p, to);
	is_set(s, c);
}

/* The index in these dwords; 0 when they do not reach so far. */
static unsigned int index_of(const struct igen_cmd *cmd, const uint32_t *dw, unsigned int n)
{
	if (!cmd->key_width || cmd->key_start / 32 >= n)
		return 0;
	return dw[cmd->key_start / 32] >> cmd->key_start % 32 & (indices(cmd) - 1);
}

static void keep_command(struct cs_state *s, struct state_command *c, const uint32_t *dw, unsigned int len)
{
	const struct igen_cmd *cmd = c->cmd;
	unsigned int i;

	if (cmd->nmerges) {
		merge(s, c, dw, len);
		return;
	}
	if (!cmd->key_in_tail) {
		keep(s, c, index_of(cmd, dw, len), dw, len, NULL, 0);
		return;
	}
	for (i = cmd->extent; i + cmd->tail_dwords <= len; i += cmd->tail_dwords)
		keep(s, c, index_of(cmd, dw + i, cmd->tail_dwords), dw, cmd->extent, dw + i, cmd->tail_dwords);
}

static struct state_command *find(const struct cs_state *s, const struct engine *e, const struct igen_cmd *cmd)
{
	unsigned int n = s->number[cmd - e->decoder->set->cmds];

	return n ? &s->commands[n - 1] : NULL;
}

/**
 * cs_state_note - a state command is executed
 * @e: the render engine; its command is parsed
 *
 * Return: CS_CONTINUE
 */
enum cs_result cs_state_note(struct engine *e)
{
	struct cs_state *s = e->draw_state;

	/* Other engines have no pipeline. */
	if (!s)
		return CS_CONTINUE;
	keep_command(s, find(s, e, e->cs.cmd), e->cs.dw, e->cs.len);
	s->changed = true;
	return CS_CONTINUE;
}

/**
 * cs_state_indexed - the last packet of a state command that sets one of several
 * @e: the render engine
 * @which: the command
 * @index: which one of them
 * @len: its dwords
 *
 * Return: the packet, which is there until the next state command; NULL if the context has not set that state.
 */
const uint32_t *cs_state_indexed(const struct engine *e, enum cs_packet which, unsigned int index, unsigned int *len)
{
	const struct cs_state *s = e->draw_state;
	const struct state_command *c = s->asked[which];
	const struct packet *p;

	if (!c || !c->set || index >= indices(c->cmd))
		return NULL;
	p = &s->packets[c->first + index];
	*len = p->len;
	return p->len ? s->dw + p->at : NULL;
}

/**
 * cs_state_packet - the last packet of a state command
 * @e: the render engine
 * @which: the command
 * @len: its dwords
 *
 * Return: the packet, which is there until the next state command; NULL if the context has not set that state.
 */
const uint32_t *cs_state_packet(const struct engine *e, enum cs_packet which, unsigned int *len)
{
	return cs_state_indexed(e, which, 0, len);
}

/* Counts the state of that kind that the context has not set. */
static void count_missing(struct engine *e, enum igen_cmd_state kind)
{
	struct cs_state *s = e->draw_state;

	/* Other engines have no pipeline. */
	if (!s)
		return;
	for (unsigned int i = 0; s->missing[kind] && i < s->num_commands; i++) {
		struct state_command *c = &s->commands[i];

		if (c->set || c->cmd->state != kind)
			continue;
		if (!c->counter)
			c->counter = counter_own("undefined_state", c->cmd->name, e->info->id);
		counter_add(c->counter, 1);
	}
}

/**
 * cs_state_draw - a draw is executed: counts the state that it depends on and that the context has not set
 * @e: the render engine
 */
void cs_state_draw(struct engine *e)
{
	count_missing(e, IGEN_STATE_DRAWN);
}

/**
 * cs_state_walk - a walker or MEDIA_OBJECT is executed: counts the state that it depends on and the context has not set
 * @e: the render engine
 *
 * Return: CS_CONTINUE
 */
enum cs_result cs_state_walk(struct engine *e)
{
	count_missing(e, IGEN_STATE_WALKED);
	return CS_CONTINUE;
}

/**
 * cs_state_save - keeps the state in the context's image
 * @e: the render engine
 * @state: address of the image's register state
 *
 * Return: false on a page fault.
 */
bool cs_state_save(struct engine *e, uint64_t state)
{
	struct cs_state *s = e->draw_state;
	unsigned int n = 1;

	if (!s->changed)
		return true;
	for (unsigned int i = 0; i < s->num_packets; i++) {
		memcpy(s->image + n, s->dw + s->packets[i].at, s->packets[i].len * sizeof(*s->image));
		n += s->packets[i].len;
	}
	s->image[n++] = MI_BATCH_BUFFER_END;
	s->image[0] = MI_NOOP | IGEN_PREP(MI_NOOP_NOPID_MASK, n - 1);
	s->changed = false;
	return vm_write(&e->view, &ggtt, state + e->gpu->platform->image->packets * 4, s->image, n * sizeof(*s->image));
}

static void forget(struct cs_state *s)
{
	memset(s->missing, 0, sizeof(s->missing));
	for (unsigned int i = 0; i < s->num_commands; i++) {
		s->commands[i].set = false;
		s->missing[s->commands[i].cmd->state]++;
	}
	for (unsigned int i = 0; i < s->num_packets; i++)
		s->packets[i].len = 0;
	s->changed = true;
}

/* Dwords that an image has behind its first: none if no engine has saved it, or if there are more than can be. */
static unsigned int saved_dwords(const struct cs_state *s, uint32_t first)
{
	unsigned int n = IGEN_GET(MI_NOOP_NOPID_MASK, first);

	return first & ~MI_NOOP_NOPID_MASK || n > s->num_dw + 1 ? 0 : n;
}

/**
 * cs_state_load - has it back
 * @e: the render engine
 * @state: address of the image's register state; 0: nothing is restored
 *
 * Return: false on a page fault.
 */
bool cs_state_load(struct engine *e, uint64_t state)
{
	uint64_t addr = state + e->gpu->platform->image->packets * 4;
	struct cs_state *s = e->draw_state;
	unsigned int n, i, len;
	uint32_t first;

	forget(s);
	if (!state)
		return true;
	if (!vm_read32(&e->view, &ggtt, addr, &first))
		return false;
	n = saved_dwords(s, first);
	if (n && !vm_read(&e->view, &ggtt, addr + 4, s->image, n * sizeof(*s->image)))
		return false;
	for (i = 0; i < n; i += len) {
		const struct igen_cmd *cmd = igen_lookup(e->decoder, s->image[i]);
		struct state_command *c = cmd ? find(s, e, cmd) : NULL;

		len = cmd ? igen_cmd_dwords(cmd, s->image[i]) : 0;
		if (!c || len > n - i)
			break;
		keep_command(s, c, s->image + i, len);
	}
	/* A list that is not as it was saved is saved again. */
	s->changed = !n || i + 1 != n;
	return true;
}
