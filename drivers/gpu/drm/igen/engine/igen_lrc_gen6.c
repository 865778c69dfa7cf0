// SPDX-License-Identifier: MIT
#include "../igen_device.h"

/*
 * Context images of Gen6 and Gen7: the hardware's alone, and the render engine's alone. Their layout is not
 * architectural; nothing in them is for the driver to write. The driver counts their time.
 */
const struct igen_context_ops igen_context_gen6_ops = {};
