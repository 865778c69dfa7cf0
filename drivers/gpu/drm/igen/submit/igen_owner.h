/* SPDX-License-Identifier: MIT */
/**
 * DOC: Owners
 *
 * A process (thread group) that has files of a device open, or a user with such processes.
 */
#ifndef _IGEN_OWNER_H_
#define _IGEN_OWNER_H_

#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/uidgid.h>

#include "../engine/igen_share.h"
#include "../platform/igen_platform.h"

struct igen_device;
struct pid;

/** struct igen_owner - a process or a user */
struct igen_owner {
	/** @ref: clients of a process, processes of a user; the last put is under the lock of all owners */
	struct kref ref;
	/** @link: in the table of owners */
	struct hlist_node link;
	/** @device: igen_device.serial of the device; constant */
	u64 device;
	/** @user: the user, counted, if this is a process; else NULL; constant */
	struct igen_owner *user;
	/** @pid: the process, counted, if this is one; else NULL; constant */
	struct pid *pid;
	/** @uid: the user; constant */
	kuid_t uid;
	/** @doomed_number: its closed contexts end whose closed_number is below this; written under the reset mutex */
	u64 doomed_number;
	/** @leftover_hangs: hangs of closed contexts of a user since @leftover_jiffies; under the reset mutex */
	unsigned int leftover_hangs;
	/** @leftover_jiffies: when the first of them was */
	unsigned long leftover_jiffies;
	/** @share: what it has of each engine; under the engines' locks */
	struct igen_share share[IGEN_NUM_ENGINES];
};

struct igen_owner *igen_owner_get(struct igen_device *igen, struct pid *pid, kuid_t uid);
void igen_owner_put(struct igen_owner *owner);
void igen_owner_remember_debt(const struct igen_owner *process, enum igen_engine_id engine);

#endif
