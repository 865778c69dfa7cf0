// SPDX-License-Identifier: MIT
/**
 * DOC: Thread groups
 *
 * GPGPU_WALKER dispatches a thread group for each place from the starting to the last X, Y and Z, X first; X and Y
 * begin again at their starts (DG1 Vol 2a, "GPGPU_WALKER", whose layout is Gen9's). A group is depth x height x
 * width threads; the last of a row and those of the last row have execution masks (IVB Vol 2 Part 2, 1.4.2.4).
 * Dimensions may come from the GPGPU_DISPATCHDIM registers; a walker with a predicate that is not set does
 * nothing.
 *
 * Kernels are not executed: groups run one after the other and take the time "group_ns" each, and the command
 * streamer waits for the last. GPGPU_THREADS_DISPATCHED, also known as CS_INVOCATION_COUNT, gets the channels of
 * each that has run (what Mesa makes of it: invocations of the shader). A walker that is shorter than a host can
 * sleep is done at once, and its time is owed as that of a slow engine's commands is.
 *
 * CS_CHICKEN1 says where a walker is preempted (stock i915, GEN9_PREEMPT_GPGPU_*; no text here has the register):
 * at command level behind it; at thread-group level behind the group that runs when the list comes; in the midst
 * of threads at mid-thread level, which in this model is the same, as a group has no inside. Without the
 * per-context control in FF_SLICE_CS_CHICKEN1 the context has no say, and it is the command level.
 * MEDIA_OBJECT_WALKER has no thread groups; it cannot be preempted inside (BXT Vol 6, "GPGPU Context Switch"), and
 * takes no time.
 *
 * How far it was is saved in the context's image, for which silicon has an area of its own
 * (GPGPU_CSR_BASE_ADDRESS), and the command is parsed again when the context comes back. Anything else that is
 * parsed first drops it: the context has been sent elsewhere. A reset of the engine loses what is under way.
 */
#include <string.h>

#include "cs/cs.h"
#include "igen/regs/context.h"
#include "igen/regs/workarounds.h"
#include "neutral_media.h"

/* In the image's register state, in front of what draw_state.c has there. */
#define WALK_DW		0x620
#define WALK_MAGIC	0x1d5a1ce2u

/* Not even a short sleep is shorter. */
#define SHORT_NS	50000

/* Longest sleep; requests end it early. */
#define LONG_US		1000000

struct image_walk {
	uint32_t magic, channels;
	uint64_t addr, done, total;
};

static const struct vm_ref ggtt = { .ggtt = true };

/* How many from a start to an end. */
static uint64_t along(uint32_t start, uint32_t end)
{
	return end > start ? end - start : 0;
}

/* No walker that ends has more than that. */
static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t v;

	return __builtin_mul_overflow(a, b, &v) ? UINT64_MAX : v;
}

static uint64_t groups_of(struct engine *e, const struct gpgpu_walker *c)
{
	uint32_t end[3] = { c->thread_group_id_x_dimension, c->thread_group_id_y_dimension,
			    c->thread_group_id_z_dimension };

	for (unsigned int i = 0; i < 3 && c->indirect_parameter_enable; i++)
		end[i] = cs_reg_read(e, GPGPU_DISPATCHDIMX + 4 * i);
	return product(product(along(c->thread_group_id_starting_x, end[0]),
			       along(c->thread_group_id_starting_y, end[1])),
		       along(c->thread_group_id_starting_resume_z, end[2]));
}

/* The channels of a group: those of all threads but for what the masks of the last ones leave out. */
static uint32_t channels_of(const struct gpgpu_walker *c)
{
	uint32_t all = c->simd_size >= 2 ? ~0u : (1u << (8u << c->simd_size)) - 1;
	uint32_t right = c->right_execution_mask & all, bottom = c->bottom_execution_mask & all;
	uint32_t width = c->thread_width_counter_maximum, height = c->thread_height_counter_maximum;
	uint32_t n;

	n = height * (width * (uint32_t)__builtin_popcount(all) + (uint32_t)__builtin_popcount(right)) +
	    width * (uint32_t)__builtin_popcount(bottom) + (uint32_t)__builtin_popcount(right & bottom);
	return n * (c->thread_depth_counter_maximum + 1);
}

static bool stops_inside(struct engine *e)
{
	return cs_reg_read(e, FF_SLICE_CS_CHICKEN1) & FFSC_PERCTX_PREEMPT_CTRL &&
	       !(cs_reg_read(e, CS_CHICKEN1) & CS_CHICKEN1_PREEMPT_GPGPU_COMMAND);
}

/* When the next group begins now. gpu->lock held. */
static void set_clock(struct walk *w)
{
	w->from = w->done;
	w->start_ns = now_ns();
	w->runs = true;
}

static void begin(struct engine *e)
{
	struct gpgpu_walker c;
	struct walk *w = &e->walk;

	if (!w->saved || w->addr != cs_address(e)) {
		gpgpu_walker_get(e->gen, e->cs.dw, &c);
		w->addr = cs_address(e);
		w->done = 0;
		w->total = groups_of(e, &c);
		w->channels = channels_of(&c);
		if (c.predicate_enable && !(reg_get(e, RING_PREDICATE_RESULT(0)) & 1))
			w->total = 0;
	}
	w->saved = false;
	w->stops = !e->cs.workaround && stops_inside(e);
	pthread_mutex_lock(&e->gpu->lock);
	w->refused = atomic_load(&e->list_seq) - 1;
	set_clock(w);
	pthread_mutex_unlock(&e->gpu->lock);
}

/* How many will have run at a time, or by then begun. gpu->lock held. */
static uint64_t by(struct engine *e, uint64_t ns, bool begun)
{
	uint64_t each = e->gpu->config.group_ns, n = 0;
	struct walk *w = &e->walk;

	if (!each)
		return w->total;
	if (ns > w->start_ns)
		n = (ns - w->start_ns + (begun ? each - 1 : 0)) / each;
	return n < w->total - w->from ? w->from + n : w->total;
}

/* A list that may come in between waits. gpu->lock held. */
static bool interrupted(struct engine *e)
{
	return e->walk.stops && e->cs.arbitrate && engine_requests(e) & ENGINE_LIST &&
	       e->walk.refused != atomic_load(&e->list_seq);
}

/* Where the walk stops as things are. gpu->lock held. */
static uint64_t stop_of(struct engine *e)
{
	uint64_t stop;

	if (!interrupted(e))
		return e->walk.total;
	stop = by(e, e->request_ns, true);
	return stop < e->walk.done ? e->walk.done : stop;
}

/* What has run by a time and is not counted yet. gpu->lock held. */
static uint64_t due(struct engine *e, uint64_t ns)
{
	uint64_t stop = stop_of(e), n = by(e, ns, false);

	return (n < stop ? n : stop) - e->walk.done;
}

/* gpu->lock held. */
static void have_run(struct engine *e, uint64_t n)
{
	struct walk *w = &e->walk;

	if (!n)
		return;
	w->done += n;
	e->groups += n;
	reg_set64(e, GPGPU_THREADS_DISPATCHED - RCS0_BASE,
		  reg_get64(e, GPGPU_THREADS_DISPATCHED - RCS0_BASE) + n * w->channels);
	count("thread_groups", e->info->name, n);
}

/* Runs what has had its time, and waits for more, or for a request; is it at an end, or where it stops? */
static bool advance(struct engine *e)
{
	uint64_t each = e->gpu->config.group_ns, stop, now, rest, owed = 0;
	struct walk *w = &e->walk;
	bool at_stop;

	pthread_mutex_lock(&e->gpu->lock);
	now = now_ns();
	stop = stop_of(e);
	rest = product(stop - w->done, each);
	if (interrupted(e) || w->from != w->done || rest >= SHORT_NS) {
		have_run(e, due(e, now));
	} else {
		have_run(e, stop - w->done);
		owed = rest;
	}
	at_stop = w->done == stop;
	/* A list that was looked at does not keep it from sleeping, nor does one that is to be taken at the stop. */
	if (!at_stop && !(engine_requests(e) & ~(uint32_t)ENGINE_LIST) &&
	    (!(engine_requests(e) & ENGINE_LIST) || e->cs.workaround ||
	     e->cs.list_seen == atomic_load(&e->list_seq))) {
		rest = (product(stop - w->from, each) - (now - w->start_ns)) / 1000 + 1;
		engine_sleep(e, rest < LONG_US ? (unsigned int)rest : LONG_US);
	}
	if (w->done == w->total)
		w->runs = false;
	pthread_mutex_unlock(&e->gpu->lock);
	if (owed)
		cs_owe_delay(e, owed);
	return at_stop;
}

/* Time stands still while the engine is parked; the group that was not done then begins again. */
static enum cs_result park(struct engine *e)
{
	enum cs_result r;

	pthread_mutex_lock(&e->gpu->lock);
	have_run(e, due(e, now_ns()));
	e->walk.runs = false;
	pthread_mutex_unlock(&e->gpu->lock);
	r = engine_park(e);
	pthread_mutex_lock(&e->gpu->lock);
	set_clock(&e->walk);
	pthread_mutex_unlock(&e->gpu->lock);
	return r;
}

static enum cs_result look_at_requests(struct engine *e, bool at_stop)
{
	uint32_t requests = engine_requests(e);
	enum cs_result r = CS_CONTINUE;

	if (requests & (ENGINE_RESET | ENGINE_QUIT))
		return CS_STOPPED;
	if (requests & ENGINE_PARK)
		return park(e);
	if (!(requests & ENGINE_LIST) || e->cs.workaround)
		return CS_CONTINUE;
	/* The same context again needs no arbitration point. */
	if (e->cs.list_seen != atomic_load(&e->list_seq))
		return e->submission->arbitrate(e, false);
	if (at_stop) {
		r = e->submission->arbitrate(e, true);
		e->walk.refused = e->cs.list_seen;
	}
	return r;
}

/**
 * cs_walker - GPGPU_WALKER is executed, or goes on
 * @e: the render engine; its command is parsed
 *
 * Return: CS_PREEMPT with the rest to be done when the command is parsed again, CS_STOPPED on a reset.
 */
enum cs_result cs_walker(struct engine *e)
{
	enum cs_result r = CS_CONTINUE;
	struct walk *w = &e->walk;

	for (begin(e); r == CS_CONTINUE;) {
		bool at_stop = advance(e);

		if (w->done == w->total)
			return CS_CONTINUE;
		if (engine_requests(e))
			r = look_at_requests(e, at_stop);
	}
	pthread_mutex_lock(&e->gpu->lock);
	w->runs = false;
	pthread_mutex_unlock(&e->gpu->lock);
	if (r == CS_PREEMPT) {
		w->saved = true;
		cs_rewind(e);
	}
	return r;
}

/**
 * cs_walker_forget - a command is executed that is no walker: none goes on after it
 * @e: the engine
 */
void cs_walker_forget(struct engine *e)
{
	if (!e->cs.workaround)
		e->walk.saved = false;
}

/**
 * cs_walker_groups - thread groups that have run
 * @e: the engine
 * @ns: by when, which is not in the past
 *
 * Return: their number since the engine is there. gpu->lock is held.
 */
uint64_t cs_walker_groups(struct engine *e, uint64_t ns)
{
	return e->groups + (e->walk.runs ? due(e, ns) : 0);
}

/**
 * cs_walker_channels - GPGPU_THREADS_DISPATCHED as it is now
 * @e: the render engine; gpu->lock is held
 */
uint64_t cs_walker_channels(struct engine *e)
{
	uint64_t v = reg_get64(e, GPGPU_THREADS_DISPATCHED - RCS0_BASE);

	return e->walk.runs ? v + due(e, now_ns()) * e->walk.channels : v;
}

/**
 * cs_walker_preempted - a context is preempted: notes how far into a walker that was
 * @e: the engine; gpu->lock is held
 *
 * Return: the level of preemption if the list came while a walker ran, otherwise NULL.
 */
const char *cs_walker_preempted(struct engine *e)
{
	const char *level = e->walk.stops ? "group" : "command";
	uint64_t n = e->groups - e->request_groups;

	if (e->walk.saved)
		engine_count(e, "walkers_preempted");
	else if (!n)
		return NULL;
	sample("preemption_groups", level, n);
	return level;
}

/**
 * cs_walker_save - keeps in the context's image where a walker was left
 * @e: the render engine
 * @state: address of the image's register state
 *
 * Return: false on a page fault.
 */
bool cs_walker_save(struct engine *e, uint64_t state)
{
	const struct walk *w = &e->walk;
	struct image_walk i = { 0 };

	if (w->saved)
		i = (struct image_walk){ WALK_MAGIC, w->channels, w->addr, w->done, w->total };
	return vm_write(&e->view, &ggtt, state + WALK_DW * 4, &i, sizeof(i));
}

/**
 * cs_walker_load - has it back
 * @e: the render engine
 * @state: address of the image's register state; 0: nothing is restored
 *
 * Return: false on a page fault.
 */
bool cs_walker_load(struct engine *e, uint64_t state)
{
	struct image_walk i = { 0 };

	if (state && !vm_read(&e->view, &ggtt, state + WALK_DW * 4, &i, sizeof(i)))
		return false;
	pthread_mutex_lock(&e->gpu->lock);
	e->walk = (struct walk){ .saved = i.magic == WALK_MAGIC && i.done <= i.total, .addr = i.addr, .done = i.done,
				 .total = i.total, .channels = i.channels };
	pthread_mutex_unlock(&e->gpu->lock);
	return true;
}
