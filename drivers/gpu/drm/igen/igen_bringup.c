// SPDX-License-Identifier: MIT
/**
 * DOC: Bring-up in stages
 *
 * With the module parameter bringup=N, N from 1 to 4, binding to a device only makes a directory, igen_bringup, in the
 * PCI device's directory in sysfs. Root then runs the steps of the probe one at a time. So a program can put the name
 * of the next step on disk before the step begins (tools/bringup, Documentation/bringup.rst):
 *
 * ========== ==========================================================================================================
 * stage      N
 * steps      the steps of this stage, a line each: "done", "next", "open" or "failed", and the name
 * run        writing the name of the next step runs it; the write fails when the step does
 * result     what the last step has found: lines that begin with "ok", "note" or "BAD"
 * verdict    one line: "running", "go on" or "stop: " and why
 * ========== ==========================================================================================================
 *
 * The steps are those of the ordinary probe. Each names the first stage that has it. Behind a step its check reads back
 * what the step did (igen_bringup_checks.c). The kernel log has each line as well, for pstore and netconsole.
 *
 * Stages 2 and 3 use one engine. In stage 2 the driver installs no interrupt. A worker calls every few milliseconds
 * what the interrupt handler would call. Stage 4 ends as an ordinary probe does: clients can open the device.
 *
 * A device whose bring-up is not finished can be unbound at any time. That undoes the steps as after a probe that
 * failed. Until then the machine refuses to suspend.
 */
#include <drm/drm_print.h>
#include <linux/device.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include <igen/regs/irq.h>

#include "igen_bringup.h"
#include "igen_device.h"

static int bringup;
module_param(bringup, int, 0400);
MODULE_PARM_DESC(bringup, "Bring-up by steps, stage 1: read only, 2: one engine, polled, 3: interrupts, 4: all (default 0: none)");

#define DIRECTORY	"igen_bringup"
#define POLL_JIFFIES	1

static const char *const level_words[] = {
	[IGEN_BRINGUP_OK] = "ok  ",
	[IGEN_BRINGUP_NOTE] = "note",
	[IGEN_BRINGUP_BAD] = "BAD ",
};

/**
 * igen_bringup_module_init - check the module parameter
 *
 * Return: 0, or -EINVAL when there is no such stage.
 */
int igen_bringup_module_init(void)
{
	if (bringup >= 0 && bringup <= IGEN_BRINGUP_ALL)
		return 0;
	pr_err("igen: bringup=%d is no stage: 1 to %d, or 0 for none\n", bringup, IGEN_BRINGUP_ALL);
	return -EINVAL;
}

/**
 * igen_bringup_stage - ask which stage root has asked for
 *
 * Return: IGEN_BRINGUP_*, or 0 for an ordinary probe.
 */
unsigned int igen_bringup_stage(void)
{
	return bringup;
}

/**
 * igen_bringup_say - add a line to the result of the step that runs
 * @b: the bring-up; its mutex is held
 * @level: what the line means; the first IGEN_BRINGUP_BAD is the verdict
 * @format: the line, without a line feed
 *
 * A line that has no room in the result is in the kernel log alone.
 */
void igen_bringup_say(struct igen_bringup *b, enum igen_bringup_level level, const char *format, ...)
{
	char line[IGEN_BRINGUP_LINE];
	va_list args;

	lockdep_assert_held(&b->mutex);

	va_start(args, format);
	vscnprintf(line, sizeof(line), format, args);
	va_end(args);

	drm_info(&b->igen->drm, "bring-up: %s %s\n", level_words[level], line);
	b->length += scnprintf(b->result + b->length, PAGE_SIZE - b->length, "%s %s\n", level_words[level], line);
	if (level == IGEN_BRINGUP_NOTE)
		b->notes++;
	if (level != IGEN_BRINGUP_BAD)
		return;
	b->failed = true;
	if (!b->verdict[0])
		strscpy(b->verdict, line, sizeof(b->verdict));
}

/* Does what the interrupt handler would do if each engine had something to tell. */
static void bringup_poll(struct work_struct *work)
{
	struct igen_bringup *b = container_of(to_delayed_work(work), struct igen_bringup, poll);
	struct igen_device *igen = b->igen;
	struct igen_engine *engine;
	unsigned long flags;
	unsigned int id;

	for_each_engine(igen, id, engine) {
		local_irq_save(flags);
		igen->platform->submit->irq(engine, GT_IRQ_USER | GT_IRQ_CONTEXT_SWITCH);
		local_irq_restore(flags);
	}
	schedule_delayed_work(&b->poll, POLL_JIFFIES);
}

/* Steps of later stages are left out. */
static void bringup_skip(struct igen_bringup *b)
{
	while (b->next < b->num_steps && b->steps[b->next].stage > b->stage)
		b->next++;
}

static bool bringup_is_over(const struct igen_bringup *b)
{
	return b->next == b->num_steps;
}

/* Behind the last step. */
static int bringup_finish(struct igen_bringup *b)
{
	int err;

	if (b->stage != IGEN_BRINGUP_ALL)
		return 0;
	err = b->finish(b->igen);
	if (err)
		igen_bringup_say(b, IGEN_BRINGUP_BAD, "the device is not registered: %d", err);
	else
		b->finished = true;
	return err;
}

/* Runs the next step. Return: 0, what the step failed with, or -EIO when its check has found something wrong. */
static int bringup_step(struct igen_bringup *b)
{
	const struct igen_probe_step *step = &b->steps[b->next];
	struct igen_device *igen = b->igen;
	int err;

	lockdep_assert_held(&b->mutex);

	b->length = 0;
	b->result[0] = 0;
	drm_info(&igen->drm, "bring-up: stage %u, step %s\n", b->stage, step->name);
	err = step->init(igen);
	if (!err)
		err = igen_inject_probe_error(igen, step->name);
	if (step->check)
		step->check(b, err);
	if (err && !b->verdict[0])
		scnprintf(b->verdict, sizeof(b->verdict), "%s fails with %d", step->name, err);
	b->failed |= err < 0;
	if (b->failed)
		return err ?: -EIO;

	b->next++;
	bringup_skip(b);
	return bringup_is_over(b) ? bringup_finish(b) : 0;
}

static struct igen_bringup *to_bringup(struct device *dev)
{
	struct igen_device *igen = dev_get_drvdata(dev);

	return igen->bringup;
}

static ssize_t stage_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", to_bringup(dev)->stage);
}
static DEVICE_ATTR_RO(stage);

static ssize_t steps_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct igen_bringup *b = to_bringup(dev);
	ssize_t length = 0;
	const char *state;
	unsigned int n;

	mutex_lock(&b->mutex);
	for (n = 0; n < b->num_steps; n++) {
		if (b->steps[n].stage > b->stage)
			continue;
		if (n == b->next)
			state = b->failed ? "failed" : "next";
		else
			state = n < b->next ? "done" : "open";
		length += sysfs_emit_at(buf, length, "%s %s\n", state, b->steps[n].name);
	}
	mutex_unlock(&b->mutex);
	return length;
}
static DEVICE_ATTR_RO(steps);

static ssize_t run_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct igen_bringup *b = to_bringup(dev);
	int err = -EINVAL;

	mutex_lock(&b->mutex);
	if (b->failed || bringup_is_over(b))
		err = -EBUSY;
	else if (sysfs_streq(buf, b->steps[b->next].name))
		err = bringup_step(b);
	mutex_unlock(&b->mutex);
	return err ?: count;
}
static DEVICE_ATTR_WO(run);

static ssize_t result_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct igen_bringup *b = to_bringup(dev);
	ssize_t length;

	mutex_lock(&b->mutex);
	length = sysfs_emit(buf, "%s", b->result);
	mutex_unlock(&b->mutex);
	return length;
}
static DEVICE_ATTR_RO(result);

static ssize_t verdict_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct igen_bringup *b = to_bringup(dev);
	ssize_t length;

	mutex_lock(&b->mutex);
	if (b->failed)
		length = sysfs_emit(buf, "stop: %s\n", b->verdict);
	else if (!bringup_is_over(b))
		length = sysfs_emit(buf, "running\n");
	else
		length = sysfs_emit(buf, "go on\n");
	mutex_unlock(&b->mutex);
	return length;
}
static DEVICE_ATTR_RO(verdict);

static struct attribute *bringup_attributes[] = {
	&dev_attr_stage.attr,
	&dev_attr_steps.attr,
	&dev_attr_run.attr,
	&dev_attr_result.attr,
	&dev_attr_verdict.attr,
	NULL
};

static const struct attribute_group bringup_group = {
	.name = DIRECTORY,
	.attrs = bringup_attributes,
};

/**
 * igen_bringup_start - let root run the steps of a device's probe one at a time
 * @igen: the device, of which nothing has been touched
 * @steps: the probe's steps
 * @num_steps: how many
 * @finish: registers the device
 *
 * Undone by igen_bringup_end() and the managed actions of the steps.
 *
 * Return: 0, -ENOMEM, or what making the directory in sysfs failed with.
 */
int igen_bringup_start(struct igen_device *igen, const struct igen_probe_step *steps, unsigned int num_steps,
		       int (*finish)(struct igen_device *igen))
{
	struct device *dev = &igen->pdev->dev;
	struct igen_bringup *b;
	int err;

	b = devm_kzalloc(dev, sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	b->result = (char *)devm_get_free_pages(dev, GFP_KERNEL | __GFP_ZERO, 0);
	if (!b->result)
		return -ENOMEM;

	b->igen = igen;
	b->stage = igen_bringup_stage();
	b->steps = steps;
	b->num_steps = num_steps;
	b->finish = finish;
	mutex_init(&b->mutex);
	INIT_DELAYED_WORK(&b->poll, bringup_poll);
	bringup_skip(b);
	igen->bringup = b;

	err = sysfs_create_group(&dev->kobj, &bringup_group);
	if (err)
		return err;
	drm_info(&igen->drm, "bring-up, stage %u: waits for its steps\n", b->stage);
	return 0;
}

/**
 * igen_bringup_unfinished - ask whether a device's bring-up has begun and has not ended
 * @igen: the device
 *
 * Return: true when it is; then it is not registered, and what it has was made by the steps that ran.
 */
bool igen_bringup_unfinished(const struct igen_device *igen)
{
	return igen->bringup && !READ_ONCE(igen->bringup->finished);
}

/**
 * igen_bringup_end - no step runs any more
 * @igen: the device, which is about to be removed or shut down
 *
 * May sleep, and waits for a step that runs.
 *
 * Return: as igen_bringup_unfinished().
 */
bool igen_bringup_end(struct igen_device *igen)
{
	if (!igen->bringup)
		return false;
	sysfs_remove_group(&igen->pdev->dev.kobj, &bringup_group);
	cancel_delayed_work_sync(&igen->bringup->poll);
	return igen_bringup_unfinished(igen);
}
