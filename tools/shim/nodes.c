// SPDX-License-Identifier: MIT
/**
 * DOC: Files and folders that exist for the program alone
 *
 * The nodes of the device below /dev/dri, and what drivers and libraries look up of it below /sys: its PCI device, its
 * classes, and the links between them. Folders that the shim answers for hide those of the machine.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"
#include "shim.h"

#define PCI		"/sys/devices/pci0000:00/0000:00:02.0"
#define CONFIG_BYTES	256
#define MAX_PATH	512
#define MAX_LINKS	16

static const char vendor[] = "0x8086\n", zero[] = "0x0000\n", class[] = "0x030000\n", irq[] = "16\n";
static char device[16], revision[16], pci_uevent[256];
static uint8_t config[CONFIG_BYTES];
/* BAR 0 and BAR 2: where a machine might have them. */
static const char resource[] =
	"0x00000000f6000000 0x00000000f6ffffff 0x0000000000140204\n"
	"0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
	"0x00000000e0000000 0x00000000efffffff 0x000000000014220c\n";
static const char card_uevent[] = "MAJOR=226\nMINOR=0\nDEVNAME=dri/card0\nDEVTYPE=drm_minor\n";
static const char render_uevent[] = "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n";

#define FOLDER(path__)		{ .path = (path__), .kind = NODE_FOLDER }
#define LINK(path__, target__)	{ .path = (path__), .kind = NODE_LINK, .target = (target__) }
#define TEXT(path__, text__)	{ .path = (path__), .kind = NODE_FILE, .data = (text__) }
#define SWITCH(path__, text__)	{ .path = (path__), .kind = NODE_FILE, .data = (text__), .writable = true }
#define BYTES(path__, data__)	{ .path = (path__), .kind = NODE_FILE, .data = (data__), .size = sizeof(data__) }

static struct node nodes[] = {
	FOLDER("/dev/dri"),
	{ .path = "/dev/dri/card0", .kind = NODE_DEVICE },
	{ .path = "/dev/dri/renderD128", .kind = NODE_DEVICE },
	FOLDER("/dev/dri/by-path"),
	LINK("/dev/dri/by-path/pci-0000:00:02.0-card", "../card0"),
	LINK("/dev/dri/by-path/pci-0000:00:02.0-render", "../renderD128"),
	LINK("/sys/dev/char/226:0", "../../devices/pci0000:00/0000:00:02.0/drm/card0"),
	LINK("/sys/dev/char/226:128", "../../devices/pci0000:00/0000:00:02.0/drm/renderD128"),
	FOLDER("/sys/class/drm"),
	TEXT("/sys/class/drm/version", "drm 1.1.0 20060810\n"),
	LINK("/sys/class/drm/card0", "../../devices/pci0000:00/0000:00:02.0/drm/card0"),
	LINK("/sys/class/drm/renderD128", "../../devices/pci0000:00/0000:00:02.0/drm/renderD128"),
	FOLDER("/sys/bus/pci/devices"),
	LINK("/sys/bus/pci/devices/0000:00:02.0", "../../../devices/pci0000:00/0000:00:02.0"),
	FOLDER("/sys/bus/pci/drivers/i915"),
	LINK("/sys/bus/pci/drivers/i915/0000:00:02.0", "../../../../devices/pci0000:00/0000:00:02.0"),
	FOLDER(PCI),
	TEXT(PCI "/vendor", vendor),
	TEXT(PCI "/device", device),
	TEXT(PCI "/subsystem_vendor", vendor),
	TEXT(PCI "/subsystem_device", zero),
	TEXT(PCI "/revision", revision),
	TEXT(PCI "/class", class),
	TEXT(PCI "/irq", irq),
	TEXT(PCI "/uevent", pci_uevent),
	TEXT(PCI "/resource", resource),
	BYTES(PCI "/config", config),
	LINK(PCI "/subsystem", "../../../bus/pci"),
	LINK(PCI "/driver", "../../../bus/pci/drivers/i915"),
	FOLDER(PCI "/drm"),
	FOLDER(PCI "/drm/card0"),
	TEXT(PCI "/drm/card0/dev", "226:0\n"),
	TEXT(PCI "/drm/card0/uevent", card_uevent),
	LINK(PCI "/drm/card0/device", "../../../0000:00:02.0"),
	LINK(PCI "/drm/card0/subsystem", "../../../../../class/drm"),
	FOLDER(PCI "/drm/renderD128"),
	TEXT(PCI "/drm/renderD128/dev", "226:128\n"),
	TEXT(PCI "/drm/renderD128/uevent", render_uevent),
	/* IGT has caches dropped, in which nothing is, and resets allowed, which they are. */
	FOLDER("/sys/kernel/debug"),
	FOLDER("/sys/kernel/debug/dri"),
	FOLDER("/sys/kernel/debug/dri/0"),
	TEXT("/sys/kernel/debug/dri/0/name", "i915 dev=0000:00:02.0 unique=0000:00:02.0\n"),
	SWITCH("/sys/kernel/debug/dri/0/i915_gem_drop_caches", "0x0\n"),
	FOLDER("/sys/kernel/debug/dri/0/i915_params"),
	SWITCH("/sys/kernel/debug/dri/0/i915_params/reset", "3\n"),
	LINK("/sys/kernel/debug/dri/128", "0"),
	LINK(PCI "/drm/renderD128/device", "../../../0000:00:02.0"),
	LINK(PCI "/drm/renderD128/subsystem", "../../../../../class/drm"),
};

/* Below these nothing of the machine is seen. */
static const char *const answered[] = {
	"/sys/kernel/debug", "/dev/dri", "/sys/dev/char/226:0", "/sys/dev/char/226:128", "/sys/class/drm",
	"/sys/bus/pci/devices", "/sys/bus/pci/drivers/i915", PCI,
};

void nodes_init(void)
{
	const struct config *cfg = &shim.settings.model;
	const struct platform *p = platform_find(cfg->platform);
	unsigned int id = cfg->device_id ? cfg->device_id : p->device_id;
	unsigned int rev = cfg->revision ? cfg->revision : p->revision;

	snprintf(device, sizeof(device), "0x%04x\n", id);
	snprintf(revision, sizeof(revision), "0x%02x\n", rev);
	snprintf(pci_uevent, sizeof(pci_uevent),
		 "DRIVER=i915\nPCI_CLASS=30000\nPCI_ID=8086:%04X\nPCI_SUBSYS_ID=8086:0000\nPCI_SLOT_NAME=0000:00:02.0\n"
		 "MODALIAS=pci:v00008086d%08Xsv00008086sd00000000bc03sc00i00\n", id, id);
	config[0x00] = 0x86;
	config[0x01] = 0x80;
	config[0x02] = (uint8_t)id;
	config[0x03] = (uint8_t)(id >> 8);
	config[0x08] = (uint8_t)rev;
	config[0x0b] = 0x03;
	config[0x2c] = 0x86;
	config[0x2d] = 0x80;
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
		if (nodes[i].kind == NODE_FILE && !nodes[i].size)
			nodes[i].size = strlen(nodes[i].data);
}

static const struct node *node_at(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
		if (!strcmp(nodes[i].path, path))
			return &nodes[i];
	return NULL;
}

static bool is_answered(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(answered); i++) {
		size_t n = strlen(answered[i]);

		if (!strncmp(path, answered[i], n) && (!path[n] || path[n] == '/'))
			return true;
	}
	return false;
}

/* Takes the last component off. */
static void parent(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = 0;
}

/**
 * node_find() - finds a node by a path, through links and ".."
 * @path: the path
 * @follow: a link at its end, too
 * @ours: gets whether the shim answers for the path
 * @real: gets the path without links
 * @size: of real
 *
 * Links of the machine are not followed: a path through one is the machine's.
 *
 * Return: the node, or NULL.
 */
const struct node *node_find(const char *path, bool follow, bool *ours, char *real, size_t size)
{
	char rest[MAX_PATH], at[MAX_PATH] = "";
	unsigned int links = 0;

	*ours = false;
	if (strncmp(path, "/dev/", 5) && strncmp(path, "/sys/", 5))
		return NULL;
	if (strlen(path) >= sizeof(rest))
		return NULL;
	strcpy(rest, path);
	while (*rest) {
		char word[MAX_PATH], more[MAX_PATH];
		const struct node *n;
		char *p = rest;
		size_t len;

		p += strspn(p, "/");
		len = strcspn(p, "/");
		memcpy(word, p, len);
		word[len] = 0;
		memmove(rest, p + len, strlen(p + len) + 1);
		if (!len || !strcmp(word, "."))
			continue;
		if (!strcmp(word, "..")) {
			parent(at);
			continue;
		}
		if (strlen(at) + len + 2 > sizeof(at))
			return NULL;
		strcat(strcat(at, "/"), word);
		n = node_at(at);
		if (!n || n->kind != NODE_LINK || (!follow && !rest[strspn(rest, "/")]))
			continue;
		if (links++ == MAX_LINKS || strlen(n->target) + strlen(rest) + 1 > sizeof(more))
			return NULL;
		strcat(strcpy(more, n->target), rest);
		strcpy(rest, more);
		parent(at);
	}
	*ours = is_answered(at);
	snprintf(real, size, "%s", at);
	return *ours ? node_at(at) : NULL;
}

/* The i-th node of a folder; NULL behind the last. */
const struct node *node_child(const struct node *folder, unsigned int i, const char **name)
{
	size_t n = strlen(folder->path);

	for (size_t k = 0; k < ARRAY_SIZE(nodes); k++) {
		const char *path = nodes[k].path;

		if (strncmp(path, folder->path, n) || path[n] != '/' || strchr(path + n + 1, '/') || i--)
			continue;
		*name = path + n + 1;
		return &nodes[k];
	}
	return NULL;
}
