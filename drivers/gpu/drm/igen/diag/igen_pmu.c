// SPDX-License-Identifier: MIT
/**
 * DOC: Performance counters
 *
 * Each GPU has a perf event source with the event numbers of i915's uAPI. For each engine it counts how long the engine
 * was busy, waited for an event, or waited for a semaphore. It also counts clocks, interrupts, and how long the GPU was
 * awake. The source of the GPU at 0000:00:02.0 is called "i915", that of another GPU i915_0000_00_03.0 after its
 * address. intel_gpu_top and IGT look for these names.
 *
 * Busy time comes from the counters that the engine keeps in the images of its contexts, as in fdinfo. It costs nothing
 * until it is read. The GPU is awake from the first request until all requests are retired. Only waits and clocks are
 * sampled, 200 times a second while such an event is counting. RING_CTL says whether an engine waits (public Gen9 PRM
 * Vol 2c, "RING_BUFFER_CTL").
 *
 * perf uses an event source as long as one of its events is open, even after an unbind. So the source's memory belongs
 * to the module, and an open event holds the module. An unbind takes the device away from the source: open events count
 * no further, and new events get -ENODEV. The source is unregistered at the unbind, or when its last event is closed,
 * so i915 finds its name free when it gets the device back.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>
#include <uapi/drm/i915_drm.h>

#include <igen/regs/engine.h>

#include "../igen_compat.h"
#include "../igen_device.h"
#include "../submit/igen_client.h"
#include "../submit/igen_request.h"
#include "../submit/igen_retire.h"
#include "igen_diag.h"

#define SAMPLE_NS	(5 * NSEC_PER_MSEC)
/* The events of the GPU and of each engine. An event has a second file for its unit. */
#define MAX_ATTRS	(2 * (5 + 3 * IGEN_NUM_ENGINES))

/* The sampled values: two for each engine, and two clocks. */
enum {
	SAMPLED_ACTUAL = 2 * IGEN_NUM_ENGINES,
	SAMPLED_REQUESTED,
	NUM_SAMPLED,
};

/* A file in "events". */
struct pmu_attr {
	struct device_attribute dev;
	char name[40];
	char value[24];
};

/* The event source of one GPU: of one address on the bus, whichever device is bound there. */
struct pmu_source {
	struct pmu base;
	/* In @sources, which @mutex guards. */
	struct list_head link;
	/* As perf names it, and the address. */
	char name[32];
	char address[16];
	/* Whether perf has the source; under @mutex, as are the attributes. */
	bool registered;
	/* Events that exist. An event source with events is not unregistered. */
	atomic_t events;
	/* Whether there has been an event since the source was registered. */
	bool used;
	/* Unregisters the source after the last event of a device that has gone. */
	struct work_struct retire;
	/* In the list of those that hear of processors that come and go. */
	struct hlist_node cpuhp_node;
	/* The processor that reads all events, or nr_cpu_ids. Changes only by CPU hotplug. */
	unsigned int cpu;
	/* The device that is bound; RCU, changed with @mutex held. */
	struct igen_device __rcu *igen;
	/* Changes at each unbind, with @mutex held: events of another one are over. */
	unsigned long generation;
	/* Guards the fields below; interrupts off. */
	spinlock_t lock;
	/* For each sampled value the number of events that count it, and their sum. */
	unsigned int users[NUM_SAMPLED];
	unsigned int num_users;
	/* Nanoseconds waited, and MHz times microseconds. */
	u64 sum[NUM_SAMPLED];
	ktime_t sampled_at;
	bool timer_runs;
	struct hrtimer timer;
	/* The sysfs files of the event source. */
	struct pmu_attr attr[MAX_ATTRS];
	struct attribute *attrs[MAX_ATTRS + 1];
	unsigned int num_attrs;
	struct attribute_group events_group;
	const struct attribute_group *groups[4];
};

static DEFINE_MUTEX(mutex);
static LIST_HEAD(sources);
/* The state of CPU hotplug that sources hear of; 0 before the first source. */
static enum cpuhp_state cpuhp;

static struct pmu_source *event_source(struct perf_event *event)
{
	return container_of(event->pmu, struct pmu_source, base);
}

static bool pmu_is_engine_config(u64 config)
{
	return config < __I915_PMU_OTHER(0);
}

static struct igen_engine *pmu_config_engine(struct igen_device *igen, u64 config)
{
	return igen_engine_lookup(igen, config >> I915_PMU_CLASS_SHIFT & 0xff, config >> I915_PMU_SAMPLE_BITS & 0xff);
}

/* The index of the sampled value that an event counts, or -1. */
static int pmu_is_sampled(struct igen_device *igen, u64 config)
{
	unsigned int kind = config & I915_PMU_SAMPLE_MASK;

	if (config == I915_PMU_ACTUAL_FREQUENCY)
		return SAMPLED_ACTUAL;
	if (config == I915_PMU_REQUESTED_FREQUENCY)
		return SAMPLED_REQUESTED;
	if (!pmu_is_engine_config(config) || kind == I915_SAMPLE_BUSY)
		return -1;
	return 2 * pmu_config_engine(igen, config)->info->id + (kind == I915_SAMPLE_SEMA);
}

static int pmu_check_config(struct igen_device *igen, u64 config)
{
	switch (config) {
	case I915_PMU_ACTUAL_FREQUENCY:
	case I915_PMU_REQUESTED_FREQUENCY:
	case I915_PMU_INTERRUPTS:
	case I915_PMU_SOFTWARE_GT_AWAKE_TIME:
		return 0;
	case I915_PMU_RC6_RESIDENCY:
		return READ_ONCE(igen->power.rc6) ? 0 : -ENODEV;
	}
	if (!pmu_is_engine_config(config))
		return -ENOENT;
	if (!pmu_config_engine(igen, config))
		return -ENODEV;
	return (config & I915_PMU_SAMPLE_MASK) <= I915_SAMPLE_SEMA ? 0 : -ENOENT;
}

/* An engine that does not answer, or is not there and reads as all ones, does not wait. */
static void pmu_sample_engine(struct pmu_source *source, struct igen_engine *engine, u64 ns)
{
	u64 *sum = &source->sum[2 * engine->info->id];
	u32 ctl;

	/* The GT is awake, but its wells sleep between two batches. */
	if (igen_forcewake_get(engine->igen, engine->info->forcewake))
		return;
	ctl = igen_read(engine->igen, RING_CTL(engine->info->base));
	igen_forcewake_put(engine->igen, engine->info->forcewake);
	if (ctl == ~0u)
		return;
	if (ctl & RING_CTL_WAIT)
		sum[0] += ns;
	if (ctl & RING_CTL_WAIT_SEMAPHORE)
		sum[1] += ns;
}

static void pmu_sample(struct pmu_source *source, struct igen_device *igen, u64 ns)
{
	struct igen_engine *engine;
	unsigned int id;

	/* A parked GT has no clock, and its engines wait for nothing. */
	if (!igen_is_awake(igen))
		return;
	for_each_engine(igen, id, engine) {
		if (source->users[2 * id] || source->users[2 * id + 1])
			pmu_sample_engine(source, engine, ns);
	}
	if (source->users[SAMPLED_ACTUAL])
		source->sum[SAMPLED_ACTUAL] += igen_power_clock_mhz(igen) * div_u64(ns, NSEC_PER_USEC);
	if (source->users[SAMPLED_REQUESTED])
		source->sum[SAMPLED_REQUESTED] += igen_power_requested_mhz(igen) * div_u64(ns, NSEC_PER_USEC);
}

static enum hrtimer_restart pmu_sample_timer(struct hrtimer *timer)
{
	struct pmu_source *source = container_of(timer, struct pmu_source, timer);
	struct igen_device *igen;
	unsigned long flags;
	bool runs, awake;
	ktime_t now;

	rcu_read_lock();
	igen = rcu_dereference(source->igen);
	/* Sampling does not wake the device, but keeps it from going to sleep meanwhile. */
	awake = igen && igen_rpm_get_if_in_use(igen);
	spin_lock_irqsave(&source->lock, flags);
	runs = igen && source->num_users;
	source->timer_runs = runs;
	if (runs) {
		now = ktime_get();
		if (awake)
			pmu_sample(source, igen, ktime_to_ns(ktime_sub(now, source->sampled_at)));
		source->sampled_at = now;
		hrtimer_forward_now(timer, ns_to_ktime(SAMPLE_NS));
	}
	spin_unlock_irqrestore(&source->lock, flags);
	/* Without the lock, which perf takes with that of a run queue held. */
	if (awake)
		igen_rpm_put(igen);
	rcu_read_unlock();
	return runs ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/* An event begins or ceases to need samples. */
static void pmu_count_user(struct pmu_source *source, struct igen_device *igen, u64 config, bool more)
{
	int what = pmu_is_sampled(igen, config);
	unsigned long flags;

	if (what < 0)
		return;
	spin_lock_irqsave(&source->lock, flags);
	source->users[what] += more ? 1 : -1;
	source->num_users += more ? 1 : -1;
	if (more && !source->timer_runs) {
		source->timer_runs = true;
		source->sampled_at = ktime_get();
		hrtimer_start(&source->timer, ns_to_ktime(SAMPLE_NS), HRTIMER_MODE_REL_PINNED);
	}
	spin_unlock_irqrestore(&source->lock, flags);
}

static u64 pmu_read_sum(struct pmu_source *source, int what)
{
	unsigned long flags;
	u64 sum;

	spin_lock_irqsave(&source->lock, flags);
	sum = source->sum[what];
	spin_unlock_irqrestore(&source->lock, flags);
	return what < SAMPLED_ACTUAL ? sum : div_u64(sum, USEC_PER_SEC);
}

static u64 pmu_read_counter(struct pmu_source *source, struct igen_device *igen, u64 config)
{
	int what = pmu_is_sampled(igen, config);

	if (what >= 0)
		return pmu_read_sum(source, what);
	if (config == I915_PMU_INTERRUPTS)
		return READ_ONCE(igen->irq_count);
	if (config == I915_PMU_SOFTWARE_GT_AWAKE_TIME)
		return igen_awake_ns(igen);
	if (config == I915_PMU_RC6_RESIDENCY)
		return igen_power_rc6_ns(igen);
	return igen_engine_busy_ns(pmu_config_engine(igen, config));
}

/* The device of an event, or NULL when that has gone. Called in an RCU section. */
static struct igen_device *pmu_event_device(struct perf_event *event)
{
	struct pmu_source *source = event_source(event);
	struct igen_device *igen = rcu_dereference(source->igen);

	return event->hw.config_base == READ_ONCE(source->generation) ? igen : NULL;
}

/* An event ends, or was never opened. */
static void pmu_event_destroy(struct perf_event *event)
{
	struct pmu_source *source = event_source(event);

	/* A count, not a reference: a source without events may get new ones. */
	if (!atomic_dec_return(&source->events) && !rcu_access_pointer(source->igen))
		schedule_work(&source->retire);
}

static int pmu_event_init(struct perf_event *event)
{
	struct pmu_source *source = event_source(event);
	struct igen_device *igen;
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	/* There is no interrupt to sample at. */
	if (event->attr.sample_period)
		return -EINVAL;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	if (event->cpu < 0 || event->cpu != READ_ONCE(source->cpu))
		return -EINVAL;

	/* Before the device is looked for, so that an unbind meanwhile sees the event. */
	atomic_inc(&source->events);
	WRITE_ONCE(source->used, true);
	rcu_read_lock();
	event->hw.config_base = READ_ONCE(source->generation);
	igen = pmu_event_device(event);
	err = igen ? pmu_check_config(igen, event->attr.config) : -ENODEV;
	rcu_read_unlock();
	if (err)
		pmu_event_destroy(event);
	else
		event->destroy = pmu_event_destroy;
	return err;
}

static void pmu_event_read(struct perf_event *event)
{
	struct igen_device *igen;
	u64 now;

	rcu_read_lock();
	igen = pmu_event_device(event);
	if (igen) {
		now = pmu_read_counter(event_source(event), igen, event->attr.config);
		local64_add(now - local64_xchg(&event->hw.prev_count, now), &event->count);
	}
	rcu_read_unlock();
}

static void pmu_event_start(struct perf_event *event, int flags)
{
	struct igen_device *igen;

	rcu_read_lock();
	igen = pmu_event_device(event);
	if (igen) {
		pmu_count_user(event_source(event), igen, event->attr.config, true);
		local64_set(&event->hw.prev_count, pmu_read_counter(event_source(event), igen, event->attr.config));
		event->hw.state = 0;
	}
	rcu_read_unlock();
}

static void pmu_event_stop(struct perf_event *event, int flags)
{
	struct igen_device *igen;

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	if (flags & PERF_EF_UPDATE)
		pmu_event_read(event);
	rcu_read_lock();
	igen = pmu_event_device(event);
	if (igen)
		pmu_count_user(event_source(event), igen, event->attr.config, false);
	rcu_read_unlock();
	event->hw.state = PERF_HES_STOPPED;
}

static int pmu_event_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		pmu_event_start(event, flags);
	return 0;
}

static void pmu_event_del(struct perf_event *event, int flags)
{
	pmu_event_stop(event, PERF_EF_UPDATE);
}

static int pmu_event_index(struct perf_event *event)
{
	return 0;
}

static int pmu_cpu_arrives(unsigned int cpu, struct hlist_node *node)
{
	struct pmu_source *source = hlist_entry(node, struct pmu_source, cpuhp_node);

	if (source->cpu >= nr_cpu_ids)
		WRITE_ONCE(source->cpu, cpu);
	return 0;
}

static int pmu_cpu_leaves(unsigned int cpu, struct hlist_node *node)
{
	struct pmu_source *source = hlist_entry(node, struct pmu_source, cpuhp_node);
	unsigned int target;

	if (cpu != source->cpu)
		return 0;
	target = cpumask_any_but(cpu_online_mask, cpu);
	WRITE_ONCE(source->cpu, target);
	if (target < nr_cpu_ids)
		perf_pmu_migrate_context(&source->base, cpu, target);
	return 0;
}

static ssize_t pmu_show_value(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", container_of(attr, struct pmu_attr, dev)->value);
}

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct pmu_source *source = container_of((struct pmu *)dev_get_drvdata(dev), struct pmu_source, base);
	unsigned int cpu = READ_ONCE(source->cpu);

	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(cpu < nr_cpu_ids ? cpumask_of(cpu) : cpu_none_mask));
}
static DEVICE_ATTR_RO(cpumask);

static struct pmu_attr format_attr = {
	.dev = __ATTR(i915_eventid, 0444, pmu_show_value, NULL),
	.value = "config:0-20",
};

static struct attribute *cpumask_attrs[] = { &dev_attr_cpumask.attr, NULL };
static struct attribute *format_attrs[] = { &format_attr.dev.attr, NULL };
static const struct attribute_group cpumask_group = { .attrs = cpumask_attrs };
static const struct attribute_group format_group = { .name = "format", .attrs = format_attrs };

static struct pmu_attr *pmu_new_attr(struct pmu_source *source)
{
	struct pmu_attr *attr = &source->attr[source->num_attrs];

	sysfs_attr_init(&attr->dev.attr);
	attr->dev.attr.name = attr->name;
	attr->dev.attr.mode = 0444;
	attr->dev.show = pmu_show_value;
	source->attrs[source->num_attrs++] = &attr->dev.attr;
	return attr;
}

static void pmu_add_event(struct pmu_source *source, const char *engine, const char *name, const char *unit, u64 config)
{
	struct pmu_attr *attr = pmu_new_attr(source);

	snprintf(attr->name, sizeof(attr->name), "%s%s", engine, name);
	snprintf(attr->value, sizeof(attr->value), "config=0x%llx", config);
	if (!unit)
		return;
	attr = pmu_new_attr(source);
	snprintf(attr->name, sizeof(attr->name), "%s%s.unit", engine, name);
	strscpy(attr->value, unit, sizeof(attr->value));
}

static void pmu_add_events(struct pmu_source *source, struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	source->num_attrs = 0;
	pmu_add_event(source, "", "actual-frequency", "M", I915_PMU_ACTUAL_FREQUENCY);
	pmu_add_event(source, "", "requested-frequency", "M", I915_PMU_REQUESTED_FREQUENCY);
	pmu_add_event(source, "", "interrupts", NULL, I915_PMU_INTERRUPTS);
	if (READ_ONCE(igen->power.rc6))
		pmu_add_event(source, "", "rc6-residency", "ns", I915_PMU_RC6_RESIDENCY);
	pmu_add_event(source, "", "software-gt-awake-time", "ns", I915_PMU_SOFTWARE_GT_AWAKE_TIME);
	for_each_engine(igen, id, engine) {
		const struct igen_engine_info *info = engine->info;

		pmu_add_event(source, info->name, "-busy", "ns", I915_PMU_ENGINE_BUSY(info->class, info->instance));
		pmu_add_event(source, info->name, "-sema", "ns", I915_PMU_ENGINE_SEMA(info->class, info->instance));
		pmu_add_event(source, info->name, "-wait", "ns", I915_PMU_ENGINE_WAIT(info->class, info->instance));
	}
}

/* Called with @mutex held. */
static int pmu_register_source(struct pmu_source *source, struct igen_device *igen)
{
	int ret;

	if (!cpuhp) {
		ret = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "perf/igen:online", pmu_cpu_arrives, pmu_cpu_leaves);
		if (ret < 0)
			return ret;
		cpuhp = ret;
	}
	source->cpu = nr_cpu_ids;
	pmu_add_events(source, igen);
	source->events_group = (struct attribute_group) { .name = "events", .attrs = source->attrs };
	source->groups[0] = &format_group;
	source->groups[1] = &source->events_group;
	source->groups[2] = &cpumask_group;
	source->base = (struct pmu) {
		.module = THIS_MODULE,
		.attr_groups = source->groups,
		.task_ctx_nr = perf_invalid_context,
		.event_init = pmu_event_init,
		.event_idx = pmu_event_index,
		.add = pmu_event_add,
		.del = pmu_event_del,
		.start = pmu_event_start,
		.stop = pmu_event_stop,
		.read = pmu_event_read,
	};
	source->used = false;
	ret = perf_pmu_register(&source->base, source->name, -1);
	if (ret)
		return ret;
	/* Until then no processor reads events, and none can be opened. */
	ret = cpuhp_state_add_instance(cpuhp, &source->cpuhp_node);
	if (ret) {
		perf_pmu_unregister(&source->base);
		return ret;
	}
	source->registered = true;
	return 0;
}

/* Called with @mutex held. The source stays while it has a device, or events that are open. */
static void pmu_unregister_source(struct pmu_source *source)
{
	if (!source->registered || rcu_access_pointer(source->igen) || atomic_read(&source->events))
		return;
	/*
	 * perf frees an event in steps, and touches the source after it has called pmu_event_destroy(). A task that is
	 * in between has not slept since.
	 */
	if (READ_ONCE(source->used))
		synchronize_rcu_tasks();
	cpuhp_state_remove_instance_nocalls(cpuhp, &source->cpuhp_node);
	perf_pmu_unregister(&source->base);
	source->registered = false;
}

static void pmu_retire(struct work_struct *work)
{
	struct pmu_source *source = container_of(work, struct pmu_source, retire);

	mutex_lock(&mutex);
	pmu_unregister_source(source);
	mutex_unlock(&mutex);
}

/* The source of a device's address, made if there is none yet. Called with @mutex held. */
static struct pmu_source *pmu_find_source(struct igen_device *igen)
{
	const char *address = dev_name(igen->drm.dev);
	struct pmu_source *source;

	list_for_each_entry(source, &sources, link) {
		if (!strcmp(source->address, address))
			return source;
	}
	source = kzalloc(sizeof(*source), GFP_KERNEL);
	if (!source)
		return NULL;
	strscpy(source->address, address, sizeof(source->address));
	if (!strcmp(address, "0000:00:02.0"))
		strscpy(source->name, "i915", sizeof(source->name));
	else
		snprintf(source->name, sizeof(source->name), "i915_%s", address);
	/* perf's tools take a colon for the end of the name. */
	strreplace(source->name, ':', '_');
	spin_lock_init(&source->lock);
	INIT_WORK(&source->retire, pmu_retire);
	igen_hrtimer_setup(&source->timer, pmu_sample_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
	list_add_tail(&source->link, &sources);
	return source;
}

/**
 * igen_pmu_register - lets events count on a device
 * @igen: the device, registered
 *
 * Without events the device works as well. May sleep.
 */
void igen_pmu_register(struct igen_device *igen)
{
	struct pmu_source *source;
	int err = -ENOMEM;

	mutex_lock(&mutex);
	source = pmu_find_source(igen);
	if (source)
		err = source->registered ? 0 : pmu_register_source(source, igen);
	if (err)
		drm_warn(&igen->drm, "no performance counters: %d\n", err);
	else
		rcu_assign_pointer(source->igen, igen);
	mutex_unlock(&mutex);
}

/* Called with @mutex held. */
static void pmu_detach(struct pmu_source *source)
{
	RCU_INIT_POINTER(source->igen, NULL);
	WRITE_ONCE(source->generation, source->generation + 1);
	synchronize_rcu();
	hrtimer_cancel(&source->timer);
	spin_lock_irq(&source->lock);
	memset(source->users, 0, sizeof(source->users));
	source->num_users = 0;
	source->timer_runs = false;
	spin_unlock_irq(&source->lock);
	pmu_unregister_source(source);
}

/**
 * igen_pmu_unregister - take a device away from its event source
 * @igen: the device; when this returns, no event uses it
 *
 * Does nothing if no source has this device.
 *
 * Context: may sleep.
 */
void igen_pmu_unregister(struct igen_device *igen)
{
	struct pmu_source *source;

	mutex_lock(&mutex);
	list_for_each_entry(source, &sources, link) {
		if (rcu_access_pointer(source->igen) == igen)
			pmu_detach(source);
	}
	mutex_unlock(&mutex);
}

/**
 * igen_pmu_module_exit - free the event sources; no event is open, since each holds the module
 */
void igen_pmu_module_exit(void)
{
	struct pmu_source *source, *next;

	list_for_each_entry_safe(source, next, &sources, link) {
		flush_work(&source->retire);
		kfree(source);
	}
	if (cpuhp)
		cpuhp_remove_multi_state(cpuhp);
}
