// SPDX-License-Identifier: MIT
/**
 * DOC: nvtop on a driver that it does not know by name
 *
 * nvtop reads fdinfo and sysfs of Intel GPUs whose driver is called "i915" and passes over others. With this library
 * preloaded it takes "igen" for "i915". Nothing else that nvtop reads is changed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

int sd_device_get_driver(void *device, const char **name);

int sd_device_get_driver(void *device, const char **name)
{
	int (*original)(void *device, const char **name) = dlsym(RTLD_NEXT, "sd_device_get_driver");
	int ret = original ? original(device, name) : -ENOENT;

	if (ret >= 0 && !strcmp(*name, "igen"))
		*name = "i915";
	return ret;
}
