// SPDX-License-Identifier: MIT
/**
 * DOC: Configuration
 *
 * Each key is a row of one table, which gives its type, range, default and help; options,
 * configuration files and --help are made from it. Nothing is guessed: an unknown key, a value that
 * is no number or lies outside the range, and sizes that the hardware cannot express are errors
 * that name the key.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "main/main.h"
#include "platform/platform.h"
#include "igen/regs/pci.h"

enum key_type { KEY_UINT, KEY_HEX, KEY_BOOL, KEY_STRICT, KEY_CLOCK, KEY_FAULT, KEY_BOARD, KEY_PLATFORM,
		KEY_COHERENCY };

struct key {
	const char *name;
	enum key_type type;
	size_t offset;
	unsigned int min, max, def;
	bool power_of_2;
	const char *help;
};

#define UINT(field, lo, hi, d, text) \
	{ #field, KEY_UINT, offsetof(struct config, field), lo, hi, d, false, text }
#define UINT_P2(field, lo, hi, d, text) \
	{ #field, KEY_UINT, offsetof(struct config, field), lo, hi, d, true, text }
#define HEX(field, lo, hi, d, text) \
	{ #field, KEY_HEX, offsetof(struct config, field), lo, hi, d, false, text }
#define BOOL(field, d, text) \
	{ #field, KEY_BOOL, offsetof(struct config, field), 0, 1, d, false, text }
/* "count" or "strict". */
#define STRICT(field, text) \
	{ #field, KEY_STRICT, offsetof(struct config, field), 0, 1, 0, false, text }
#define FAULT(field, id, text) \
	{ "fault_" #field, KEY_FAULT, offsetof(struct config, fault[FAULT_##id]), 0, 1000000000, 0, \
	  false, text }

static const struct key keys[] = {
	{ "platform", KEY_PLATFORM, offsetof(struct config, platform), 0, 0, 0, false,
	  "hardware to be: skl, kbl, aml, cfl, whl, cml (GT2; some -gt1, -gt3, -gt4), bxt, glk (or -2x6), snb, ivb" },
	HEX(device_id, 0, 0xffff, 0, "PCI device ID; 0: the platform's"),
	HEX(revision, 0, 0xff, 0, "PCI revision ID; 0: the platform's"),
	UINT_P2(ggms_mb, 0, 8, 0, "memory of the GGTT's entries in MB, 0: what maps 1 GB; four times of it maps 4 GB"),
	UINT(stolen_mb, 0, 1024, 32, "stolen memory in MB; up to 60 in steps of 4, else of 32"),
	UINT_P2(aperture_mb, 128, 1024, 256, "aperture (BAR 2) in MB"),
	UINT(command_delay_ns, 0, 1000000000, 0, "slowdown: delay per command in ns"),
	UINT(group_ns, 0, 1000000000, 1000, "what a thread group of GPGPU_WALKER takes, in ns"),
	BOOL(execute, 1, "walkers, media objects and draws execute their programs; off: walkers take time alone"),
	UINT(workers, 0, 8, 1,
	     "threads that execute thread groups; 0: the command streamer waits at each GPGPU_WALKER for them"),
	UINT(batch_delay_us, 0, 10000000, 0, "slowdown: delay per batch in us"),
	{ "clock", KEY_CLOCK, offsetof(struct config, clock), 0, 1, 0, false,
	  "virtual: time passes with commands and accesses, not by itself" },
	BOOL(sync, 0, "a write of the ELSP or of a ring's tail returns when the engine is idle again"),
	UINT(sync_limit_ms, 1, 600000, 2000, "how long such a write waits at most"),
	BOOL(strict, 1, "an unknown opcode, or a command shorter than engines take, stops the engine"),
	BOOL(validate, 1, "commands that the manuals forbid are counted and logged"),
	UINT(validate_log, 0, 1000000, 20, "kinds of such commands that are logged"),
	BOOL(inherit, 0, "a predecessor leaves a framebuffer scanned out, entries of the GGTT, interrupts"),
	BOOL(d3_forgets, 0, "registers are lost in D3hot, as they may be"),
	BOOL(rc6_forgets, 0, "RC6 has no power context, as RC6_CTX_INFO then says: registers are lost in it"),
	UINT(latency_us, 0, 10000000, 0,
	     "how long forcewake, resets, TLB invalidations and mailbox commands take, in us"),
	UINT(posted_us, 0, 10000000, 0, "how long writes to BAR 0 wait for a read that pushes them, in us"),
	STRICT(forcewake, "accesses that may find a register asleep: counted; strict: they read 0 and write nothing"),
	UINT(prefetch_lines, 0, 64, 0, "lines of 64 bytes read ahead of a batch in the GGTT; on silicon 8"),
	BOOL(aperture_checks, 0,
	     "accesses through the aperture behind writes of GGTT entries that no read has flushed are counted"),
	BOOL(ring_checks, 0, "commands across a ring's end, bad tails and lite restores of empty rings are counted"),
	BOOL(uhptr_selfclear, 0, "UHPTR's valid bit is cleared when the ring has jumped, or got there by itself"),
	BOOL(uhptr_ignore, 0, "UHPTR never makes a ring jump"),
	UINT(uhptr_late, 1, 1000000, 1, "UHPTR makes a ring jump at the n-th MI_ARB_CHECK"),
	BOOL(uhptr_stale, 0, "BB_PREEMPT_ADDR keeps its value when the ring jumps from the ring"),
	BOOL(swizzle, 1, "snb and ivb: memory has two channels of the same size, so bit 6 of addresses is swizzled"),
	BOOL(legacy_forcewake, 0, "on ivb, firmware has left the forcewake registers of snb on, not the masked ones"),
	BOOL(image_checks, 0, "changes of a context's image while the context runs are counted"),
	{ "coherency", KEY_COHERENCY, offsetof(struct config, coherency), 0, 0, COHERENCY_OFF, false,
	  "without LLC, flushes that the driver lacks: off, check: counted, stale: the GPU reads what memory holds" },
	BOOL(bcs_checks_registers, 0,
	     "the blitter refuses a user batch the registers that are not its own"),
	BOOL(video_checks_registers, 1, "the video engines do so"),
	BOOL(bcs_checks_ggtt, 1, "the blitter refuses a user batch the global GTT"),
	BOOL(index_privileged, 0, "stores by index into a status page are NOOPs in a user batch"),
	BOOL(arb_privileged, 1, "MI_ARB_ON_OFF is a NOOP in a user batch"),
	BOOL(predicate_confined, 1,
	     "MI_SET_PREDICATE skips a batch's end too, and ends with the context"),
	BOOL(ppgtt_read_only, 1, "entries of per-process page tables can deny writes"),
	BOOL(stores_global, 1, "on snb, what a user batch stores goes through the global GTT"),
	{ "fault", KEY_BOARD, offsetof(struct config, board_fault), 0, NUM_BOARD_FAULTS, 0, false,
	  "what is wrong with the board" },
	FAULT(hang, HANG, "the n-th batch stops its engine for good"),
	FAULT(spin, SPIN, "the n-th batch runs in circles and cannot be preempted"),
	FAULT(semaphore, SEMAPHORE, "the n-th semaphore wait never ends and cannot be preempted"),
	FAULT(no_preempt, NO_PREEMPT, "from the n-th preemption on what runs is not preempted"),
	FAULT(page_fault, PAGE_FAULT, "the first command of the n-th batch is not mapped"),
	FAULT(lost_irq, LOST_IRQ, "the n-th interrupt is lost"),
	FAULT(lost_csb, LOST_CSB, "the n-th context status event is lost"),
	FAULT(late_csb, LATE_CSB, "the n-th context status event is late by late_csb_us"),
	FAULT(csb_order, CSB_ORDER, "the entry of the n-th event is written late_csb_us after its pointer"),
	UINT(late_csb_us, 0, 10000000, 10000, "how late, in us"),
	FAULT(forcewake, FORCEWAKE, "the n-th forcewake request is not acknowledged"),
	FAULT(forcewake_dead, FORCEWAKE_DEAD, "the domain does not answer from its n-th request on"),
	FAULT(reset, RESET, "the n-th reset request never gets ready"),
	FAULT(tlb, TLB, "the n-th TLB invalidation never ends, until the engine is reset"),
	FAULT(off_bus, OFF_BUS, "the device falls off the bus at the n-th ELSP write"),
	FAULT(die, DIE, "the model exits at the n-th ELSP write"),
};

static const char *const engine_names[NUM_ENGINES] = {
	[RCS0] = "rcs0", [BCS0] = "bcs0", [VCS0] = "vcs0", [VCS1] = "vcs1", [VECS0] = "vecs0",
};

static const char *const coherency_modes[] = {
	[COHERENCY_OFF] = "off", [COHERENCY_CHECK] = "check", [COHERENCY_STALE] = "stale",
};

static void *field(struct config *cfg, const struct key *k)
{
	return (char *)cfg + k->offset;
}

void config_init(struct config *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct key *k = &keys[i];

		switch (k->type) {
		case KEY_UINT:
		case KEY_HEX:
		case KEY_BOARD:
		case KEY_COHERENCY:
			*(unsigned int *)field(cfg, k) = k->def;
			break;
		case KEY_BOOL:
		case KEY_STRICT:
		case KEY_CLOCK:
			*(bool *)field(cfg, k) = k->def;
			break;
		case KEY_FAULT:
			((struct fault_at *)field(cfg, k))->unit = FAULT_ANY_UNIT;
			break;
		case KEY_PLATFORM:
			cfg->platform = "kbl";
			break;
		}
	}
}

/* Decimal or 0x hexadecimal; nothing before, nothing after. */
static bool parse_uint(const char *s, unsigned int *v)
{
	unsigned long long n;
	char *end;

	if (!isdigit((unsigned char)s[0]))
		return false;
	errno = 0;
	n = strtoull(s, &end, s[0] == '0' && (s[1] | 32) == 'x' ? 16 : 10);
	if (errno || *end || n > 0xffffffffull)
		return false;
	*v = (unsigned int)n;
	return true;
}

static bool parse_bool(const char *s, bool *v)
{
	static const char *const yes[] = { "1", "on", "yes", "true" };
	static const char *const no[] = { "0", "off", "no", "false" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		if (!strcmp(s, yes[i]) || !strcmp(s, no[i])) {
			*v = !strcmp(s, yes[i]);
			return true;
		}
	}
	return false;
}

/* Does the fault happen to a forcewake domain, and not to an engine? */
static bool of_domain(const struct key *k)
{
	return k->offset == offsetof(struct config, fault[FAULT_FORCEWAKE]) ||
	       k->offset == offsetof(struct config, fault[FAULT_FORCEWAKE_DEAD]);
}

/* N, UNIT:N, N+M or UNIT:N+M. */
static bool parse_fault(const struct key *k, char *s, struct fault_at *at)
{
	const char *const *units = of_domain(k) ? fault_domains : engine_names;
	unsigned int i, num = of_domain(k) ? NUM_DOMAINS : NUM_ENGINES;
	struct fault_at f = { .unit = FAULT_ANY_UNIT };
	char *colon = strchr(s, ':');
	char *plus;

	if (colon) {
		*colon = 0;
		for (i = 0; i < num; i++)
			if (!strcmp(units[i], s))
				break;
		if (i == num)
			return false;
		f.unit = i;
		s = colon + 1;
	}
	plus = strchr(s, '+');
	if (plus) {
		*plus = 0;
		if (!parse_uint(plus + 1, &f.every) || !f.every || f.every > k->max)
			return false;
	}
	if (!parse_uint(s, &f.nth) || f.nth > k->max || (plus && !f.nth))
		return false;
	*at = f;
	return true;
}

static int set_value(struct config *cfg, const struct key *k, const char *value,
		     char *err, size_t err_size)
{
	struct fault_at at;
	unsigned int n;
	char *copy;
	bool b;

	switch (k->type) {
	case KEY_UINT:
	case KEY_HEX:
		if (!parse_uint(value, &n)) {
			snprintf(err, err_size, "%s: '%s' is no number", k->name, value);
			return -1;
		}
		if (n < k->min || n > k->max) {
			snprintf(err, err_size,
				 k->type == KEY_HEX ? "%s: %s is not within 0x%x to 0x%x" :
				 "%s: %s is not within %u to %u", k->name, value, k->min, k->max);
			return -1;
		}
		if (k->power_of_2 && (n & (n - 1))) {
			snprintf(err, err_size, "%s: %s is not a power of two", k->name, value);
			return -1;
		}
		*(unsigned int *)field(cfg, k) = n;
		return 0;
	case KEY_BOOL:
		if (!parse_bool(value, &b)) {
			snprintf(err, err_size, "%s: '%s' is neither on nor off", k->name, value);
			return -1;
		}
		*(bool *)field(cfg, k) = b;
		return 0;
	case KEY_STRICT:
		if (strcmp(value, "count") && strcmp(value, "strict")) {
			snprintf(err, err_size, "%s: '%s' is neither count nor strict", k->name, value);
			return -1;
		}
		*(bool *)field(cfg, k) = !strcmp(value, "strict");
		return 0;
	case KEY_CLOCK:
		if (strcmp(value, "host") && strcmp(value, "virtual")) {
			snprintf(err, err_size, "%s: '%s' is neither host nor virtual", k->name, value);
			return -1;
		}
		*(bool *)field(cfg, k) = !strcmp(value, "virtual");
		return 0;
	case KEY_FAULT:
		copy = strdup(value);
		b = copy && parse_fault(k, copy, &at);
		free(copy);
		if (!b) {
			snprintf(err, err_size,
				 "%s: '%s' is not [%s:]N or [%s:]N+M, N and M from 1 to %u; 0 is never",
				 k->name, value, of_domain(k) ? "DOMAIN" : "ENGINE",
				 of_domain(k) ? "DOMAIN" : "ENGINE", k->max);
			return -1;
		}
		*(struct fault_at *)field(cfg, k) = at;
		return 0;
	case KEY_BOARD:
		for (n = 0; n < ARRAY_SIZE(board_faults); n++)
			if (!strcmp(board_faults[n], value))
				break;
		if (n == ARRAY_SIZE(board_faults)) {
			snprintf(err, err_size, "%s: no board has '%s'", k->name, value);
			return -1;
		}
		*(unsigned int *)field(cfg, k) = n;
		return 0;
	case KEY_COHERENCY:
		for (n = 0; n < ARRAY_SIZE(coherency_modes); n++)
			if (!strcmp(coherency_modes[n], value))
				break;
		if (n == ARRAY_SIZE(coherency_modes)) {
			snprintf(err, err_size, "%s: '%s' is none of off, check and stale", k->name, value);
			return -1;
		}
		*(unsigned int *)field(cfg, k) = n;
		return 0;
	case KEY_PLATFORM:
		if (!platform_find(value)) {
			snprintf(err, err_size, "%s: no platform '%s'", k->name, value);
			return -1;
		}
		cfg->platform = platform_find(value)->name;
		return 0;
	}
	return -1;
}

static char *trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*end = 0;
	return s;
}

/*
 * Takes one KEY=VALUE; blanks around either are ignored. On an error the configuration is
 * unchanged.
 */
int config_set(struct config *cfg, const char *assignment, char *err, size_t err_size)
{
	char *copy = strdup(assignment);
	char *eq, *name, *value;
	int ret = -1;

	if (!copy) {
		snprintf(err, err_size, "no memory");
		return -1;
	}
	eq = strchr(copy, '=');
	if (!eq) {
		snprintf(err, err_size, "'%s' is not KEY=VALUE", trim(copy));
		goto out;
	}
	*eq = 0;
	name = trim(copy);
	value = trim(eq + 1);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!strcmp(keys[i].name, name)) {
			ret = set_value(cfg, &keys[i], value, err, err_size);
			goto out;
		}
	}
	snprintf(err, err_size, "unknown key '%s'", name);
out:
	free(copy);
	return ret;
}

/* Reads a file of KEY = VALUE lines; # starts a comment. Errors name file and line. */
int config_load(struct config *cfg, const char *path, char *err, size_t err_size)
{
	unsigned int line_no = 0;
	char *line = NULL;
	size_t size = 0;
	char why[256];
	int ret = 0;
	FILE *f = fopen(path, "r");

	if (!f) {
		snprintf(err, err_size, "%s: %s", path, strerror(errno));
		return -1;
	}
	while (!ret && getline(&line, &size, f) >= 0) {
		char *hash = strchr(line, '#');
		char *text;

		line_no++;
		if (hash)
			*hash = 0;
		text = trim(line);
		if (!*text)
			continue;
		ret = config_set(cfg, text, why, sizeof(why));
		if (ret)
			snprintf(err, err_size, "%s:%u: %s", path, line_no, why);
	}
	if (!ret && ferror(f)) {
		snprintf(err, err_size, "%s: %s", path, strerror(errno));
		ret = -1;
	}
	free(line);
	fclose(f);
	return ret;
}

/* What concerns more than one key, or is no simple range. */
int config_check(const struct config *cfg, char *err, size_t err_size)
{
	const struct platform *p = platform_find(cfg->platform);
	bool fine = cfg->stolen_mb <= 60 && cfg->stolen_mb % 4 == 0;
	bool coarse = cfg->stolen_mb % 32 == 0;
	size_t i;

	for (i = 1; i < ARRAY_SIZE(p->gmch->ggms_mb); i++)
		if (p->gmch->ggms_mb[i] && p->gmch->ggms_mb[i] == (cfg->ggms_mb ? cfg->ggms_mb : p->gmch->ggms_mb[1]))
			break;
	if (i == ARRAY_SIZE(p->gmch->ggms_mb)) {
		snprintf(err, err_size, "ggms_mb: %s has no %u MB", p->name, cfg->ggms_mb);
		return -1;
	}
	if (cfg->inherit && !p->inherits) {
		snprintf(err, err_size, "inherit: %s leaves nothing", p->name);
		return -1;
	}
	if (cfg->rc6_forgets && !p->rps->context_info) {
		snprintf(err, err_size, "rc6_forgets: %s has no RC6_CTX_INFO", p->name);
		return -1;
	}
	if (!p->gmch->small_steps && (!coarse || cfg->stolen_mb / 32 > IGEN_GET((uint32_t)p->gmch->gms_mask, ~0u))) {
		snprintf(err, err_size, "stolen_mb: %u is no multiple of 32 below 1024, as on %s", cfg->stolen_mb,
			 p->name);
		return -1;
	}
	if (cfg->posted_us && cfg->sync) {
		snprintf(err, err_size, "posted_us: with sync no write may wait");
		return -1;
	}
	if (!fine && !coarse) {
		snprintf(err, err_size,
			 "stolen_mb: %u is neither a multiple of 4 up to 60 nor one of 32",
			 cfg->stolen_mb);
		return -1;
	}
	return 0;
}

uint64_t config_stolen_bytes(const struct config *cfg)
{
	return (uint64_t)cfg->stolen_mb << 20;
}

void config_help(FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct key *k = &keys[i];

		fprintf(out, "  %-22s ", k->name);
		switch (k->type) {
		case KEY_UINT:
			fprintf(out, "%s (%u to %u%s, default %u)\n", k->help, k->min, k->max,
				k->power_of_2 ? ", a power of two" : "", k->def);
			break;
		case KEY_HEX:
			fprintf(out, "%s (0x%x to 0x%x, default 0x%x)\n", k->help, k->min, k->max,
				k->def);
			break;
		case KEY_BOOL:
			fprintf(out, "%s (on or off, default %s)\n", k->help,
				k->def ? "on" : "off");
			break;
		case KEY_STRICT:
			fprintf(out, "%s (count or strict, default count)\n", k->help);
			break;
		case KEY_CLOCK:
			fprintf(out, "%s (host or virtual, default host)\n", k->help);
			break;
		case KEY_FAULT:
			fprintf(out, "%s ([%s:]N[+M], default 0: never)\n", k->help,
				of_domain(k) ? "DOMAIN" : "ENGINE");
			break;
		case KEY_BOARD:
			fprintf(out, "%s (", k->help);
			for (size_t n = 0; n < ARRAY_SIZE(board_faults); n++)
				fprintf(out, "%s%s", n ? ", " : "", board_faults[n]);
			fprintf(out, "; default %s)\n", board_faults[k->def]);
			break;
		case KEY_COHERENCY:
			fprintf(out, "%s (default %s)\n", k->help, coherency_modes[k->def]);
			break;
		case KEY_PLATFORM:
			fprintf(out, "%s (default kbl)\n", k->help);
			break;
		}
	}
}
