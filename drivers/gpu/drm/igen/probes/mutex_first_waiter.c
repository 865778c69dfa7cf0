// SPDX-License-Identifier: MIT
/* By 7.3 a mutex has its first waiter; before, a list of waiters. */
#include <linux/mutex.h>

static bool probe(const struct mutex *lock)
{
#ifdef IGEN_PROBE
	return lock->first_waiter;
#else
	return !list_empty(&lock->wait_list);
#endif
}
