// SPDX-License-Identifier: MIT
/**
 * DOC: Counters, sysfs and debugfs as a client can open them
 *
 * Performance counters of the driver and of the kernel, fdinfo, sysfs and debugfs as far as they can be opened, and
 * ioctls of any number with any bytes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

static uint32_t pmu_type(void)
{
	char text[16];

	if (it_read_file("/sys/bus/event_source/devices/i915/type", text, sizeof(text)))
		return PERF_TYPE_RAW;
	return atoi(text);
}

/* One that there is, one that looks like it, or any. */
static uint64_t event(struct attacker *a)
{
	switch (attack_roll(a, 4)) {
	case 0:
		return attack_roll(a, 2) ? attack_roll(a, 1 << 20) : (uint64_t)rand_r(&a->seed) << attack_roll(a, 40);
	case 1:
		return __I915_PMU_OTHER(attack_roll(a, 6));
	default:
		return __I915_PMU_ENGINE(attack_roll(a, 5), attack_roll(a, 2), attack_roll(a, 4));
	}
}

static void counters(struct attacker *a)
{
	uint32_t type = pmu_type();
	int kept[16];

	memset(kept, 0xff, sizeof(kept));
	if (type == PERF_TYPE_RAW)
		attack_absent(a, "performance counters of the driver");
	for (;;) {
		struct perf_event_attr attr = {
			.type = type, .size = sizeof(attr), .read_format = attack_roll(a, 16),
			.config = event(a),
		};
		unsigned int at = attack_roll(a, ARRAY_SIZE(kept));
		uint64_t values[32];
		int fd;

		if (!attack_roll(a, 8))
			attr.sample_period = 1000;
		fd = syscall(SYS_perf_event_open, &attr, attack_roll(a, 4) ? -1 : 0, attack_roll(a, 4) ? 0 : -1,
			     attack_roll(a, 4) ? -1 : kept[attack_roll(a, ARRAY_SIZE(kept))], 0);
		if (attack_count(a, fd) < 0)
			continue;
		if (kept[at] >= 0)
			close(kept[at]);
		kept[at] = fd;
		attack_count(a, read(fd, values, sizeof(values)) < 0 ? -errno : 0);
	}
}

static void read_all(struct attacker *a, const char *path)
{
	char bytes[4096];
	int fd = open(path, (attack_roll(a, 4) ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK);

	if (attack_count(a, fd) < 0)
		return;
	while (read(fd, bytes, 1 + attack_roll(a, sizeof(bytes))) > 0)
		;
	if (lseek(fd, attack_roll(a, 100000), SEEK_SET) >= 0 && read(fd, bytes, sizeof(bytes)) < 0)
		attack_count(a, -errno);
	if (write(fd, "1", 1) < 0)
		attack_count(a, -errno);
	close(fd);
}

static void files(struct attacker *a)
{
	static const char * const folders[] = {
		"/sys/kernel/debug/dri/0", "/sys/class/drm/card0", "/sys/class/drm/card0/engine/rcs0",
		"/sys/class/drm/card0/gt/gt0",
		"/sys/class/drm/card0/device", "/sys/bus/event_source/devices/i915/events", "/proc/self/fdinfo",
	};
	int fd = it_open_fd();
	char path[600];

	for (;;) {
		const char *folder = folders[attack_roll(a, ARRAY_SIZE(folders))];
		DIR *dir = opendir(folder);
		struct dirent *entry;

		while (dir && (entry = readdir(dir))) {
			snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
			if (entry->d_type == DT_REG)
				read_all(a, path);
		}
		if (dir)
			closedir(dir);
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		read_all(a, path);
	}
}

/* Ioctls of any number, size and direction, with any bytes. */
static void ioctls(struct attacker *a)
{
	int fd = it_open_fd();

	for (;;) {
		unsigned int number = attack_roll(a, 4) ? DRM_COMMAND_BASE + attack_roll(a, 0x60) : attack_roll(a, 256);
		uint32_t words[64];

		for (unsigned int i = 0; i < ARRAY_SIZE(words); i++)
			words[i] = attack_roll(a, 3) ? attack_roll(a, 4) : (unsigned int)rand_r(&a->seed);
		/* DRM's core allocates arrays of handles of any size that is stated, and warns of the largest. */
		for (unsigned int i = 0; i < ARRAY_SIZE(words) && number >= 0xbf && number <= 0xcf; i++)
			words[i] &= 0xffff;
		/* Waits without end would be this attack's end. */
		if (number == DRM_COMMAND_BASE + DRM_I915_GEM_WAIT || number == 0xc3 || number == 0xca)
			continue;
		attack_count(a, attack_ioctl(fd, _IOC(attack_roll(a, 4), 'd', number, attack_roll(a, sizeof(words))),
					     words));
		if (!attack_roll(a, 200)) {
			close(fd);
			fd = it_open_fd();
		}
	}
}

const struct attack attacks_watch[] = {
	{ "watch-counters", 1, 0, counters },
	{ "watch-files", 1, 0, files },
	{ "watch-ioctls", 1, 0, ioctls },
	{ 0 }
};
