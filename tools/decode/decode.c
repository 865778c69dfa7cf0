// SPDX-License-Identifier: MIT
/**
 * DOC: Look-up and stepping
 *
 * Opcodes lie in the header's upper half, so a look-up is one load from a table of 64 K entries,
 * made once a decoder. Where two commands of an engine match, the one that fixes more bits wins.
 */
#include <ctype.h>
#include <stdlib.h>

#include "decode.h"

static const struct {
	const char *name;
	const struct igen_cmd_set *set;
} platforms[] = {
	{ "snb", &igen_cmds_gen6 },	   { "sandybridge", &igen_cmds_gen6 },
	{ "gen6", &igen_cmds_gen6 },	   { "ivb", &igen_cmds_gen7 },
	{ "ivybridge", &igen_cmds_gen7 },  { "gen7", &igen_cmds_gen7 },
	{ "kbl", &igen_cmds_gen9 },	   { "kabylake", &igen_cmds_gen9 },
	{ "skl", &igen_cmds_gen9 },	   { "bxt", &igen_cmds_gen9 },
	{ "apl", &igen_cmds_gen9 },	   { "broxton", &igen_cmds_gen9 },
	{ "skylake", &igen_cmds_gen9 },	   { "gen9", &igen_cmds_gen9 },
	{ "dg1", &igen_cmds_gen12 },	   { "tgl", &igen_cmds_gen12 },
	{ "tigerlake", &igen_cmds_gen12 }, { "gen12", &igen_cmds_gen12 },
};

/*
 * Ranges of PCI device ids of the platforms that the database describes (public PRM, "Device ID"
 * tables). tools/tests.d/06-decode holds them against the kernel's list of each device that the
 * driver drives.
 */
static const struct {
	unsigned int first, last;
	const struct igen_cmd_set *set;
} pci_ids[] = {
	{ 0x0102, 0x0126, &igen_cmds_gen6 },  { 0x0152, 0x016a, &igen_cmds_gen7 },
	{ 0x0a84, 0x0a84, &igen_cmds_gen9 },  { 0x1a84, 0x1a85, &igen_cmds_gen9 },
	{ 0x5a84, 0x5a85, &igen_cmds_gen9 },  { 0x1902, 0x193d, &igen_cmds_gen9 },
	{ 0x5902, 0x593b, &igen_cmds_gen9 },  { 0x87c0, 0x87ca, &igen_cmds_gen9 },
	{ 0x3e90, 0x3ea9, &igen_cmds_gen9 },  { 0x9b21, 0x9bf6, &igen_cmds_gen9 },
	{ 0x3184, 0x3185, &igen_cmds_gen9 },  { 0x4905, 0x4909, &igen_cmds_gen12 },
	{ 0x9a40, 0x9af8, &igen_cmds_gen12 },
};

static const char *const engine_names[IGEN_CMD_ENGINES] = { "rcs",  "bcs", "vcs",
							    "vecs", "ccs", "pocs" };
static const char *const engine_words[IGEN_CMD_ENGINES] = { "render",	    "blitter", "video",
							    "videoenhance", "compute", "position" };

/* Names are equal but for case. */
static bool same(const char *a, const char *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (tolower((unsigned char)a[i]) != b[i])
			return false;
	return !b[n];
}

const struct igen_cmd_set *igen_set_by_platform(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(platforms) / sizeof(platforms[0]); i++)
		if (same(name, platforms[i].name, strlen(name)))
			return platforms[i].set;
	return NULL;
}

const struct igen_cmd_set *igen_set_by_gen(unsigned int gen)
{
	switch (gen) {
	case 6:
		return &igen_cmds_gen6;
	case 7:
		return &igen_cmds_gen7;
	case 9:
		return &igen_cmds_gen9;
	case 12:
		return &igen_cmds_gen12;
	default:
		return NULL;
	}
}

const struct igen_cmd_set *igen_set_by_pci_id(unsigned int id)
{
	size_t i;

	for (i = 0; i < sizeof(pci_ids) / sizeof(pci_ids[0]); i++)
		if (id >= pci_ids[i].first && id <= pci_ids[i].last)
			return pci_ids[i].set;
	return NULL;
}

int igen_engine_by_name(const char *name)
{
	size_t n = strlen(name);
	int i;

	for (i = 0; i < IGEN_CMD_ENGINES; i++)
		if (same(name, engine_words[i], n))
			return i;
	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	for (i = 0; i < IGEN_CMD_ENGINES; i++)
		if (same(name, engine_names[i], n))
			return i;
	return -1;
}

const char *igen_engine_name(enum igen_cmd_engine engine)
{
	return engine_names[engine];
}

static unsigned int weight(__u32 mask)
{
	return __builtin_popcount(mask);
}

void igen_decoder_init(struct igen_decoder *d, const struct igen_cmd_set *set,
		       enum igen_cmd_engine engine)
{
	unsigned int i, key;

	d->set = set;
	d->engine = engine;
	for (key = 0; key < 1 << 16; key++)
		d->lookup[key] = IGEN_NO_CMD;
	for (i = 0; i < set->ncmds; i++) {
		const struct igen_cmd *cmd = &set->cmds[i];
		unsigned int free = ~(cmd->mask >> 16) & 0xffff, bits = free;

		if (!(cmd->engines & 1 << engine))
			continue;
		/* Every value of the bits that the mask leaves free, from all set down to none. */
		for (;;) {
			key = cmd->match >> 16 | bits;
			if (d->lookup[key] == IGEN_NO_CMD ||
			    weight(set->cmds[d->lookup[key]].mask) < weight(cmd->mask))
				d->lookup[key] = i;
			if (!bits)
				break;
			bits = (bits - 1) & free;
		}
	}
}

/*
 * MI commands below opcode 10h are single dwords, others and the blitter's have their length in the
 * low byte; of the third type, the video pipe's have it in twelve bits (DG1 Vol 2a, "DWord Length"
 * of each kind).
 */
unsigned int igen_unknown_dwords(__u32 header)
{
	switch (header >> 29) {
	case 0:
		return header >> 23 < 0x10 ? 1 : (header & 0xff) + 2;
	case 2:
		return (header & 0xff) + 2;
	case 3:
		return (header & (header >> 27 == 0xe ? 0xfff : 0xff)) + 2;
	default:
		return 1;
	}
}

__u64 igen_field_value(const struct igen_cmd_field *f, unsigned int i, const __u32 *dw)
{
	unsigned int start = f->start + i * f->stride;

	switch (f->kind) {
	case IGEN_FIELD_INT:
	case IGEN_FIELD_SFIXED:
		return (__u64)igen_get_int(dw, start, f->width);
	case IGEN_FIELD_ADDRESS:
		return igen_get_bits(dw, start, f->width) << f->low;
	default:
		return igen_get_bits(dw, start, f->width);
	}
}

const char *igen_value_name(const struct igen_cmd_field *f, __u64 value)
{
	unsigned int i;

	for (i = 0; i < f->nvalues; i++)
		if (f->values[i].value == value)
			return f->values[i].name;
	return NULL;
}

const struct igen_cmd_field *igen_find_field(const struct igen_cmd *cmd, const char *name)
{
	unsigned int i;

	for (i = 0; i < cmd->nfields; i++)
		if (!strcmp(cmd->fields[i].name, name))
			return &cmd->fields[i];
	return NULL;
}

static const struct igen_cmd *find(const struct igen_cmd *list, unsigned int n, const char *name)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!strcmp(list[i].key, name))
			return &list[i];
	return NULL;
}

const struct igen_cmd *igen_find_cmd(const struct igen_cmd_set *set, const char *name)
{
	return find(set->cmds, set->ncmds, name);
}

const struct igen_cmd *igen_find_struct(const struct igen_cmd_set *set, const char *name)
{
	return find(set->structs, set->nstructs, name);
}
