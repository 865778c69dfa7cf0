/* SPDX-License-Identifier: MIT */
/**
 * DOC: Loops whose length a client chooses
 *
 * A client states counts of up to 32 bits, and the memory behind them may be one shared page. Each loop over such a
 * count calls igen_check_killed(), every round or every few hundred cheap ones. Then SIGKILL ends the call, and other
 * processes get the CPU meanwhile.
 */
#ifndef _IGEN_KILLABLE_H_
#define _IGEN_KILLABLE_H_

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

/* Rounds of a cheap loop (below a microsecond each) between two checks; a power of two. */
#define IGEN_KILL_CHECK_ROUNDS	256

/**
 * igen_check_killed - lets a long loop be preempted, and be ended by SIGKILL
 *
 * May sleep. Only a fatal signal counts: the calls that have such loops are not restarted in their midst.
 *
 * Return: 0, or -EINTR when the calling thread is being killed.
 */
static inline int igen_check_killed(void)
{
	cond_resched();
	return unlikely(fatal_signal_pending(current)) ? -EINTR : 0;
}

/**
 * igen_check_killed_at - igen_check_killed() for a loop with cheap rounds
 * @round: the loop's counter
 *
 * Checks in every 256th round, and not in the first, so that short loops pay one comparison a round. A loop that frees
 * ignores the result: it only lets others have the CPU.
 *
 * Return: 0, or -EINTR when the calling thread is being killed.
 */
static inline int igen_check_killed_at(u64 round)
{
	if (likely((round + 1) & (IGEN_KILL_CHECK_ROUNDS - 1)))
		return 0;
	return igen_check_killed();
}

/**
 * igen_copy_from_user_killable - copy_from_user() of as much as a client likes
 * @to: memory of the kernel's
 * @from: the client's memory
 * @bytes: how much
 *
 * Copies and checks a megabyte at a time. May sleep.
 *
 * Return: 0, -EFAULT, or -EINTR when the calling thread is being killed.
 */
static inline int igen_copy_from_user_killable(void *to, const void __user *from, u64 bytes)
{
	size_t piece;
	int err;

	while (bytes) {
		piece = min_t(u64, bytes, SZ_1M);
		if (copy_from_user(to, from, piece))
			return -EFAULT;
		to += piece;
		from += piece;
		bytes -= piece;
		if (!bytes)
			break;
		err = igen_check_killed();
		if (err)
			return err;
	}
	return 0;
}

#endif
