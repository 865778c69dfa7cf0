/* SPDX-License-Identifier: MIT */
/**
 * DOC: Budgets of clients
 *
 * A budget counts the kernel memory that the driver has allocated for clients, in bytes, the pages of clients' objects,
 * and the mmap offsets of the device that clients hold.
 */
#ifndef _IGEN_BUDGET_H_
#define _IGEN_BUDGET_H_

#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/uidgid.h>

struct igen_device;
struct pid;

/*
 * For memory that a client makes the driver allocate: charged to the memory cgroup of the caller, and a failure rather
 * than the OOM killer when there is none, in the machine or in the cgroup.
 */
#define IGEN_GFP_CLIENT	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/**
 * enum igen_budget_ggtt - what a client has places in the GGTT for
 * @IGEN_GGTT_COPIES: copies of batches
 * @IGEN_GGTT_DIRECTORIES: page directories that lie there
 * @IGEN_GGTT_CONTEXTS: images and rings of contexts
 * @IGEN_GGTT_USES: how many uses there are
 */
enum igen_budget_ggtt {
	IGEN_GGTT_COPIES,
	IGEN_GGTT_DIRECTORIES,
	IGEN_GGTT_CONTEXTS,
	IGEN_GGTT_USES,
};

/** struct igen_budget - what a file, a process, a user or all clients have of memory and of the device's offsets */
struct igen_budget {
	/** @parent: the budget that all charges count for as well, or NULL; constant; kept by these charges */
	struct igen_budget *parent;
	/** @weight: what its use counts in the rule of all levels; constant */
	unsigned int weight;
	/** @link: in the table of budgets, if this is a user's or a process's */
	struct hlist_node link;
	/** @pid: the process, counted, if this is one's; else NULL; constant */
	struct pid *pid;
	/** @uid: the user, if this is a user's or a process's; constant */
	kuid_t uid;
	/** @used: bytes that are charged, this structure for each owner; the budget is freed when it reaches 0 */
	atomic_long_t used;
	/** @refused: how many charges to this very budget were refused, which wraps */
	atomic_t refused;
	/** @offsets: pages of 4 KB of the device file's mapping offsets */
	atomic_long_t offsets;
	/** @ggtt: pages of 4 KB of the GGTT that cannot be taken away, for each use */
	atomic_long_t ggtt[IGEN_GGTT_USES];
	/** @pages: pages of 4 KB that objects in shared memory have, in memory or in swap, without closed ones */
	atomic_long_t pages;
};

struct igen_budget *igen_budget_create(void);
struct igen_budget *igen_budget_open(struct igen_device *igen, struct pid *pid, kuid_t uid);
int igen_budget_charge(struct igen_budget *budget, size_t bytes);
int igen_budget_charge_request(struct igen_budget *budget, size_t bytes);
int igen_budget_charge_room(struct igen_device *igen, struct igen_budget *budget, size_t bytes);
void igen_budget_uncharge(struct igen_budget *budget, size_t bytes);
int igen_budget_charge_offsets(struct igen_budget *budget, unsigned long pages);
void igen_budget_uncharge_offsets(struct igen_budget *budget, unsigned long pages);
int igen_budget_charge_ggtt(struct igen_budget *budget, enum igen_budget_ggtt use, unsigned long pages, u64 all);
void igen_budget_uncharge_ggtt(struct igen_budget *budget, enum igen_budget_ggtt use, unsigned long pages);
bool igen_budget_exceeds_share_of_ggtt(struct igen_budget *budget, enum igen_budget_ggtt use, unsigned long pages,
				       u64 all);
void igen_budget_add_pages(struct igen_budget *budget, long pages);
unsigned long igen_budget_wanted_left(const struct igen_budget *budget, unsigned long pages);

/* Are these the budgets of files of one process? */
static inline bool igen_budget_same_process(const struct igen_budget *file, const struct igen_budget *other)
{
	return file->parent == other->parent;
}

/* The owner needs it no more; what is still charged keeps it. NULL is allowed. */
static inline void igen_budget_put(struct igen_budget *budget)
{
	igen_budget_uncharge(budget, sizeof(*budget));
}

#endif
