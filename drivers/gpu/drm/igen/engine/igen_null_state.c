// SPDX-License-Identifier: MIT
/**
 * DOC: The null state
 *
 * The null state is a list of commands that gives every part of the 3D pipeline's state a value (igen/batch/null.h has
 * the commands and their sources). The first context of a render engine executes it, so the default state contains it.
 * A client that does not program some part of the pipeline then gets the null state's value there, not a value that
 * firmware or an engine reset left.
 *
 * The driver writes the commands into that context's ring. They need no privilege and refer to no memory: the base
 * addresses of the default state are 0, and address 0 of any address space leads to its own objects or to the scratch
 * page of zeroes. So the driver keeps no memory for the null state once the engine has executed it.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include <igen/batch/null.h>

#include "../igen_device.h"
#include "igen_lrc.h"

/**
 * igen_null_state_create - makes the commands that give an engine's state its first value
 * @engine: the engine
 * @dwords: is set to how many there are, 0 on engines without a 3D pipeline
 *
 * May sleep.
 *
 * Return: the commands, for kfree(); NULL when there are none; ERR_PTR of -ENOMEM, or of -EOPNOTSUPP for a
 * generation that the builder does not have.
 */
u32 *igen_null_state_create(const struct igen_engine *engine, unsigned int *dwords)
{
	unsigned int gen = engine->igen->platform->gen;
	struct igen_batch *b;
	u32 *commands = NULL;
	int err;

	*dwords = 0;
	if (engine->info->class != IGEN_CLASS_RENDER || !engine->igen->platform->null_state)
		return NULL;

	/* Too large for the stack. */
	b = kmalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return ERR_PTR(-ENOMEM);

	/* Without memory it is measured. */
	igen_batch_init(b, gen, IGEN_BATCH_RENDER, NULL, 0);
	igen_null_state(b);
	err = b->error;
	if (err != -ENOSPC)
		goto out;

	*dwords = b->used;
	commands = kmalloc_array(*dwords, sizeof(*commands), GFP_KERNEL);
	if (commands) {
		igen_batch_init(b, gen, IGEN_BATCH_RENDER, commands, *dwords * sizeof(*commands));
		igen_null_state(b);
		err = b->error;
	} else {
		err = -ENOMEM;
	}
out:
	kfree(b);
	if (err) {
		kfree(commands);
		return ERR_PTR(err);
	}
	return commands;
}
