// SPDX-License-Identifier: MIT
/**
 * DOC: Engines in sysfs
 *
 * cardN/engine/NAME/ describes an engine and has its tunables, in milliseconds. .defaults/ has their defaults. The
 * submission floor reads the tunables each time that it needs them. Values out of range are refused, and change
 * nothing.
 */
#include <drm/drm_file.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <uapi/drm/i915_drm.h>

#include "../igen_device.h"
#include "../submit/igen_submit.h"
#include "igen_diag.h"

/* Waits longer than this are as good as none. */
#define MAX_MS	INT_MAX

/** struct engine_dir - an engine's directory, or that of its defaults */
struct engine_dir {
	/** @base: the directory */
	struct kobject base;
	/** @engine: the engine that the directory shows; the device outlives its sysfs files */
	struct igen_engine *engine;
	/** @defaults: tunables as they were at registration */
	struct igen_engine_props defaults;
};

static struct engine_dir *to_dir(struct kobject *kobj)
{
	return container_of(kobj, struct engine_dir, base);
}

static ssize_t name_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", to_dir(kobj)->engine->info->name);
}

static ssize_t class_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", to_dir(kobj)->engine->info->class);
}

static ssize_t instance_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", to_dir(kobj)->engine->info->instance);
}

static ssize_t mmio_base_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%x\n", to_dir(kobj)->engine->info->base);
}

static ssize_t engines_show_capabilities(enum igen_engine_class class, u64 caps, char *buf)
{
	const bool video = class == IGEN_CLASS_VIDEO, enhance = class == IGEN_CLASS_VIDEO_ENHANCE;
	ssize_t len = 0;

	if (video && caps & I915_VIDEO_CLASS_CAPABILITY_HEVC)
		len += sysfs_emit_at(buf, len, "hevc ");
	if ((video || enhance) && caps & I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_SFC)
		len += sysfs_emit_at(buf, len, "sfc ");
	if (len)
		buf[len - 1] = '\n';
	return len;
}

static ssize_t capabilities_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct igen_engine_info *info = to_dir(kobj)->engine->info;

	return engines_show_capabilities(info->class, info->uabi_capabilities, buf);
}

static ssize_t known_capabilities_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return engines_show_capabilities(to_dir(kobj)->engine->info->class, ~0ull, buf);
}

static ssize_t engines_store_prop(struct igen_engine *engine, unsigned int *prop, const char *buf, size_t count,
				  unsigned long long max)
{
	unsigned long long value;
	int err;

	err = kstrtoull(buf, 0, &value);
	if (err)
		return err;
	if (value > max)
		return -EINVAL;

	WRITE_ONCE(*prop, value);
	/* The driver reads the other tunables when it next needs them. */
	if (prop == &engine->props.heartbeat_interval_ms) {
		if (value)
			igen_heartbeat_apply_interval(engine);
		else
			igen_heartbeat_off(engine);
	} else if (prop == &engine->props.preempt_timeout_ms || prop == &engine->props.timeslice_duration_ms) {
		/* The new value holds for the running request as well, even if nothing more is submitted. */
		igen_engine_submit(engine);
	}
	return count;
}

#define PROP(name__, max__)										\
static ssize_t name__##_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)		\
{													\
	return sysfs_emit(buf, "%u\n", READ_ONCE(to_dir(kobj)->engine->props.name__));			\
}													\
													\
static ssize_t name__##_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,	\
			      size_t count)								\
{													\
	struct igen_engine *engine = to_dir(kobj)->engine;						\
													\
	return engines_store_prop(engine, &engine->props.name__, buf, count, max__);				\
}													\
													\
static ssize_t default_##name__##_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)	\
{													\
	return sysfs_emit(buf, "%u\n", to_dir(kobj)->defaults.name__);					\
}													\
													\
static struct kobj_attribute name__##_attr = __ATTR_RW(name__);						\
static struct kobj_attribute name__##_default_attr = __ATTR(name__, 0444, default_##name__##_show, NULL)

PROP(heartbeat_interval_ms, MAX_MS);
PROP(preempt_timeout_ms, MAX_MS);
PROP(timeslice_duration_ms, MAX_MS);
PROP(stop_timeout_ms, MAX_MS);
/* A wait that spins keeps other tasks from the CPU, so two ticks at most. */
PROP(max_busywait_duration_ns, jiffies_to_nsecs(2));

static struct kobj_attribute name_attr = __ATTR_RO(name);
static struct kobj_attribute class_attr = __ATTR_RO(class);
static struct kobj_attribute instance_attr = __ATTR_RO(instance);
static struct kobj_attribute mmio_base_attr = __ATTR_RO(mmio_base);
static struct kobj_attribute capabilities_attr = __ATTR_RO(capabilities);
static struct kobj_attribute known_capabilities_attr = __ATTR_RO(known_capabilities);

static struct attribute *engine_attrs[] = {
	&name_attr.attr,
	&class_attr.attr,
	&instance_attr.attr,
	&mmio_base_attr.attr,
	&capabilities_attr.attr,
	&known_capabilities_attr.attr,
	&heartbeat_interval_ms_attr.attr,
	&preempt_timeout_ms_attr.attr,
	&timeslice_duration_ms_attr.attr,
	&stop_timeout_ms_attr.attr,
	&max_busywait_duration_ns_attr.attr,
	NULL,
};
ATTRIBUTE_GROUPS(engine);

static struct attribute *default_attrs[] = {
	&heartbeat_interval_ms_default_attr.attr,
	&preempt_timeout_ms_default_attr.attr,
	&timeslice_duration_ms_default_attr.attr,
	&stop_timeout_ms_default_attr.attr,
	&max_busywait_duration_ns_default_attr.attr,
	NULL,
};
ATTRIBUTE_GROUPS(default);

static void engines_dir_release(struct kobject *kobj)
{
	kfree(to_dir(kobj));
}

static const struct kobj_type engine_type = {
	.release = engines_dir_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = engine_groups,
};

static const struct kobj_type defaults_type = {
	.release = engines_dir_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = default_groups,
};

static struct kobject *engines_add_dir(struct igen_engine *engine, const struct kobj_type *type, struct kobject *parent,
				       const char *name)
{
	struct engine_dir *dir;

	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return NULL;
	dir->engine = engine;
	dir->defaults = engine->props;

	/* From here on the directory's own count frees it. */
	if (kobject_init_and_add(&dir->base, type, parent, "%s", name)) {
		kobject_put(&dir->base);
		return NULL;
	}
	return &dir->base;
}

/**
 * igen_sysfs_remove_dir - remove a directory and its files
 * @dir: the directory, set to NULL; if it is NULL nothing is done
 *
 * Waits for readers of the files.
 *
 * Context: may sleep.
 */
void igen_sysfs_remove_dir(struct kobject **dir)
{
	if (!*dir)
		return;
	kobject_del(*dir);
	kobject_put(*dir);
	*dir = NULL;
}

/**
 * igen_sysfs_engines_register - the engines' directories
 * @igen: the device, registered
 */
void igen_sysfs_engines_register(struct igen_device *igen)
{
	struct igen_diag *diag = igen->diag;
	struct igen_engine *engine;
	struct kobject *parent;
	unsigned int id;

	parent = kobject_create_and_add("engine", &igen->drm.primary->kdev->kobj);
	if (!parent)
		goto err_warn;
	diag->engines = parent;

	for_each_engine(igen, id, engine) {
		diag->engine[id] = engines_add_dir(engine, &engine_type, parent, engine->info->name);
		if (!diag->engine[id])
			goto err_warn;
		diag->defaults[id] = engines_add_dir(engine, &defaults_type, diag->engine[id], ".defaults");
		if (!diag->defaults[id])
			goto err_warn;
	}
	return;

err_warn:
	drm_warn(&igen->drm, "not all engines are in sysfs\n");
}

/**
 * igen_sysfs_engines_unregister - takes them away
 * @igen: the device, still registered
 */
void igen_sysfs_engines_unregister(struct igen_device *igen)
{
	struct igen_diag *diag = igen->diag;
	unsigned int id;

	for (id = 0; id < IGEN_NUM_ENGINES; id++) {
		igen_sysfs_remove_dir(&diag->defaults[id]);
		igen_sysfs_remove_dir(&diag->engine[id]);
	}
	igen_sysfs_remove_dir(&diag->engines);
}
