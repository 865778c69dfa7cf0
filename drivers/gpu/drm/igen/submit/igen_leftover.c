// SPDX-License-Identifier: MIT
/**
 * DOC: Requests of closed files
 *
 * A persistent context goes on when it is closed. A file that is closed leaves the requests of its contexts behind:
 * they still run, but below all requests of open files, whatever their priority. A request of an open file that waits
 * for one of them brings all of that file's requests back to where they were, or it would wait for all other clients.
 * A context that is closed while its file is open keeps its place, since the file's share still pays for it.
 *
 * No client is left to end a closed context that hangs. So when such a context does not yield and is reset, all
 * other closed contexts of the same process end with it. Otherwise each of them would cost the other clients a preempt
 * timeout and a reset, one after the other. A process that has gone makes no new ones, but a user may start more
 * processes: at the third such hang within ten seconds all closed files of the user end, but for those that
 * another client's request waits for.
 */
#include "../igen_device.h"
#include "igen_owner.h"
#include "igen_submit.h"

#define HANGS_JIFFIES	(10 * HZ)
#define MOST_HANGS	3

/* Numbers the contexts that are closed, from 1. */
static atomic64_t closings = ATOMIC64_INIT(0);

/* Moves a client's queued requests to their places after the client's rank has changed. */
static void leftover_sort_client(struct igen_device *igen, struct igen_client *client)
{
	struct igen_engine *engine;
	unsigned long flags;
	unsigned int id;

	for_each_engine(igen, id, engine) {
		spin_lock_irqsave(&engine->group->lock, flags);
		/* Closing and awaiting may race. Whichever takes the lock last reads what both have written. */
		if (igen_queue_leave(engine, &client->share[id],
				     READ_ONCE(client->closed) && !READ_ONCE(client->awaited)))
			igen->platform->submit->submit(engine);
		spin_unlock_irqrestore(&engine->group->lock, flags);
	}
}

/**
 * igen_client_close - a file is closed
 * @igen: the device
 * @client: the file, whose contexts are closed
 *
 * Context: may sleep; takes engines' locks.
 */
void igen_client_close(struct igen_device *igen, struct igen_client *client)
{
	mutex_lock(&igen->clients_mutex);
	list_del_init(&client->link);
	mutex_unlock(&igen->clients_mutex);
	igen_bo_cache_close(igen, &client->closed_bos);
	igen_request_pool_close(&client->pool);
	WRITE_ONCE(client->closed, true);
	leftover_sort_client(igen, client);
}

/**
 * igen_client_await - a request of another client waits for one of a client's
 * @igen: the device
 * @client: the client, which the caller holds
 *
 * Context: any but interrupts; a timeline's lock may be held; takes engines' locks.
 */
void igen_client_await(struct igen_device *igen, struct igen_client *client)
{
	if (likely(READ_ONCE(client->awaited)))
		return;
	WRITE_ONCE(client->awaited, true);
	/* Ordered with igen_client_close() by the engines' locks, which both take if the file is closed. */
	smp_mb();
	if (READ_ONCE(client->closed))
		leftover_sort_client(igen, client);
}

/**
 * igen_context_note_closed - a context is about to be closed
 * @ctx: the context, not marked as closed yet
 */
void igen_context_note_closed(struct igen_context *ctx)
{
	WRITE_ONCE(ctx->closed_number, atomic64_inc_return(&closings));
	/* Before the mark, with which the number is read. */
	smp_wmb();
}

/**
 * igen_leftover_hung - a closed context did not yield and is reset
 * @ctx: the context
 *
 * Context: any; the device's reset mutex held.
 */
void igen_leftover_hung(struct igen_context *ctx)
{
	struct igen_owner *process, *user;

	lockdep_assert_held(&ctx->igen->reset_mutex);

	/* Contexts of tests have no client. */
	if (!ctx->client)
		return;
	process = ctx->client->process;
	user = process->user;
	WRITE_ONCE(process->doomed_number, atomic64_read(&closings) + 1);
	if (!user->leftover_hangs || time_after(jiffies, user->leftover_jiffies + HANGS_JIFFIES)) {
		user->leftover_hangs = 0;
		user->leftover_jiffies = jiffies;
	}
	if (++user->leftover_hangs >= MOST_HANGS)
		WRITE_ONCE(user->doomed_number, atomic64_read(&closings) + 1);
}

/**
 * igen_leftover_is_doomed - ask whether a request ends since others that were left behind hung
 * @rq: a request, not completed, of a closed context
 *
 * Return: true when the caller has to skip it.
 * Context: any.
 */
bool igen_leftover_is_doomed(const struct igen_request *rq)
{
	const struct igen_client *client = rq->client;
	u64 number;

	if (!client)
		return false;
	/* Pairs with the barrier of igen_context_note_closed(). */
	smp_rmb();
	number = READ_ONCE(rq->context->closed_number);
	if (number < READ_ONCE(client->process->doomed_number))
		return true;
	return READ_ONCE(client->closed) && !READ_ONCE(client->awaited) &&
	       number < READ_ONCE(client->process->user->doomed_number);
}
