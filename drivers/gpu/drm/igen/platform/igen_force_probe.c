// SPDX-License-Identifier: MIT
/**
 * DOC: Which devices igen probes
 *
 * igen probes a device only when the administrator has asked for that device, by one of two ways:
 *
 * * The device's driver_override in sysfs is "igen". The PCI core then offers the device to no other driver.
 * * The parameter force_probe names the device: igen.force_probe=5916,591b lists PCI ids in hexadecimal, as i915's and
 *   xe's parameters do; "*" is every device that igen knows. igen then takes the device when no other driver has it.
 *
 * A "!" before an id, or before "*", forbids the device, and outweighs both ways. The module has no device table, so
 * udev never loads it. A loaded igen leaves devices alone that are not asked for, even if no other driver has them.
 */
#define pr_fmt(fmt) "igen: " fmt

#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/string.h>

#include "../igen_compat.h"
#include "igen_platform.h"

static char *force_probe = "";

/* One entry of the list. */
struct force_probe_entry {
	u16 device;
	bool any, forbids;
};

/* Reads the entry of @length characters at @text. Returns 0, or -EINVAL when that is no entry. */
static int force_probe_parse(const char *text, size_t length, struct force_probe_entry *entry)
{
	char digits[8];

	entry->forbids = length && *text == '!';
	text += entry->forbids;
	length -= entry->forbids;
	entry->any = length == 1 && *text == '*';
	if (entry->any)
		return 0;
	if (!length || length >= sizeof(digits) || *text == '+')
		return -EINVAL;
	memcpy(digits, text, length);
	digits[length] = '\0';
	return kstrtou16(digits, 16, &entry->device) ? -EINVAL : 0;
}

/* Forgets nothing that was set before when the new value has an error. */
static int force_probe_set(const char *value, const struct kernel_param *param)
{
	struct force_probe_entry entry;
	const char *text = value;
	size_t length;

	while (*text) {
		length = strcspn(text, ",\n");
		if (force_probe_parse(text, length, &entry)) {
			pr_err("force_probe=%s: \"%.*s\" is neither a PCI id of four hexadecimal digits nor \"*\"\n",
			       value, (int)length, text);
			return -EINVAL;
		}
		text += length;
		if (*text)
			text++;
	}
	return param_set_charp(value, param);
}

static const struct kernel_param_ops force_probe_ops = {
	.set = force_probe_set,
	.get = param_get_charp,
	.free = param_free_charp,
};

module_param_cb(force_probe, &force_probe_ops, &force_probe, 0400);
MODULE_PARM_DESC(force_probe,
		 "PCI ids of the GPUs to drive, in hexadecimal, separated by commas: ID or *, !ID or !* never (default: none)");

/**
 * igen_force_probe_asks - looks for a device in a list of the parameter's form
 * @list: its entries, separated by commas; one with an error counts for nothing
 * @device: the device's PCI id
 *
 * Return: IGEN_UNASKED if no entry is about the device, IGEN_ASKED, or IGEN_FORBIDDEN if one forbids it.
 */
enum igen_asked igen_force_probe_asks(const char *list, u16 device)
{
	enum igen_asked asked = IGEN_UNASKED;
	struct force_probe_entry entry;
	size_t length;

	while (*list) {
		length = strcspn(list, ",\n");
		if (!force_probe_parse(list, length, &entry) && (entry.any || entry.device == device)) {
			if (entry.forbids)
				return IGEN_FORBIDDEN;
			asked = IGEN_ASKED;
		}
		list += length;
		if (*list)
			list++;
	}
	return asked;
}

/**
 * igen_probe_allowed - tell whether igen may drive a device
 * @pdev: the device that the PCI core offers
 * @known: whether igen has a platform for it
 *
 * Says in the kernel log why not, and how to ask for the device. A function beyond the first drives no GPU: some parts
 * show a second one with the same id.
 *
 * Context: the device is locked, as in each probe.
 * Return: 0, or -ENODEV.
 */
int igen_probe_allowed(struct pci_dev *pdev, bool known)
{
	enum igen_asked asked;

	if (PCI_FUNC(pdev->devfn))
		return -ENODEV;
	if (!known) {
		pci_err(pdev, "igen does not know this device (%04x:%04x)\n", pdev->vendor, pdev->device);
		return -ENODEV;
	}

	asked = igen_force_probe_asks(force_probe, pdev->device);
	if (asked == IGEN_FORBIDDEN) {
		pci_info(pdev, "force_probe=%s forbids igen this device\n", force_probe);
		return -ENODEV;
	}
	if (asked == IGEN_ASKED || igen_has_driver_override(pdev))
		return 0;
	pci_info(pdev, "igen drives this device only when asked: by its driver_override, or by igen.force_probe=%04x\n",
		 pdev->device);
	return -ENODEV;
}
