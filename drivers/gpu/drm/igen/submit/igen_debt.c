// SPDX-License-Identifier: MIT
/**
 * DOC: Debts
 *
 * A batch that hangs takes the engine from all other clients, from when it begins until the reset. The shares above
 * the batch pay for that time in two ways.
 *
 * First, the turns of its client, process and user move forward by the time, as for any other use of the engine
 * (igen_queue.c). That is enough against rivals that always have a request queued.
 *
 * Second, the process and the user owe the time. A rival that sends one batch, waits for its end and sends the next one
 * leaves the queue empty between two batches. Without a debt the next batch that hangs would begin in each such gap. So
 * requests below a share that owes wait, on an idle engine too, for as long as the engine was lost. They wait only
 * while the share has rivals: another share of the same parent that owes nothing itself and has wanted or used the
 * engine since the hang began. A share without rivals runs at once.
 *
 * A debt is at most MOST_DEBT_MS. It ends by waiting, whether or not rivals have used the time. The request that hung
 * is exempt: the engine has nothing to do for it but to write its seqno, and others may wait for its fence.
 *
 * Between the files of one process there is no debt. They are of one program, which hangs its own work, and on i915
 * that work goes on at once; IGT's i915_hangman opens a file for a moment and expects its other file to run.
 *
 * At each level a debt counts against the siblings of a share alone. A user's other processes wait for the user's debt
 * only while another user needs the engine; between the processes of a user only the process that hung waits.
 *
 * Debts outlive their shares, or a client would close its file, or end, and begin anew. So what a process owes is
 * remembered for its user, and what the user owes as well (igen_debt_remember()). A process of the same user that opens
 * its first file before the debt is paid begins with the debt. Such a process may be innocent. It waits for no longer
 * than the hang took, and only while an older process of that user uses the engine. The driver remembers
 * MOST_REMEMBERED debts; of more it forgets the one that is paid first. Each debt is the time of another hang of the
 * same GPU and hangs do not overlap on an engine, so that many do not last long enough to be there together.
 *
 * The driver does not defend a user's processes against each other: a user that opens files in many processes first and
 * then has each process hang once takes GPU time from the user's own other processes.
 */
#include <linux/jiffies.h>
#include <linux/math64.h>

#include "../igen_device.h"
#include "igen_owner.h"
#include "igen_submit.h"

/* Longer than the preempt timeout, an error state and a reset take together. */
#define MOST_DEBT_MS		4000
#define MOST_REMEMBERED		32

static bool debt_is_open(const struct igen_share *share)
{
	return share->owes && time_before(jiffies, share->owes_until);
}

/* Another share of the same parent has wanted the engine since the hang began. */
static bool debt_has_creditor(const struct igen_share *share)
{
	const struct igen_share_use *users = share->above->users;
	const struct igen_share_use *other = &users[users[0].share == share];

	return other->share && !time_before(other->when, share->owes_since);
}

/**
 * igen_debt_is_called - ask whether a share that owes has to wait for it
 * @share: the share, not an engine's root, which owes or has owed time
 *
 * Return: true when its debt is open and a rival has wanted the engine since the hang began.
 * Context: group->lock held.
 */
bool igen_debt_is_called(const struct igen_share *share)
{
	return debt_is_open(share) && debt_has_creditor(share);
}

/**
 * igen_debt_holds_client - ask whether the requests of a client would wait on an engine
 * @client: the client, or NULL
 * @engine: the engine
 *
 * Return: true when the client's process or user owes time there and has rivals.
 * Context: group->lock held.
 */
bool igen_debt_holds_client(const struct igen_client *client, const struct igen_engine *engine)
{
	const struct igen_share *share = client ? client->share[engine->info->id].above : NULL;

	for (; share && share->above; share = share->above) {
		if (igen_debt_holds(share))
			return true;
	}
	return false;
}

/**
 * igen_debt_note_use_now - as igen_debt_note_use(), for the first note in a jiffy
 * @rq: the request of a client, with its share
 *
 * Context: group->lock held.
 */
void igen_debt_note_use_now(struct igen_request *rq)
{
	const struct igen_share *share;

	lockdep_assert_held(&rq->group->lock);

	rq->use_noted = jiffies;
	for (share = rq->share->above; share->above; share = share->above) {
		struct igen_share_use *users = share->above->users;

		if (debt_is_open(share))
			continue;
		if (users[0].share != share) {
			users[1] = users[0];
			users[0].share = share;
		}
		users[0].when = jiffies;
	}
}

static u64 debt_ticks(const struct igen_device *igen, unsigned long time)
{
	return mul_u64_u32_div(jiffies_to_usecs(time), igen->platform->timestamp_hz, USEC_PER_SEC);
}

/**
 * igen_debt_incur - a request's process and user owe the time for which it has hung
 * @rq: the request, with its share
 * @since: when the engine began to be lost to it, in jiffies
 *
 * Return: the time in ticks, which the client, the process and the user pay in turns as well.
 * Context: group->lock held.
 */
u64 igen_debt_incur(const struct igen_request *rq, unsigned long since)
{
	unsigned long most = msecs_to_jiffies(MOST_DEBT_MS), now = jiffies;
	unsigned long lost = min(now - since + 1, most);
	struct igen_share *share;

	lockdep_assert_held(&rq->group->lock);

	for (share = rq->share->above; rq->client && share->above; share = share->above) {
		unsigned long left = 0;

		if (debt_is_open(share))
			left = share->owes_until - now;
		else
			share->owes_since = since;
		share->owes_until = now + min(left + lost, most);
		share->owes = true;
	}
	if (rq->client)
		igen_owner_remember_debt(rq->client->process, rq->engine->info->id);
	return debt_ticks(rq->group->igen, lost);
}

/**
 * igen_debt_end - ask when the first of an engine's requests will wait no longer
 * @engine: the engine
 * @until: set to that time, in jiffies, unless nothing waits
 *
 * Return: true when the queue's first request waits for a debt to be paid.
 * Context: group->lock held.
 */
bool igen_debt_end(struct igen_engine *engine, unsigned long *until)
{
	struct igen_request *rq = igen_queue_first(engine);
	struct igen_share *share;
	bool waits = false;

	for (share = rq ? rq->share->above : NULL; share && share->above; share = share->above) {
		if (!igen_debt_holds(share) || (waits && time_before(share->owes_until, *until)))
			continue;
		*until = share->owes_until;
		waits = true;
	}
	return waits;
}

/* The debt of a process of a user's, or of the user, which may be gone. */
struct remembered_debt {
	u64 device;
	kuid_t uid;
	bool is_process, owes;
	enum igen_engine_id engine;
	unsigned long since, until;
};

/* Guarded by the lock of all owners. */
static struct remembered_debt remembered[MOST_REMEMBERED];

static bool debt_is_remembered(const struct remembered_debt *debt)
{
	return debt->owes && time_before(jiffies, debt->until);
}

static bool debt_is_of(const struct remembered_debt *debt, const struct igen_owner *owner)
{
	return debt_is_remembered(debt) && debt->device == owner->device && uid_eq(debt->uid, owner->uid) &&
	       debt->is_process == !!owner->user;
}

/* The place for an owner's debt: that of an earlier debt of the owner, else a free place, else the debt due first. */
static struct remembered_debt *debt_place(const struct igen_owner *owner, enum igen_engine_id engine)
{
	struct remembered_debt *debt, *best = remembered;

	for (debt = remembered; debt < remembered + MOST_REMEMBERED; debt++) {
		if (debt_is_of(debt, owner) && debt->engine == engine)
			return debt;
		if (debt_is_remembered(best) &&
		    (!debt_is_remembered(debt) || time_before(debt->until, best->until)))
			best = debt;
	}
	best->owes = false;
	return best;
}

/**
 * igen_debt_remember - note the debt of a process or user that goes, for later processes of the user
 * @owner: which
 * @id: the engine
 *
 * Context: the lock of the engine's group and that of all owners held.
 */
void igen_debt_remember(const struct igen_owner *owner, enum igen_engine_id id)
{
	const struct igen_share *share = &owner->share[id];
	struct remembered_debt *debt = debt_place(owner, id);

	if (debt->owes && time_after_eq(debt->until, share->owes_until))
		return;
	*debt = (struct remembered_debt) {
		.device = owner->device, .uid = owner->uid, .is_process = owner->user, .owes = true,
		.engine = id, .since = share->owes_since, .until = share->owes_until,
	};
}

/**
 * igen_debt_inherit - a process or a user opens the first file
 * @igen: the device
 * @owner: which, not used yet
 *
 * It begins with what is left of the debt of earlier ones, also in its turn.
 *
 * Context: the lock of all owners held.
 */
void igen_debt_inherit(const struct igen_device *igen, struct igen_owner *owner)
{
	const struct remembered_debt *debt;

	for (debt = remembered; debt < remembered + MOST_REMEMBERED; debt++) {
		struct igen_share *share = &owner->share[debt->engine];

		if (!debt_is_of(debt, owner))
			continue;
		share->owes = true;
		share->owes_since = debt->since;
		share->owes_until = debt->until;
		share->turn = READ_ONCE(share->above->clock) + debt_ticks(igen, debt->until - jiffies);
	}
}
