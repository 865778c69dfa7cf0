// SPDX-License-Identifier: MIT
/**
 * DOC: Administration under attack
 *
 * The idle device goes to sleep and is woken; the error state is read and cleared; the device is unbound and bound
 * again; the machine is suspended. These run as root. Unbinding takes the device away from all clients, which may then
 * see ENODEV and EIO. Of a suspend clients see nothing but time.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attack.h"

#define DEVICE	"0000:00:02.0"
#define DRIVER	"/sys/bus/pci/drivers/igen/"

/* Any user may open the nodes, as after an installation's udev. */
void system_open_nodes(void)
{
	static const char * const patterns[] = { "/dev/dri/renderD*", "/dev/dri/card*", "/dev/udmabuf" };
	glob_t g;

	for (unsigned int i = 0; i < ARRAY_SIZE(patterns); i++) {
		if (glob(patterns[i], 0, NULL, &g))
			continue;
		for (size_t n = 0; n < g.gl_pathc; n++)
			chmod(g.gl_pathv[n], 0666);
		globfree(&g);
	}
}

void system_bind(void)
{
	if (access(DRIVER DEVICE, F_OK))
		it_write_file(DRIVER "bind", DEVICE);
	system_open_nodes();
}

static void sleeps(struct attacker *a)
{
	for (;;) {
		attack_count(a, it_write_file("/sys/bus/pci/devices/" DEVICE "/power/control",
					      attack_roll(a, 2) ? "auto" : "on"));
		it_write_file("/sys/bus/pci/devices/" DEVICE "/power/autosuspend_delay_ms",
			      attack_roll(a, 2) ? "0" : "100");
		usleep(attack_roll(a, 200000));
	}
}

static void errors(struct attacker *a)
{
	static char text[1 << 16];

	for (;;) {
		attack_count(a, it_read_file("/sys/class/drm/card0/error", text, sizeof(text)));
		if (attack_roll(a, 2))
			attack_count(a, it_write_file("/sys/class/drm/card0/error", "1"));
		usleep(attack_roll(a, 100000));
	}
}

static void caches(struct attacker *a)
{
	for (;;) {
		attack_count(a, it_write_file("/proc/sys/vm/drop_caches", attack_roll(a, 2) ? "2" : "3"));
		attack_count(a, it_write_file("/proc/sys/vm/compact_memory", "1"));
		usleep(attack_roll(a, 500000));
	}
}

/* The process may be killed while the device is unbound: rounds_run() binds it again. */
static void unbinds(struct attacker *a)
{
	for (;;) {
		usleep(200000 + attack_roll(a, 1000000));
		attack_count(a, it_write_file(DRIVER "unbind", DEVICE));
		usleep(attack_roll(a, 200000));
		attack_count(a, it_write_file(DRIVER "bind", DEVICE));
		system_open_nodes();
	}
}

/*
 * As far as the devices with pm_test, or to idle in a kernel without it, where the guest's module awake ends it. The
 * kernel refuses a suspend when a process does not stop, so no client may keep it from that.
 */
static void suspends(struct attacker *a)
{
	bool test = !access("/sys/power/pm_test", F_OK);
	int ret = test ? it_write_file("/sys/power/pm_test", "devices") ?:
			 it_write_file("/sys/module/suspend/parameters/pm_test_delay", "0") :
			 it_write_file("/sys/module/awake/parameters/wake", "1");

	if (ret) {
		attack_absent(a, "suspend that ends by itself");
		return;
	}
	for (;;) {
		usleep(200000 + attack_roll(a, 300000));
		ret = attack_count(a, it_write_file("/sys/power/state", test ? "mem" : "freeze"));
		if (ret)
			attack_broken(a, "a suspend is refused: error %d", ret);
	}
}

const struct attack attacks_system[] = {
	{ "system-sleep", 1, ATTACK_ROOT, sleeps },
	{ "system-error-state", 1, ATTACK_ROOT, errors },
	{ "system-caches", 1, ATTACK_ROOT, caches },
	{ "system-unbind", 1, ATTACK_ROOT | ATTACK_GONE, unbinds },
	{ "system-suspend", 1, ATTACK_ROOT | ATTACK_SUSPEND, suspends },
	{ 0 }
};
