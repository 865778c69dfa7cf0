// SPDX-License-Identifier: MIT
/* Since 6.2 (and 6.1.84) there is timer_delete(); in 6.15 del_timer() went. */
#include <linux/timer.h>

static int probe(struct timer_list *timer)
{
#ifdef IGEN_PROBE
	return timer_delete(timer) + timer_delete_sync(timer);
#else
	return del_timer(timer) + del_timer_sync(timer);
#endif
}
