// SPDX-License-Identifier: MIT
/*
 * DOC: Loading the module, binding and unbinding the device
 *
 * The probe runs in the task that writes to the driver's "bind" file (the guest's PCI devices belong to no NUMA node,
 * else it would be a worker), and so does all of its work but for what the kernel does for devtmpfs. A failure that is
 * not igen's business (a node in devtmpfs or a file of sysfs is missing) does not make the probe fail.
 *
 * Not reached: of the driver's workers only the heartbeat allocates, a request for its pulse. The worker is no task of
 * ours, and it shares its thread with work of the kernel's that the guest lives on (its root comes over 9p).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults.h"

#define BUS		"/sys/bus/pci/"
#define PCI_DEVICE	BUS "devices/" DEVICE "/"
#define DRIVER		BUS "drivers/igen/"
#define BOUND		DRIVER DEVICE

static bool is_bound(void)
{
	return !access(BOUND, F_OK);
}

static void must_write(const char *file, const char *text)
{
	int ret = it_write_file(file, text);

	it_expect(!ret, "preparing: %s: error %d", file, ret);
}

static void set_bound(bool bound)
{
	if (is_bound() != bound)
		must_write(bound ? DRIVER "bind" : DRIVER "unbind", DEVICE);
}

/*
 * The PCI device is enabled once, and its enabling by the probe only counts then: else ACPI's interpreter is asked for
 * the interrupt's routing, and an allocation that fails there leaves it with a freed object (ACPICA of 6.1, _PRT).
 */
static void keep_enabled(void)
{
	static bool enabled;

	if (enabled)
		return;
	set_bound(false);
	must_write(PCI_DEVICE "enable", "1");
	enabled = true;
}

/* DRM of 6.1 crashes when it can't allocate the device node's directory: it puts an error pointer like a device. */
static void only_if_asked(void)
{
	if (!getenv("FAULTS_PROBE"))
		it_skip("the DRM core of 6.1 does not survive it (FAULTS_PROBE=1 tries it)");
}

static void prepare_bind(struct fx *fx)
{
	keep_enabled();
	set_bound(fx->path->arg);
	if (!fx->path->arg)
		only_if_asked();
	fault_keep(fx, open(fx->path->arg ? DRIVER "unbind" : DRIVER "bind", O_WRONLY | O_CLOEXEC), "bind");
}

static int op_bind(struct fx *fx)
{
	return write(fx->fds[0], DEVICE, sizeof(DEVICE) - 1) < 0 ? -errno : 0;
}

static void failed_bind(struct fx *fx)
{
	it_expect(is_bound() == fx->path->arg, "after error %d the device is %sbound", fx->err,
		  fx->path->arg ? "not " : "");
	if (!fx->path->arg)
		it_expect(access("/dev/dri/card0", F_OK), "after error %d there is a device node", fx->err);
}

static void check_bind(struct fx *fx)
{
	struct it_engine engines[IT_MAX_ENGINES];

	it_expect(is_bound() != fx->path->arg, "the device is %sbound", fx->path->arg ? "" : "not ");
	/* A node that devtmpfs had no memory for is missing. */
	if (!fx->path->arg && !fx->injected)
		it_expect(it_engines(engines, IT_MAX_ENGINES) > 2, "the device does not answer");
}

/* The module without a device: data[0] is its file's descriptor */

static int unload(void)
{
	return syscall(SYS_delete_module, "igen", O_NONBLOCK) ? -errno : 0;
}

static void prepare_module(struct fx *fx)
{
	const char *file = getenv("IGEN_MODULE");

	if (!file)
		it_skip("IGEN_MODULE does not name the module's file");
	only_if_asked();
	if (!access("/sys/module/igen", F_OK))
		it_expect(!unload(), "preparing: the module can't be unloaded: error %d", errno);
	must_write(PCI_DEVICE "driver_override", "none");
	fault_keep(fx, open(file, O_RDONLY | O_CLOEXEC), file);
}

static int op_module(struct fx *fx)
{
	return syscall(SYS_finit_module, fx->fds[0], "", 0) ? -errno : 0;
}

static void failed_module(struct fx *fx)
{
	it_expect(access("/sys/module/igen", F_OK), "after error %d the module is there", fx->err);
	it_expect(access("/sys/bus/pci/drivers/igen", F_OK), "after error %d the driver is there", fx->err);
}

static void check_module(struct fx *fx)
{
	it_expect(!access("/sys/bus/pci/drivers/igen", F_OK), "after error %d and another try there is no driver",
		  fx->err);
}

static const struct fault_path paths[] = {
	FAULT("unbind", prepare_bind, op_bind, check_bind, .failed = failed_bind,
	      .flags = FAULT_NO_DEVICE | FAULT_REBINDS, .arg = 1),
	FAULT("bind", prepare_bind, op_bind, check_bind, .failed = failed_bind,
	      .flags = FAULT_NO_DEVICE | FAULT_REBINDS),
	FAULT("module", prepare_module, op_module, check_module, .failed = failed_module,
	      .flags = FAULT_NO_DEVICE | FAULT_REBINDS),
};

void faults_device(void)
{
	fault_run(paths, ARRAY_SIZE(paths));
	/* As it was. */
	it_write_file(PCI_DEVICE "driver_override", "igen\n");
}
