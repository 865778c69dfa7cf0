/* SPDX-License-Identifier: MIT */
/**
 * DOC: Shares of an engine
 *
 * An engine's queue is a tree: users, below each user the processes, below each process its clients (open files),
 * below each client its requests. submit/igen_queue.c keeps it.
 */
#ifndef _IGEN_SHARE_H_
#define _IGEN_SHARE_H_

#include <linux/rbtree.h>
#include <linux/types.h>

/* Shares above a client's request, the engine's root not counted: client, process, user. */
#define IGEN_SHARE_LEVELS	3

/** struct igen_share_use - a share wanted or used an engine */
struct igen_share_use {
	/** @share: which one, to compare with, since it may be gone; NULL for none */
	const struct igen_share *share;
	/** @when: in jiffies */
	unsigned long when;
};

/**
 * struct igen_share - what one user, process or client has of one engine; under the lock of the engine's group
 */
struct igen_share {
	/** @node: in the tree of @above while requests are queued below this share */
	struct rb_node node;
	/** @below: the shares below this one, or a client's requests; the first of them is the next to run */
	struct rb_root_cached below;
	/** @above: the share that this one is a part of; NULL for the engine's root; constant */
	struct igen_share *above;
	/** @turn: where the next request of this share begins, in the virtual time of @above, in ticks */
	u64 turn;
	/** @clock: virtual time of the shares below: where the request began that the engine works on, in ticks */
	u64 clock;
	/** @age: of the first request below, as of the last look */
	u64 age;
	/** @rank: of the first request below, as of the last look */
	int rank;
	/** @is_client: @below has requests, not shares; constant */
	bool is_client;
	/** @left: the client's file is closed: its requests come behind those of all open files */
	bool left;
	/** @progress: how often something below, of a process, has got further in its work (submit/igen_polls.c) */
	u32 progress;
	/** @owes: what is below has hung (submit/igen_debt.c); counts until @owes_until */
	bool owes;
	/** @owes_since: when the engine began to be lost to the hang, in jiffies */
	unsigned long owes_since;
	/** @owes_until: when the debt is paid by waiting, in jiffies */
	unsigned long owes_until;
	/** @users: of the shares below that owe nothing, the two that wanted or used the engine last */
	struct igen_share_use users[2];
};

#endif
