// SPDX-License-Identifier: MIT
/**
 * DOC: Media objects, and the state that threads start from
 *
 * MEDIA_OBJECT, MEDIA_OBJECT_PRT and MEDIA_OBJECT_GRPID give a thread, MEDIA_OBJECT_WALKER one for each place of a
 * walk (media/places.c). media/spawn.c starts them, and has them run in turn. The command streamer goes on while media
 * commands follow, so that a thread may wait for one of a later command. Another command waits until all threads have
 * ended, but for MEDIA_STATE_FLUSH, which waits until the last one has started (IVB Vol 2 Part 2, 1.8.5). On silicon
 * those commands go on, which a driver can tell only if it lacks a flush; the threads take no time of their own. The
 * wait looks at requests of the driver: a reset, STOP_RING.
 *
 * While a group of MEDIA_OBJECT_GRPID has more threads to come, the start and the end of a batch do not wait either, so
 * that a group may go on in a chained batch. Any other command within a group whose threads wait at their barrier hangs
 * the engine until a reset. On silicon commands that do not wait for the pipeline go on there.
 *
 * Media threads cannot be preempted (BXT Vol 6, "GPGPU Context Switch"). A list that comes between two media commands
 * waits for the threads; while one may start others, or a group has more to come, a later command may be what it waits
 * for, so the list waits for the next command that is none of these.
 *
 * A thread starts from the last packets of the context's state commands (draw_state.c). MEDIA_VFE_STATE and
 * STATE_BASE_ADDRESS wait for the pipeline, so those packets are still what a queued walker began with. A walker notes
 * where its descriptors and constants are, since the commands that load those do not wait. Their memory is read when a
 * group begins; a driver may change it only behind a flush.
 *
 * Not done: of MEDIA_OBJECT_WALKER masked dispatch, of whose mask no manual at hand has the order or the polarity, and
 * the dual and the repelling mode, whose figures are lost. They stop the engine. Ivy Bridge has no MEDIA_OBJECT_GRPID.
 */
#include <string.h>

#include "cs/cs.h"
#include "neutral_gfx.h"
#include "neutral_media.h"
#include "regs/regs.h"

/* Quanta of instructions between two looks at the engine's requests. */
#define QUANTA	16

/**
 * cs_media_executes - will threads of a command execute a program?
 * @e: the render engine
 * @loads: filled with where descriptors and constants are
 *
 * Return: false if the context has not said where its programs are, or the setting "execute" is off.
 */
bool cs_media_executes(struct engine *e, struct media_loads *loads)
{
	struct media_interface_descriptor_load d = { 0 };
	struct media_curbe_load c = { 0 };
	const uint32_t *dw;
	unsigned int len;

	*loads = (struct media_loads){ 0 };
	if (!e->media || !cs_state_packet(e, CS_PACKET_VFE, &len))
		return false;
	dw = cs_state_packet(e, CS_PACKET_CURBE, &len);
	if (dw)
		media_curbe_load_unpack(e->gen, dw, len, &c);
	dw = cs_state_packet(e, CS_PACKET_DESCRIPTORS, &len);
	if (!dw)
		return false;
	media_interface_descriptor_load_unpack(e->gen, dw, len, &d);
	loads->descriptors = (uint32_t)d.interface_descriptor_data_start_address;
	loads->descriptor_bytes = d.interface_descriptor_total_length;
	loads->curbe = (uint32_t)c.curbe_data_start_address;
	loads->curbe_bytes = c.curbe_total_data_length;
	return true;
}

/* Is a part of the L3 shared local memory? Where that is not a register's choice it always is. */
static bool has_local_memory(struct engine *e)
{
	const struct eu_platform *p = e->gpu->platform->eu;
	bool has;

	if (!p->slm_register)
		return true;
	pthread_mutex_lock(&e->gpu->lock);
	has = mmio_peek(e->gpu, p->slm_register) & p->slm_enable;
	pthread_mutex_unlock(&e->gpu->lock);
	return has;
}

static void deltas_of(const struct media_vfe_state *v, struct media_state *state)
{
	const int8_t dx[8] = {
		(int8_t)v->scoreboard_0_delta_x, (int8_t)v->scoreboard_1_delta_x, (int8_t)v->scoreboard_2_delta_x,
		(int8_t)v->scoreboard_3_delta_x, (int8_t)v->scoreboard_4_delta_x, (int8_t)v->scoreboard_5_delta_x,
		(int8_t)v->scoreboard_6_delta_x, (int8_t)v->scoreboard_7_delta_x,
	};
	const int8_t dy[8] = {
		(int8_t)v->scoreboard_0_delta_y, (int8_t)v->scoreboard_1_delta_y, (int8_t)v->scoreboard_2_delta_y,
		(int8_t)v->scoreboard_3_delta_y, (int8_t)v->scoreboard_4_delta_y, (int8_t)v->scoreboard_5_delta_y,
		(int8_t)v->scoreboard_6_delta_y, (int8_t)v->scoreboard_7_delta_y,
	};

	memcpy(state->dx, dx, sizeof(dx));
	memcpy(state->dy, dy, sizeof(dy));
}

/**
 * cs_media_state - what threads of the loaded context start from
 * @e: the render engine
 * @state: filled
 */
void cs_media_state(struct engine *e, struct media_state *state)
{
	struct state_base_address b = { 0 };
	struct media_vfe_state v = { 0 };
	struct state_sip sip = { 0 };
	const uint32_t *dw;
	unsigned int len;

	dw = cs_state_packet(e, CS_PACKET_BASES, &len);
	if (dw)
		state_base_address_unpack(e->gen, dw, len, &b);
	dw = cs_state_packet(e, CS_PACKET_VFE, &len);
	if (dw)
		media_vfe_state_unpack(e->gen, dw, len, &v);
	dw = cs_state_packet(e, CS_PACKET_SIP, &len);
	if (dw)
		state_sip_unpack(e->gen, dw, len, &sip);
	*state = (struct media_state){
		.most_roots = v.maximum_number_of_threads + 1,
		.urb_entries = v.number_of_urb_entries,
		.urb_entry_registers = v.urb_entry_allocation_size + 1,
		.curbe_registers = v.curbe_allocation_size,
		.open_gateways = e->gpu->platform->eu->open_gateways || v.bypass_gateway_control,
		.scoreboard = v.scoreboard_enable,
		.non_stalling = v.scoreboard_type,
		.scoreboard_mask = (uint8_t)v.scoreboard_mask,
		.vm = cs_vm(e, false),
		.bases = {
			.general = b.general_state_base_address,
			.surface = b.surface_state_base_address,
			.dynamic = b.dynamic_state_base_address,
			.indirect = b.indirect_object_base_address,
			.instruction = b.instruction_base_address,
			.bindless = b.bindless_surface_state_base_address,
		},
		.scratch = v.scratch_space_base_pointer,
		.scratch_code = v.per_thread_scratch_space,
		.sip = sip.system_instruction_pointer,
		.no_slm = !has_local_memory(e),
	};
	deltas_of(&v, state);
}

/**
 * cs_run_threads - executes threads until they have ended, or the engine is reset
 * @e: the render engine
 * @threads: which ones
 *
 * Return: CS_CONTINUE when they have ended; CS_STOPPED on a reset.
 */
enum cs_result cs_run_threads(struct engine *e, const struct cs_threads *threads)
{
	enum media_result r = MEDIA_RUNS;

	while (r != MEDIA_DONE) {
		uint32_t requests = engine_requests(e);

		if (requests & ENGINE_STOPS) {
			threads->drop(e);
			return CS_STOPPED;
		}
		if (requests & ENGINE_PARK && engine_park(e) == CS_STOPPED)
			continue;
		if (r == MEDIA_STUCK)
			return engine_spin(e);
		for (unsigned int i = 0; i < QUANTA && r == MEDIA_RUNS; i++)
			r = threads->run(e);
		if (r == MEDIA_RUNS && threads->leave && requests & ENGINE_LIST && !e->cs.workaround) {
			enum cs_result given = threads->leave(e);

			if (given != CS_CONTINUE)
				return given;
		}
	}
	return CS_CONTINUE;
}

static enum media_result run_media(struct engine *e)
{
	return media_run(e->media);
}

static enum media_result run_for_room(struct engine *e)
{
	return media_has_room(e->media) ? MEDIA_DONE : media_run(e->media);
}

static enum media_result run_until_started(struct engine *e)
{
	enum media_result r = media_has_queued(e->media) ? media_run(e->media) : MEDIA_DONE;

	return r == MEDIA_RUNS && !media_has_queued(e->media) ? MEDIA_DONE : r;
}

static void drop_media(struct engine *e)
{
	media_drop(e->media);
}

/**
 * cs_media_drain - waits until all media threads have ended
 * @e: the render engine
 *
 * Return: CS_CONTINUE when they have; CS_STOPPED on a reset.
 */
enum cs_result cs_media_drain(struct engine *e)
{
	static const struct cs_threads threads = { .run = run_media, .drop = drop_media };
	enum cs_result r = cs_run_threads(e, &threads);

	if (r != CS_CONTINUE)
		return r;
	e->cs.media_threads = false;
	media_close_groups(e->media);
	return CS_CONTINUE;
}

/**
 * cs_media_started - waits until all media threads have started
 * @e: the render engine
 *
 * Return: CS_CONTINUE when they have; CS_STOPPED on a reset.
 */
enum cs_result cs_media_started(struct engine *e)
{
	static const struct cs_threads threads = { .run = run_until_started, .drop = drop_media };

	return e->cs.media_threads ? cs_run_threads(e, &threads) : CS_CONTINUE;
}

/**
 * cs_media_yields - may a list preempt the context between two commands?
 * @e: an engine
 * @yields: set to false if one of its media threads may wait for a command that follows
 *
 * If it may, its media threads have ended.
 *
 * Return: CS_CONTINUE; CS_STOPPED on a reset.
 */
enum cs_result cs_media_yields(struct engine *e, bool *yields)
{
	*yields = !e->cs.media_threads || !media_awaits_commands(e->media);
	return e->cs.media_threads && *yields ? cs_media_drain(e) : CS_CONTINUE;
}

/* Hands a thread to the spawner when that has room. */
static enum cs_result give(struct engine *e, const struct media_state *state, const struct root_thread *thread)
{
	static const struct cs_threads threads = { .run = run_for_room, .drop = drop_media };
	enum cs_result r = cs_run_threads(e, &threads);

	if (r != CS_CONTINUE)
		return r;
	e->cs.media_threads = true;
	media_root(e->media, state, thread);
	return CS_CONTINUE;
}

/* Threads of a command begin with this; false: they do not execute. */
static bool begin(struct engine *e, struct root_thread *o, enum cs_result *r)
{
	cs_state_walk(e);
	*r = CS_CONTINUE;
	if (!e->draw_state || !cs_media_executes(e, &o->loads))
		return false;
	/* Walkers before it, which the driver should have flushed. */
	*r = cs_pipeline_flush(e);
	return *r == CS_CONTINUE;
}

static void note_inline(struct engine *e, struct root_thread *o, unsigned int first)
{
	o->inline_data = e->cs.dw + first;
	o->num_inline = e->cs.len > first ? e->cs.len - first : 0;
}

/**
 * cs_media_object - MEDIA_OBJECT: a thread
 * @e: the render engine; its command is parsed
 *
 * Return: CS_CONTINUE when the spawner has it; CS_PREEMPT when a list came before; CS_STOPPED on a reset.
 */
enum cs_result cs_media_object(struct engine *e)
{
	struct root_thread o = { 0 };
	struct media_state state;
	struct media_object c;
	enum cs_result r;

	if (!begin(e, &o, &r))
		return r;
	media_object_get(e->gen, e->cs.dw, &c);
	o.descriptor = (uint8_t)c.interface_descriptor_offset;
	o.parent = c.children_present;
	o.synchronized = c.thread_synchronization;
	o.scored = c.use_scoreboard;
	o.scoreboard_mask = c.scoreboard_mask;
	o.color = c.scoreboard_color;
	o.x = c.scoreboard_x;
	o.y = c.scoreboard_y;
	o.indirect = (uint32_t)c.indirect_data_start_address;
	o.indirect_bytes = c.indirect_data_length;
	note_inline(e, &o, c.inline_data);
	cs_media_state(e, &state);
	return give(e, &state, &o);
}

/**
 * cs_media_object_prt - MEDIA_OBJECT_PRT: a persistent root thread
 * @e: the render engine; its command is parsed
 *
 * Return: as cs_media_object().
 */
enum cs_result cs_media_object_prt(struct engine *e)
{
	struct root_thread o = { 0 };
	struct media_object_prt c;
	struct media_state state;
	enum cs_result r;

	if (!begin(e, &o, &r))
		return r;
	media_object_prt_get(e->gen, e->cs.dw, &c);
	o.descriptor = (uint8_t)c.interface_descriptor_offset;
	o.parent = c.children_present;
	o.fences = c.prt_fence_needed;
	o.fences_front = c.prt_fencetype;
	note_inline(e, &o, c.inline_data);
	cs_media_state(e, &state);
	return give(e, &state, &o);
}

/* The subslice that a command names, in a form that is not 0. */
static uint32_t destination_of(const struct media_object_grpid *c)
{
	return 1u << 5 | (uint32_t)c->slice_destination_select_msb << 4 | c->slice_destination_select << 2 |
	       c->subslice_destination_select;
}

/**
 * cs_media_object_grpid - MEDIA_OBJECT_GRPID: a thread of a group
 * @e: the render engine; its command is parsed
 *
 * Return: as cs_media_object().
 */
enum cs_result cs_media_object_grpid(struct engine *e)
{
	struct root_thread o = { .grouped = true, .numbered = true };
	struct media_object_grpid c;
	struct media_state state;
	enum cs_result r;

	if (!begin(e, &o, &r))
		return r;
	media_object_grpid_get(e->gen, e->cs.dw, &c);
	o.descriptor = (uint8_t)c.interface_descriptor_offset;
	o.group_id = c.groupid;
	o.ends_group = c.end_of_thread_group;
	o.destination = c.force_destination ? destination_of(&c) : 0;
	o.scored = c.use_scoreboard;
	o.scoreboard_mask = c.scoreboard_mask;
	o.color = c.scoreboard_color;
	o.x = c.scoreboard_x;
	o.y = c.scoreboard_y;
	o.indirect = (uint32_t)c.indirect_data_start_address;
	o.indirect_bytes = c.indirect_data_length;
	note_inline(e, &o, c.inline_data);
	cs_media_state(e, &state);
	return give(e, &state, &o);
}

/* A walk, whose newest thread waits until it is known whether the next one is of its group. */
struct walk_state {
	struct engine *e;
	struct root_thread o;
	struct media_state state;
	enum cs_result r;
	unsigned int group_loops;	/* a step of one of these, the outermost, begins a group; 0: there are none */
	struct media_place waiting;
	bool waits;
};

/* The thread that waits starts. */
static void start_waiting(struct walk_state *w, bool ends_group)
{
	w->o.x = (uint32_t)w->waiting.x;
	w->o.y = (uint32_t)w->waiting.y;
	w->o.color = w->waiting.color;
	w->o.ends_group = w->o.grouped && ends_group;
	w->r = give(w->e, &w->state, &w->o);
}

static bool start_thread(void *arg, const struct media_place *at)
{
	struct walk_state *w = arg;

	if (w->waits)
		start_waiting(w, memcmp(at->count, w->waiting.count, w->group_loops * sizeof(at->count[0])));
	w->waiting = *at;
	w->waits = true;
	return w->r == CS_CONTINUE;
}

static const char *walker_error(const struct media_object_walker *c)
{
	if (c->masked_dispatch)
		return "a media walker with masked dispatch";
	if (c->group_id_loop_select > MEDIA_LOOPS)
		return "a media walker whose groups are those of a reserved loop";
	if (c->dual_mode || c->repel)
		return "a media walker in its dual or repelling mode";
	return NULL;
}

static void places_of(const struct media_object_walker *c, struct media_places *w)
{
	*w = (struct media_places){
		.resolution = { (int32_t)c->global_resolution_x, (int32_t)c->global_resolution_y },
		.global_start = { c->global_start_x, c->global_start_y },
		.global_outer = { c->global_outer_loop_stride_x, c->global_outer_loop_stride_y },
		.global_inner = { c->global_inner_loop_unit_x, c->global_inner_loop_unit_y },
		.block = { (int32_t)c->block_resolution_x, (int32_t)c->block_resolution_y },
		.local_start = { (int32_t)c->local_start_x, (int32_t)c->local_start_y },
		.local_outer = { c->local_outer_loop_stride_x, c->local_outer_loop_stride_y },
		.local_inner = { c->local_inner_loop_unit_x, c->local_inner_loop_unit_y },
		.middle = { c->mid_loop_unit_x, c->local_mid_loop_unit_y },
		.global_rounds = c->global_loop_exec_count, .local_rounds = c->local_loop_exec_count,
		.middle_steps = c->middle_loop_extra_steps, .last_color = c->color_count_minus_one,
	};
}

/**
 * cs_media_object_walker - MEDIA_OBJECT_WALKER: a thread for each place of a walk
 * @e: the render engine; its command is parsed
 *
 * Return: CS_CONTINUE when the spawner has them all; CS_PREEMPT when a list came before; CS_STOPPED on a reset.
 */
enum cs_result cs_media_object_walker(struct engine *e)
{
	struct walk_state w = { .e = e, .r = CS_CONTINUE };
	struct media_object_walker c;
	struct media_places places;
	const char *error;

	if (!begin(e, &w.o, &w.r))
		return w.r;
	media_object_walker_get(e->gen, e->cs.dw, &c);
	error = walker_error(&c);
	if (error) {
		media_refuse(e->media, error);
		return cs_media_drain(e);
	}
	w.o.descriptor = (uint8_t)c.interface_descriptor_offset;
	w.o.parent = c.children_present;
	w.o.synchronized = c.thread_synchronization;
	w.o.scored = c.use_scoreboard;
	w.o.scoreboard_mask = c.use_scoreboard ? c.scoreboard_mask : 0;
	w.o.indirect = (uint32_t)c.indirect_data_start_address;
	w.o.indirect_bytes = c.indirect_data_length;
	note_inline(e, &w.o, c.inline_data);
	cs_media_state(e, &w.state);
	/* The loops are numbered from the innermost one on, which is that of the colours (DG1 Vol 2a). */
	w.o.grouped = c.group_id_loop_select;
	w.group_loops = w.o.grouped ? MEDIA_LOOPS + 1 - c.group_id_loop_select : 0;
	places_of(&c, &places);
	if (media_places(&places, start_thread, &w) && w.waits)
		start_waiting(&w, true);
	return w.r;
}
