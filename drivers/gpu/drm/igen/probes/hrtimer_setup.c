// SPDX-License-Identifier: MIT
/* Since 6.13 a timer gets its function when it is set up. */
#include <linux/hrtimer.h>

static void probe(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *))
{
#ifdef IGEN_PROBE
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	timer->function = function;
#endif
}
