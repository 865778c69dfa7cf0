/* SPDX-License-Identifier: MIT */
/*
 * DOC: Internal interfaces of igen-storm
 *
 * A client is a process with a file and a context of its own, which keeps batches in flight on all engines. Each batch
 * adds one to a counter of its engine, so that the test can compare the fences with the batches that really ran.
 */
#ifndef IGEN_TESTS_STORM_H
#define IGEN_TESTS_STORM_H

#include <stdatomic.h>

#include "lib/it.h"

#define STORM_ENGINES	4
#define STORM_DEPTH	4			/* batches in flight on an engine */

/* How clients behave, beside submitting. */
enum storm_kind {
	STORM_INNOCENT,
	STORM_GUILTY,				/* sends batches that hang, of every kind, now and then */
};

struct storm_totals {
	atomic_ulong submitted, completed;	/* batches that count */
	atomic_ulong failed;			/* of these, fences with an error */
	atomic_ulong hangs;			/* batches that were made to hang, and were ended */
	atomic_ulong again;			/* innocent batches that ran twice because of a reset */
	atomic_ulong lives;			/* files opened */
	atomic_ulong faults;			/* what is wrong */
	atomic_bool stop;
};

struct storm_options {
	bool strict;				/* the device stays, and no batch that counts fails */
	bool faulty;				/* the model makes batches fail: any client's may */
	unsigned int slow_us;			/* of a slow batch: longer than the heartbeat's patience */
};

/* Work until totals->stop; returns after all that was begun has ended. */
void storm_client(unsigned int number, enum storm_kind kind, const struct storm_options *options,
		  struct storm_totals *totals);

#endif
