// SPDX-License-Identifier: MIT
/*
 * DOC: Loading the module, binding and unbinding the device; and the driver's worker threads
 *
 * The probe runs in the task that writes to the driver's "bind" file (the guest's PCI devices belong to no NUMA node,
 * else it would be a worker), and so does all of its work but for what the kernel does for devtmpfs. A failure that is
 * not igen's business (a node in devtmpfs or a file of sysfs is missing) does not make the probe fail.
 *
 * Of the driver's workers only the heartbeat allocates: a request for its pulse. The worker is no task of ours, so
 * allocations of all unbound workers fail until the driver says in the kernel log that it has sent no pulse.
 */
#include <dirent.h>
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
#define DRM_DEBUG	"/sys/module/drm/parameters/debug"
#define FAILSLAB	"/sys/kernel/debug/failslab/"
#define ENGINE		"/sys/class/drm/card0/engine/rcs0/"

static bool is_bound(void)
{
	return !access(BOUND, F_OK);
}

static void must_write(const char *file, const char *text)
{
	int ret = fault_write(file, text);

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

static void prepare_bind(struct fx *fx)
{
	keep_enabled();
	set_bound(fx->path->arg);
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

/* Allocations of the kernel's unbound workers fail, or no more. */
static void fail_workers(bool on)
{
	char file[300], name[32];
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	int fd;

	it_expect(proc, "no /proc: error %d", errno);
	while ((entry = readdir(proc))) {
		snprintf(file, sizeof(file), "/proc/%s/comm", entry->d_name);
		memset(name, 0, sizeof(name));
		fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (read(fd, name, sizeof(name) - 1) > 0 && !strncmp(name, "kworker/u", 9)) {
			snprintf(file, sizeof(file), "/proc/%s/make-it-fail", entry->d_name);
			fault_write(file, on ? "1" : "0");
		}
		close(fd);
	}
	closedir(proc);
	fault_write(FAILSLAB "ignore-gfp-wait", "N");
	fault_write(FAILSLAB "task-filter", on ? "Y" : "N");
	fault_write(FAILSLAB "probability", on ? "100" : "0");
}

static bool log_says(int log, const char *what)
{
	char line[1024];
	ssize_t n;

	while ((n = read(log, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		line[n > 0 ? n : 0] = 0;
		if (strstr(line, what))
			return true;
	}
	return false;
}

/* The allocation for a pulse fails: a later beat sends one, and a batch that is busy for long goes on. */
static void heartbeat(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);
	volatile uint32_t *dw = page->map;
	char interval[16] = "";
	bool seen = false;
	int fd, log, ret;

	fd = open(ENGINE "heartbeat_interval_ms", O_RDWR | O_CLOEXEC);
	it_expect(fd >= 0 && read(fd, interval, sizeof(interval) - 1) > 0, "no heartbeat interval: error %d", errno);
	close(fd);
	it_emit(&b, MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_GTE_SDD);
	it_emit(&b, 1);
	it_emit_address(&b, page->address);
	it_emit_store(&b, page->address + 4, 2);
	it_emit_end(&b);

	log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	it_expect(log >= 0, "no /dev/kmsg: error %d", errno);
	lseek(log, 0, SEEK_END);
	must_write(ENGINE "heartbeat_interval_ms", "100");
	must_write(DRM_DEBUG, "0x2");
	fail_workers(true);
	ret = it_run(dev, ctx, engine, &b, &page, 1, 0);
	for (int try = 0; try < 500 && !ret && !seen; try++) {
		usleep(20000);
		seen = log_says(log, "no pulse");
	}
	fail_workers(false);
	fault_write(DRM_DEBUG, "0");
	close(log);
	/* Some more beats with the batch still there. */
	usleep(500000);
	dw[0] = 1;
	ret = ret ?: it_bo_wait(page, IT_WAIT_NS);
	must_write(ENGINE "heartbeat_interval_ms", interval);
	it_expect(!ret, "the batch: error %d", ret);
	it_expect(seen, "no pulse failed");
	it_expect(dw[1] == 2, "the batch did not go on: %u", dw[1]);
}

void faults_device(void)
{
	it_subtest(heartbeat, 0, "heartbeat");
	fault_run(paths, ARRAY_SIZE(paths));
	/* As it was. */
	fault_write(PCI_DEVICE "driver_override", "\n");
}
