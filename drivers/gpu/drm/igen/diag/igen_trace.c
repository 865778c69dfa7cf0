// SPDX-License-Identifier: MIT
/*
 * The code of the tracepoints that igen_trace.h describes. All other files have their declarations only, and need not
 * know the structures whose fields the events show.
 */
#include <drm/drm_file.h>
#include <linux/mm.h>

#include "../igen_device.h"
#include "../mm/igen_bo.h"
#include "../mm/igen_vm.h"
#include "../submit/igen_context.h"
#include "../submit/igen_request.h"

#define CREATE_TRACE_POINTS
#include "../igen_trace.h"
