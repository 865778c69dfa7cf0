// SPDX-License-Identifier: MIT
/**
 * DOC: Events about resets
 *
 * Userspace hears of hangs and full resets by uevents, with the words of stock i915. As with stock i915 the reset of a
 * single engine makes no event.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/kobject.h>

#include "../igen_device.h"
#include "igen_reset.h"

static const char * const uevent_words[] = {
	[IGEN_UEVENT_HANG] = "ERROR=1",
	[IGEN_UEVENT_RESET] = "RESET=1",
	[IGEN_UEVENT_WORKS] = "ERROR=0",
};

static void uevent_work(struct work_struct *work)
{
	struct igen_device *igen = container_of(work, struct igen_device, uevent_work);
	char *envp[2] = {};
	u8 what;
	int idx;

	while (kfifo_get(&igen->uevents, &what)) {
		envp[0] = (char *)uevent_words[what];
		if (!drm_dev_enter(&igen->drm, &idx))
			continue;
		kobject_uevent_env(&igen->drm.primary->kdev->kobj, KOBJ_CHANGE, envp);
		drm_dev_exit(idx);
	}
}

/**
 * igen_uevent_note - queue an event about a reset of the GPU
 * @igen: the device
 * @what: the event
 *
 * A worker sends the event, since sending allocates memory, and memory reclaim may wait for the reset under way. While
 * the device is being probed there is no event. If 64 events are waiting, the event is lost, and the log says so.
 *
 * Context: reset_mutex held.
 */
void igen_uevent_note(struct igen_device *igen, enum igen_uevent what)
{
	lockdep_assert_held(&igen->reset_mutex);

	if (!igen->drm.registered)
		return;
	if (!kfifo_put(&igen->uevents, what))
		drm_notice(&igen->drm, "event %s is not sent, since others wait\n", uevent_words[what]);
	queue_work(system_unbound_wq, &igen->uevent_work);
}

/**
 * igen_uevent_init - prepare for events
 * @igen: the device
 */
void igen_uevent_init(struct igen_device *igen)
{
	INIT_KFIFO(igen->uevents);
	INIT_WORK(&igen->uevent_work, uevent_work);
}

/**
 * igen_uevent_flush - wait until all events so far have been sent
 * @igen: the device
 *
 * Context: may sleep.
 */
void igen_uevent_flush(struct igen_device *igen)
{
	flush_work(&igen->uevent_work);
}
