// SPDX-License-Identifier: MIT
/**
 * DOC: The mailbox of the power control unit's firmware
 *
 * The driver writes data, then a command with the busy bit, and waits until the bit clears; an error code is left in
 * its place (as stock i915 does; the manuals do not describe the mailbox). Only probe and resume use the mailbox, so it
 * has no lock.
 */
#include <igen/regs/gt.h>

#include "../igen_device.h"

/* By stock i915's experience. */
#define PCODE_TIMEOUT_US	20000

static int pcode_run(struct igen_device *igen, u32 command, u32 data)
{
	int err;

	err = igen_wait_reg(igen, PCODE_MAILBOX, PCODE_READY, 0, PCODE_TIMEOUT_US, true);
	if (err)
		return err;
	igen_write(igen, PCODE_DATA, data);
	igen_write(igen, PCODE_DATA1, 0);
	igen_write(igen, PCODE_MAILBOX, PCODE_READY | command);
	err = igen_wait_reg(igen, PCODE_MAILBOX, PCODE_READY, 0, PCODE_TIMEOUT_US, true);
	if (err)
		return err;
	return igen_read(igen, PCODE_MAILBOX) & PCODE_ERROR_MASK ? -EIO : 0;
}

/**
 * igen_pcode_write - give the firmware a command
 * @igen: the device, there; no other code uses the mailbox
 * @command: PCODE_*
 * @data: the command's
 *
 * Return: 0, -ETIMEDOUT when the firmware does not answer, -EIO when it refuses.
 * Context: may sleep.
 */
int igen_pcode_write(struct igen_device *igen, u32 command, u32 data)
{
	return pcode_run(igen, command, data);
}

/**
 * igen_pcode_read - ask the firmware for a value
 * @igen: the device, there; no other code uses the mailbox
 * @command: PCODE_*
 * @data: set to the answer, if there is one
 *
 * Return: as igen_pcode_write().
 * Context: may sleep.
 */
int igen_pcode_read(struct igen_device *igen, u32 command, u32 *data)
{
	int err = pcode_run(igen, command, 0);

	if (!err)
		*data = igen_read(igen, PCODE_DATA);
	return err;
}
