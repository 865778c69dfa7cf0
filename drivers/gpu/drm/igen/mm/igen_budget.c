// SPDX-License-Identifier: MIT
/**
 * DOC: Budgets of clients
 *
 * A client can make the driver allocate kernel memory that swap cannot hold and that is not visible as the client's in
 * its process: objects without pages, contexts with their images and rings, address spaces with their tables, VMAs,
 * requests and their waits. The OOM killer would kill other processes for it. So such memory is charged to the open
 * file before it is allocated, and a charge beyond the file's share fails with -ENOMEM. The pages of objects have no
 * share: they are limited by what is left of memory and swap (igen_shmem.c), and may be swapped out. They are counted,
 * since of the last memory a process that has many pages gets less than one that has few.
 *
 * A client may open many files and start many processes. So budgets form a tree::
 *
 *	device -> user -> process -> file
 *
 * A charge to a file counts for the process that opened the file, for that process's user, and for the device. One rule
 * decides: a charge is accepted while
 *
 *	6 * used(process) + used(user) + used(device) <= memory
 *
 * It follows that
 *
 * * a process that is alone gets an eighth of the memory, however many files it opens;
 * * the processes of a user that is alone get half of the memory together, and the other half is left to other users;
 * * a process that takes all that it gets leaves three quarters of what its user had left to the user's other
 *   processes.
 *
 * Many such processes one after the other leave little. So the rule is relaxed for a process that has next to nothing,
 * and a new process can begin (SMALL_SHARE and SMALL_PROCESSES).
 *
 * The files of a process have no shares of their own: a process that uses up its share in one file harms itself.
 *
 * Requests, and what belongs to them, may take a little more than the share, so that a client that has used it up can
 * still submit in the contexts that it has.
 *
 * A budget lives as long as something is charged to it, which may be longer than the file: requests of a closed file
 * wait for others, fences stay in sync files, and objects stay in mappings and in other processes. The budgets of users
 * and processes are in a table, where a later file of the same process finds what earlier ones have left behind.
 *
 * What all clients together want may be more than is free. So igen_budget_charge_room() also asks igen_make_room() from
 * time to time, as everything does that allocates whole pages.
 *
 * The same tree and the same rule limit the offsets at which objects are mapped, an address space of 1 TB for all
 * clients of the device: an object without a single page may be larger than what is left of it. They also limit the
 * parts of the GGTT that contexts have whose requests wait (engine/igen_lrc.c), that page directories have where they
 * lie in the GGTT (igen_ppgtt_gen6.c), and that copies of batches have on engines that run such copies from there
 * (uapi/igen_execbuf_shadow.c). See budget_ggtt_is_within() for what is different there.
 *
 * Memory cgroups are independent of this: all such memory is allocated with IGEN_GFP_CLIENT.
 */
#include <drm/drm_vma_manager.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "igen_budget.h"
#include "igen_mm.h"

/* The weight of a level's use in the rule above. */
#define PROCESS_WEIGHT	6
#define USER_WEIGHT	1
#define DEVICE_WEIGHT	1

/* Requests may exceed the limit by one part in so many: a process that is alone has one in 64 of memory for them. */
#define REQUEST_SHARE	8

/*
 * A process that has less than one part in so many may exceed the limit, until as much is used beyond it as so many of
 * these processes have: an eighth.
 */
#define SMALL_SHARE	512
#define SMALL_PROCESSES	64

/* How many bytes clients may take before igen_budget_charge_room() looks whether memory is short: a power of two. */
#define UNASKED	SZ_64K

/* Budgets of users and processes, of all devices. */
static DEFINE_HASHTABLE(budgets, 6);
/* Guards the table; a leaf, taken in RCU callbacks and with engines' locks held. */
static DEFINE_SPINLOCK(budgets_lock);

static u64 budget_all_memory(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT;
}

/* What the levels of a budget have: U64_MAX for a process, and 0 for the others, without a budget. */
struct budget_use {
	u64 process, user, device;
	/* weighted, by the rule above */
	u64 sum;
};

/* Adds to one of the counters of a budget and of its parents; count may be 0. */
static struct budget_use budget_add(struct igen_budget *budget, size_t counter, unsigned long count)
{
	struct budget_use use = { .process = U64_MAX };
	struct igen_budget *at;
	u64 used;

	for (at = budget; at; at = at->parent) {
		used = atomic_long_add_return(count, (atomic_long_t *)((void *)at + counter));
		use.sum += used * at->weight;
		if (at->weight == PROCESS_WEIGHT)
			use.process = used;
		else if (!at->parent)
			use.device = used;
		else if (at->weight)
			use.user = used;
	}
	return use;
}

static bool budget_is_within(const struct budget_use *use, u64 all, u64 extra)
{
	if (likely(use->sum <= all + extra))
		return true;
	return use->process <= all / SMALL_SHARE &&
	       use->sum <= all + extra + (USER_WEIGHT + DEVICE_WEIGHT) * (all / SMALL_SHARE * SMALL_PROCESSES);
}

static int budget_charge(struct igen_budget *budget, size_t bytes, u64 extra)
{
	struct budget_use use = budget_add(budget, offsetof(struct igen_budget, used), bytes);

	if (likely(budget_is_within(&use, budget_all_memory(), extra)))
		return 0;
	pr_debug("igen: a client has used up its share of kernel memory, %lu bytes\n",
		 atomic_long_read(&budget->used) - bytes);
	atomic_inc(&budget->refused);
	igen_budget_uncharge(budget, bytes);
	return -ENOMEM;
}

/* As igen_budget_create(), for a level with the weight @weight. */
static struct igen_budget *budget_create(struct igen_budget *parent, unsigned int weight)
{
	struct igen_budget *budget = kzalloc(sizeof(*budget), IGEN_GFP_CLIENT);

	if (!budget)
		return NULL;
	if (igen_budget_charge_request(parent, sizeof(*budget))) {
		kfree(budget);
		return NULL;
	}
	budget->parent = parent;
	budget->weight = weight;
	atomic_long_set(&budget->used, sizeof(*budget));
	return budget;
}

/**
 * igen_budget_create - the budget of all clients of a device
 *
 * The budget's own structure is the first charge; igen_budget_put() takes that back.
 *
 * Return: the budget, owned by the caller until igen_budget_put(); NULL when there is no memory. May sleep.
 */
struct igen_budget *igen_budget_create(void)
{
	return budget_create(NULL, DEVICE_WEIGHT);
}

static u32 budget_hash(const struct igen_budget *parent, const struct pid *pid, kuid_t uid)
{
	return hash_64((uintptr_t)parent ^ (uintptr_t)pid << 1 ^ (u64)__kuid_val(uid) << 32, 32);
}

/* Finds a budget in the table and takes a reference; NULL if there is none. Passes over a budget without references. */
static struct igen_budget *budget_find(const struct igen_budget *parent, const struct pid *pid, kuid_t uid)
{
	struct igen_budget *budget;

	lockdep_assert_held(&budgets_lock);

	hash_for_each_possible(budgets, budget, link, budget_hash(parent, pid, uid)) {
		if (budget->parent == parent && budget->pid == pid && uid_eq(budget->uid, uid) &&
		    atomic_long_add_unless(&budget->used, sizeof(*budget), 0))
			return budget;
	}
	return NULL;
}

/* The budget of a process or a user, owned by the caller, or NULL when there is no memory. */
static struct igen_budget *budget_find_or_create(struct igen_budget *parent, unsigned int weight, struct pid *pid,
						 kuid_t uid)
{
	struct igen_budget *new = budget_create(parent, weight), *budget;
	unsigned long flags;

	if (!new)
		return NULL;
	new->uid = uid;
	spin_lock_irqsave(&budgets_lock, flags);
	budget = budget_find(parent, pid, uid);
	if (!budget) {
		new->pid = get_pid(pid);
		hash_add(budgets, &new->link, budget_hash(parent, pid, uid));
	}
	spin_unlock_irqrestore(&budgets_lock, flags);
	if (!budget)
		return new;

	/*
	 * The reference that budget_find() took counts in the parents too, as each charge does. It replaces the
	 * reference of @new.
	 */
	kfree(new);
	return budget;
}

/**
 * igen_budget_open - the budget of a new file
 * @igen: the device
 * @pid: the process (thread group) that opens the file
 * @uid: the user that the process belongs to
 *
 * Return: the budget, owned by the caller until igen_budget_put(); NULL when there is no memory, or when the user has
 * used up its share. May sleep.
 */
struct igen_budget *igen_budget_open(struct igen_device *igen, struct pid *pid, kuid_t uid)
{
	struct igen_budget *user, *process, *file = NULL;

	user = budget_find_or_create(igen->mm.budget, USER_WEIGHT, NULL, uid);
	process = user ? budget_find_or_create(user, PROCESS_WEIGHT, pid, uid) : NULL;
	if (process)
		file = budget_create(process, 0);
	/* From here on the file's charges keep them. */
	igen_budget_put(process);
	igen_budget_put(user);
	return file;
}

/* Frees a budget to which nothing is charged any more. */
static void budget_free(struct igen_budget *budget)
{
	unsigned long flags;

	spin_lock_irqsave(&budgets_lock, flags);
	hash_del(&budget->link);
	spin_unlock_irqrestore(&budgets_lock, flags);
	put_pid(budget->pid);
	kfree(budget);
}

/**
 * igen_budget_charge - counts memory before it is allocated
 * @budget: the client's budget, or NULL for the driver's own memory
 * @bytes: how much; igen_budget_uncharge() takes the same back
 *
 * Return: 0, or -ENOMEM when the client would have more than its share.
 * Context: any.
 */
int igen_budget_charge(struct igen_budget *budget, size_t bytes)
{
	return budget_charge(budget, bytes, 0);
}

/**
 * igen_budget_charge_request - counts memory of a request before it is allocated
 * @budget: the client's budget, or NULL for the driver's own memory
 * @bytes: how much; igen_budget_uncharge() takes the same back
 *
 * Return: 0, or -ENOMEM when the client would have more than its share and what requests may have beyond it.
 * Context: any.
 */
int igen_budget_charge_request(struct igen_budget *budget, size_t bytes)
{
	return budget_charge(budget, bytes, budget_all_memory() / REQUEST_SHARE);
}

/**
 * igen_budget_charge_room - count memory of a kind that may become large, before it is allocated
 * @igen: the device
 * @budget: the client's budget, or NULL for the driver's own memory
 * @bytes: how much
 *
 * Return: 0, or -ENOMEM when the client would have more than its share, or when too little would be left to others.
 * Context: may sleep, as igen_make_room().
 */
int igen_budget_charge_room(struct igen_device *igen, struct igen_budget *budget, size_t bytes)
{
	struct igen_budget *device = budget;
	unsigned long used;
	int err;

	if (!budget)
		return 0;
	err = igen_budget_charge(budget, bytes);
	if (err)
		return err;
	while (device->parent)
		device = device->parent;
	used = atomic_long_read(&device->used);
	if (likely(used / UNASKED == (used - bytes) / UNASKED) || igen_make_room(igen, UNASKED >> PAGE_SHIFT, 0))
		return 0;
	igen_budget_uncharge(budget, bytes);
	return -ENOMEM;
}

/**
 * igen_budget_uncharge - end the charge for memory that was freed
 * @budget: the budget that was charged, or NULL; freed if this was the last charge
 * @bytes: how much
 *
 * Context: any.
 */
void igen_budget_uncharge(struct igen_budget *budget, size_t bytes)
{
	struct igen_budget *parent;

	for (; budget; budget = parent) {
		/* The bytes still count for the parent, so the parent is there. */
		parent = budget->parent;
		if (atomic_long_sub_and_test(bytes, &budget->used))
			budget_free(budget);
	}
}

/**
 * igen_budget_charge_offsets - counts mapping offsets before they are taken
 * @budget: the client's budget, kept by a charge for memory
 * @pages: how many, of 4 KB
 *
 * Return: 0, or -ENOSPC when the client would have more than its share.
 * Context: any.
 */
int igen_budget_charge_offsets(struct igen_budget *budget, unsigned long pages)
{
	struct budget_use use = budget_add(budget, offsetof(struct igen_budget, offsets), pages);

	if (likely(budget_is_within(&use, DRM_FILE_PAGE_OFFSET_SIZE, 0)))
		return 0;
	pr_debug("igen: a client has used up its share of mapping offsets, %lu pages\n",
		 atomic_long_read(&budget->offsets) - pages);
	igen_budget_uncharge_offsets(budget, pages);
	return -ENOSPC;
}

/**
 * igen_budget_uncharge_offsets - mapping offsets were given back
 * @budget: the budget that they were charged to
 * @pages: how many, of 4 KB
 *
 * Context: any.
 */
void igen_budget_uncharge_offsets(struct igen_budget *budget, unsigned long pages)
{
	for (; budget; budget = budget->parent)
		atomic_long_sub(pages, &budget->offsets);
}

static struct budget_use budget_add_ggtt(struct igen_budget *budget, enum igen_budget_ggtt use, unsigned long pages)
{
	return budget_add(budget, offsetof(struct igen_budget, ggtt) + use * sizeof(budget->ggtt[0]), pages);
}

/*
 * A process may begin while its user had no more than half, whatever the size of its first place. Without the user's
 * limit many processes could fill the GGTT. Contexts that wait may also take more than a process's share, up to half,
 * while a quarter is left. Copies may not, since clients keep them for a while.
 */
static bool budget_ggtt_is_within(const struct budget_use *use, enum igen_budget_ggtt what, u64 pages, u64 all)
{
	if (likely(budget_is_within(use, all, 0)))
		return true;
	if (use->process == pages && use->user - pages <= all / 2)
		return true;
	return what != IGEN_GGTT_COPIES && use->process <= all / 2 && use->device <= all - all / 4;
}

/**
 * igen_budget_charge_ggtt - counts a place in the GGTT that is to stay
 * @budget: the client's budget, kept by a charge for memory; NULL for the driver's own
 * @use: what the place is for
 * @pages: the size, in pages of 4 KB
 * @all: pages that all clients may have for this use
 *
 * Return: 0, or -ENOSPC when the client would have more than it may.
 * Context: any.
 */
int igen_budget_charge_ggtt(struct igen_budget *budget, enum igen_budget_ggtt use, unsigned long pages, u64 all)
{
	struct budget_use used = budget_add_ggtt(budget, use, pages);

	if (likely(budget_ggtt_is_within(&used, use, pages, all)))
		return 0;
	pr_debug("igen: a client has used up its share of the GGTT, %lu pages\n",
		 atomic_long_read(&budget->ggtt[use]) - pages);
	/* Contexts that the client has closed may be on their way out (submit/igen_reclaim.c). */
	if (use != IGEN_GGTT_COPIES)
		atomic_inc(&budget->refused);
	igen_budget_uncharge_ggtt(budget, use, pages);
	return -ENOSPC;
}

/**
 * igen_budget_exceeds_share_of_ggtt - tell whether a process would have more than its share, whatever others have
 * @budget: the budget of one of the process's files
 * @use: what the place is for
 * @pages: the size of one more place, in pages of 4 KB
 * @all: pages that all clients may have for this use
 *
 * Return: true when it would have more than an eighth.
 * Context: any.
 */
bool igen_budget_exceeds_share_of_ggtt(struct igen_budget *budget, enum igen_budget_ggtt use, unsigned long pages,
				       u64 all)
{
	u64 process = budget_add_ggtt(budget, use, 0).process;

	return (process + pages) * (PROCESS_WEIGHT + USER_WEIGHT + DEVICE_WEIGHT) > all;
}

/**
 * igen_budget_uncharge_ggtt - a place in the GGTT can be taken away
 * @budget: the budget that it was charged to
 * @use: what it is for
 * @pages: the size, in pages of 4 KB
 *
 * Context: any.
 */
void igen_budget_uncharge_ggtt(struct igen_budget *budget, enum igen_budget_ggtt use, unsigned long pages)
{
	for (; budget; budget = budget->parent)
		atomic_long_sub(pages, &budget->ggtt[use]);
}

/**
 * igen_budget_add_pages - count pages of objects
 * @budget: the client's budget, kept by a charge for memory, or NULL for the driver's own objects
 * @pages: how many more, of 4 KB; negative when they are gone
 *
 * Context: any.
 */
void igen_budget_add_pages(struct igen_budget *budget, long pages)
{
	for (; budget; budget = budget->parent)
		atomic_long_add(pages, &budget->pages);
}

/**
 * igen_budget_wanted_left - tell how much memory a process has to leave when its objects take new pages
 * @budget: the budget of one of the process's files, or NULL for the driver's own objects
 * @pages: new pages, of 4 KB
 *
 * A process that takes all that it may leaves six sevenths of what there was to the next one that has nothing yet.
 *
 * Return: pages of 4 KB.
 * Context: any.
 */
unsigned long igen_budget_wanted_left(const struct igen_budget *budget, unsigned long pages)
{
	for (; budget; budget = budget->parent)
		if (budget->weight == PROCESS_WEIGHT)
			return PROCESS_WEIGHT * (atomic_long_read(&budget->pages) + pages);
	return 0;
}
