// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "it.h"

#define DEVICE		"/sys/class/drm/card0/device/"
#define DROP_CACHES	"/sys/kernel/debug/dri/0/i915_gem_drop_caches"
/* Retires completed requests at once. */
#define RETIRE		"0x44"
#define PATIENCE_MS	120000
#define PM_CTL		0xd4	/* in configuration space, of Intel's GPUs */
#define PM_CTL_STATE	0x3
#define PM_D3HOT	0x3

bool it_is_asleep(void)
{
	char status[32];

	return !it_read_file(DEVICE "power/runtime_status", status, sizeof(status)) && !strncmp(status, "suspended", 9);
}

static unsigned int power_state(void)
{
	unsigned char byte = 0;
	int fd = open(DEVICE "config", O_RDONLY);

	if (fd >= 0 && pread(fd, &byte, 1, PM_CTL) != 1)
		byte = 0;
	if (fd >= 0)
		close(fd);
	return byte & PM_CTL_STATE;
}

void it_sleep_now(void)
{
	if (it_write_file(DEVICE "power/autosuspend_delay_ms", "0") || it_write_file(DEVICE "power/control", "auto"))
		it_skip("the driver has no runtime suspend");
	/* Else the driver looks once a second. */
	it_write_file(DROP_CACHES, RETIRE);
	for (unsigned int ms = 0; !it_is_asleep(); ms += 10) {
		it_expect(ms < PATIENCE_MS, "the device does not go to sleep");
		usleep(10000);
	}
	it_expect(power_state() == PM_D3HOT, "asleep, but in D%u", power_state());
}
