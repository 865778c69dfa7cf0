// SPDX-License-Identifier: MIT
/**
 * DOC: Owners
 *
 * The files that one process has open share one turn of each engine, and so do the processes of one user
 * (igen_queue.c). Otherwise more files or more processes would get more of the GPU. A file belongs to the process that
 * opened it, and to that process's user, also when the file is passed on.
 *
 * The owners of all devices are in one table, which is looked at when a file is opened and when the last one is gone.
 * A request holds its client, which holds its process, which holds its user. Requests may outlive the device, so an
 * owner holds no device: it knows the device's serial number. What an owner owes for hangs is remembered beside it
 * (igen_debt.c).
 */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/pid.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "igen_owner.h"
#include "igen_submit.h"

static DEFINE_HASHTABLE(owners, 6);
/*
 * Guards the table, the last put of each owner and remembered debts; a leaf, taken in RCU callbacks and with engines'
 * locks held.
 */
static DEFINE_SPINLOCK(owners_lock);

static u32 owner_hash(u64 device, const struct pid *pid, kuid_t uid)
{
	return hash_64(device ^ (uintptr_t)pid ^ (u64)__kuid_val(uid) << 32, 32);
}

/* The owner of that device, process and user, counted, or NULL. owners_lock held. */
static struct igen_owner *owner_find(u64 device, const struct pid *pid, kuid_t uid)
{
	struct igen_owner *owner;

	lockdep_assert_held(&owners_lock);

	hash_for_each_possible(owners, owner, link, owner_hash(device, pid, uid)) {
		if (owner->device == device && owner->pid == pid && uid_eq(owner->uid, uid)) {
			kref_get(&owner->ref);
			return owner;
		}
	}
	return NULL;
}

/* Finds an owner or makes it, below a user whose reference it takes over, or below the engines' roots. */
static struct igen_owner *owner_get(struct igen_device *igen, struct igen_owner *user, struct pid *pid, kuid_t uid)
{
	struct igen_owner *owner, *new;
	struct igen_engine *engine;
	unsigned long flags;
	unsigned int id;

	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return NULL;
	kref_init(&new->ref);
	new->device = igen->serial;
	new->uid = uid;
	for_each_engine(igen, id, engine)
		igen_share_init(&new->share[id], user ? &user->share[id] : &engine->queue, false);

	spin_lock_irqsave(&owners_lock, flags);
	owner = owner_find(igen->serial, pid, uid);
	if (!owner) {
		new->user = user;
		new->pid = get_pid(pid);
		igen_debt_inherit(igen, new);
		hash_add(owners, &new->link, owner_hash(igen->serial, pid, uid));
	}
	spin_unlock_irqrestore(&owners_lock, flags);
	if (!owner)
		return new;

	kfree(new);
	igen_owner_put(user);
	return owner;
}

/**
 * igen_owner_get - the owner of a new file
 * @igen: the device, with its engines
 * @pid: the process (thread group) that opens the file
 * @uid: the user that the process belongs to
 *
 * Return: the owner, counted; NULL when there is no memory.
 * Context: may sleep.
 */
struct igen_owner *igen_owner_get(struct igen_device *igen, struct pid *pid, kuid_t uid)
{
	struct igen_owner *user, *process;

	user = owner_get(igen, NULL, NULL, uid);
	if (!user)
		return NULL;
	process = owner_get(igen, user, pid, uid);
	if (!process)
		igen_owner_put(user);
	return process;
}

/**
 * igen_owner_remember_debt - a process and its user owe an engine's time
 * @process: the process
 * @engine: the engine
 *
 * Processes of the user that open their first file from now on begin with the debt.
 *
 * Context: any; the lock of the engine's group held.
 */
void igen_owner_remember_debt(const struct igen_owner *process, enum igen_engine_id engine)
{
	unsigned long flags;

	spin_lock_irqsave(&owners_lock, flags);
	igen_debt_remember(process, engine);
	igen_debt_remember(process->user, engine);
	spin_unlock_irqrestore(&owners_lock, flags);
}

/* The last reference is gone; owners_lock held. */
static void owner_release(struct kref *ref)
{
	struct igen_owner *owner = container_of(ref, struct igen_owner, ref);

	lockdep_assert_held(&owners_lock);
	hash_del(&owner->link);
}

/**
 * igen_owner_put - drop a reference
 * @owner: the owner, or NULL
 *
 * Context: any.
 */
void igen_owner_put(struct igen_owner *owner)
{
	struct igen_owner *user;
	unsigned long flags;
	bool last;

	for (; owner; owner = user) {
		spin_lock_irqsave(&owners_lock, flags);
		last = kref_put(&owner->ref, owner_release);
		spin_unlock_irqrestore(&owners_lock, flags);
		if (!last)
			return;
		user = owner->user;
		put_pid(owner->pid);
		kfree(owner);
	}
}
