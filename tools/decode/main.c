// SPDX-License-Identifier: MIT
/**
 * DOC: igen-decode
 *
 * Shows a batch, several that call one another, or an error state, command by command; with --check
 * it tells what the manuals forbid, and ends with 1 if there was an error.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "eu.h"
#include "input.h"
#include "isa.h"
#include "registers.h"

struct options {
	const struct igen_cmd_set *set;
	const struct isa_gen *eu; /* FILE is a program of this generation */
	enum igen_cmd_engine engine;
	enum igen_format format;
	__u64 address;
	bool check, fresh, privileged, ring, quiet;
	struct igen_print print;
	struct igen_memory memory;
	size_t nowned; /* of the memory's buffers, those to be freed at the end */
};

struct session {
	const struct options *o;
	struct igen_decoder decoder;
	struct igen_check check;
	unsigned long commands, dwords;
};

static const char usage[] =
	"igen-decode [OPTION...] [FILE]\n"
	"Shows the commands in FILE (standard input without): raw dwords, hexadecimal text, or an "
	"error state.\n"
	"\n"
	"  -p, --platform NAME   kbl, apl, dg1, tgl, ivb, snb, gen9...; an error state names its "
	"own (default kbl)\n"
	"  -e, --engine NAME     rcs0, bcs0, vcs0, vecs0, ccs0 (default rcs)\n"
	"  -a, --address ADDR    where FILE lies (default 0)\n"
	"  -b, --buffer ADDR=FILE  another buffer that batches may lead to; any number\n"
	"  -f, --format F        raw, hex or error, when the guess is wrong\n"
	"  -c, --check           tell what the manuals forbid; the status is 1 if there was an "
	"error\n"
	"      --fresh           the stream begins a new context: state must be set before it is "
	"used\n"
	"      --privileged      FILE is not in a process's address space\n"
	"      --ring            FILE is a ring's content, not a batch\n"
	"      --eu GEN          FILE is a program of execution units: gen6, gen7, gen7.5, gen9, "
	"gen12, or a\n"
	"                        platform; the status is 1 if an instruction is not valid\n"
	"  -z, --zeros           show fields that are zero\n"
	"  -q, --quiet           no commands, findings and totals only\n"
	"      --colour WHEN     always, never or auto (default: on a terminal)\n"
	"  -l, --list            list the platform's commands\n"
	"  -h, --help\n";

static void report(void *data, const struct igen_finding *f)
{
	struct session *s = data;
	const struct igen_print *p = &s->o->print;
	const char *on =
		p->colour ? f->rule->severity == IGEN_ERROR ? "\033[1;31m" : "\033[35m" : "";

	fprintf(p->out, "%s0x%08" PRIx64 "  %s: %s: ", on, (uint64_t)f->address,
		f->rule->severity == IGEN_ERROR ? "error" : "warning",
		f->cmd ? f->cmd->name : "stream");
	if (f->field)
		fprintf(p->out, "dword %u, bits %u:%u: ", f->field->start / 32,
			f->field->start % 32 + f->field->width - 1, f->field->start % 32);
	fprintf(p->out, "%s (%s; %s)%s\n", f->rule->text, f->rule->id, f->section,
		p->colour ? "\033[0m" : "");
}

static bool visit(struct igen_walk *w, enum igen_walk_event event, const struct igen_inst *inst,
		  __u64 address)
{
	struct session *s = w->data;
	const struct options *o = s->o;
	static const char *const words[] = {
		[IGEN_WALK_ENTER] = "batch",
		[IGEN_WALK_CHAIN] = "chained batch",
		[IGEN_WALK_RETURN] = "back",
		[IGEN_WALK_MISSING] = "batch in no buffer",
		[IGEN_WALK_TOO_DEEP] = "batches too deep",
		[IGEN_WALK_TOO_MANY] = "too many jumps, stopped",
		[IGEN_WALK_END] = "end of the buffer",
	};

	s->check.level = w->level;
	s->check.unprivileged = w->unprivileged;
	if (event == IGEN_WALK_COMMAND) {
		s->commands++;
		s->dwords += inst->have;
		if (!o->quiet)
			igen_print_inst(&o->print, inst, address);
		if (o->check)
			igen_check_inst(&s->check, inst, address);
	} else if (!o->quiet) {
		fprintf(o->print.out, "-- %s at 0x%08" PRIx64 ", level %u\n", words[event],
			(uint64_t)address, w->level);
	}
	return true;
}

/* Shows a stream and adds its findings. */
static void show(const struct options *o, const __u32 *dw, size_t n, __u64 address, bool ring,
		 struct session *s)
{
	struct igen_walk walk = {
		.d = &s->decoder,
		.memory = &o->memory,
		.level = !ring,
		.unprivileged = !ring && !o->privileged,
		.visit = visit,
		.data = s,
	};

	igen_decoder_init(&s->decoder, o->set, o->engine);
	igen_check_init(&s->check, o->set, o->engine, report, s);
	s->check.fresh = o->fresh;
	igen_walk(&walk, dw, n, address);
	s->check.level = !ring;
	if (o->check)
		igen_check_end(&s->check, address + n * 4);
}

static int read_all(const char *path, unsigned char **data, size_t *n)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	size_t room = 0, got;

	*data = NULL;
	*n = 0;
	if (!f)
		return -errno;
	do {
		if (*n == room) {
			unsigned char *more = realloc(*data, room ? room * 2 : 65536);

			if (!more) {
				errno = ENOMEM;
				break;
			}
			*data = more;
			room = room ? room * 2 : 65536;
		}
		got = fread(*data + *n, 1, room - *n, f);
		*n += got;
		errno = ferror(f) ? errno : 0;
	} while (got);
	if (f != stdin)
		fclose(f);
	return -errno;
}

static int read_dwords(const char *path, enum igen_format format, const unsigned char *data,
		       size_t n, __u32 **dw, size_t *ndw)
{
	unsigned int line;
	int ret;

	if (format == IGEN_FORMAT_RAW)
		return igen_read_raw(data, n, dw, ndw);
	ret = igen_read_hex((const char *)data, n, dw, ndw, &line);
	if (ret == -EINVAL)
		fprintf(stderr, "igen-decode: %s, line %u: not a hexadecimal dword\n", path, line);
	return ret;
}

static int add_buffer(struct igen_memory *m, __u64 address, const __u32 *dw, size_t n)
{
	struct igen_buffer *all = realloc(m->buffers, (m->nbuffers + 1) * sizeof(*all));

	if (!all)
		return -ENOMEM;
	m->buffers = all;
	all[m->nbuffers++] = (struct igen_buffer){ .address = address, .dw = dw, .n = n };
	return 0;
}

static int option_buffer(struct options *o, char *arg)
{
	unsigned char *data;
	__u64 address;
	size_t n, ndw;
	char *end;
	__u32 *dw;
	int ret;

	address = strtoull(arg, &end, 0);
	if (end == arg || *end != '=') {
		fprintf(stderr, "igen-decode: %s is not ADDR=FILE\n", arg);
		return -EINVAL;
	}
	ret = read_all(end + 1, &data, &n);
	if (ret) {
		fprintf(stderr, "igen-decode: %s: %s\n", end + 1, strerror(-ret));
		return ret;
	}
	ret = read_dwords(end + 1, igen_guess_format(data, n), data, n, &dw, &ndw);
	free(data);
	if (!ret)
		ret = add_buffer(&o->memory, address, dw, ndw);
	if (!ret)
		o->nowned++;
	return ret;
}

/* A context image, of a generation that the database has it of. */
static void show_context(const struct options *o, const struct igen_section *s)
{
	static const char *const names[] = { [IGEN_CMD_BLITTER] = "BCS_REGISTER_STATE",
					     [IGEN_CMD_VIDEO] = "VCS_REGISTER_STATE",
					     [IGEN_CMD_VIDEOENHANCE] = "VECS_REGISTER_STATE" };
	const struct igen_cmd *image = NULL;

	if (o->engine < sizeof(names) / sizeof(names[0]) && names[o->engine])
		image = igen_find_struct(o->set, names[o->engine]);
	/* The register state follows the status page (KBL Vol 3, "Ring Context"). */
	if (image && s->n > 1024 && !o->quiet)
		igen_print_struct(&o->print, image, s->dw + 1024, s->n - 1024, s->address + 4096);
}

/* Where the engine was when the state was captured. */
static void show_registers(struct options *o, const struct igen_section *s)
{
	static struct igen_decoder decoder;
	const struct igen_cmd *cmd;

	igen_decoder_init(&decoder, o->set, o->engine);
	cmd = igen_lookup(&decoder, s->ipehr);
	fprintf(o->print.out, "-- requests from 0x%lx to 0x%lx; engine at 0x%08" PRIx64 ", in %08x %s\n",
		s->head, s->tail, (uint64_t)s->acthd, s->ipehr, cmd ? cmd->name : "unknown");
}

static void show_section(struct options *o, const struct igen_section *s, struct session *session)
{
	int engine = igen_engine_by_name(s->engine);

	fprintf(o->print.out, "== %s, %s at 0x%08" PRIx64 ", %zu dwords\n", s->engine, s->name,
		(uint64_t)s->address, s->n);
	if (engine < 0 || !s->n)
		return;
	o->engine = engine;
	if (!strcmp(s->name, "batch")) {
		show(o, s->dw, s->n, s->address, false, session);
	} else if (!strcmp(s->name, "HW context")) {
		show_context(o, s);
	} else if (strstr(s->name, "ring")) {
		size_t head = s->head > 0 ? (size_t)s->head / 4 : 0;
		size_t tail = s->tail > 0 ? (size_t)s->tail / 4 : s->n;

		if (s->registers)
			show_registers(o, s);
		/*
		 * A ring that wraps is shown from the head to its end, and from the start to the
		 * tail.
		 */
		if (head >= s->n || tail > s->n || head == tail) {
			show(o, s->dw, s->n, s->address, true, session);
		} else if (head < tail) {
			show(o, s->dw + head, tail - head, s->address + head * 4, true, session);
		} else {
			show(o, s->dw + head, s->n - head, s->address + head * 4, true, session);
			show(o, s->dw, tail, s->address, true, session);
		}
	}
}

static int show_error(struct options *o, const unsigned char *data, size_t n, bool platform_given,
		      struct session *session, unsigned long *errors)
{
	struct igen_error e;
	int ret = igen_read_error((const char *)data, n, &e);
	size_t i;

	if (!ret && e.pci_id && !platform_given) {
		o->set = igen_set_by_pci_id(e.pci_id);
		if (!o->set) {
			fprintf(stderr,
				"igen-decode: PCI id %04x is of no platform here; give one with "
				"--platform\n",
				e.pci_id);
			ret = -EINVAL;
		} else {
			o->print.regs = igen_regs_by_gen(o->set->gen);
		}
	}
	for (i = 0; i < e.nsections && !ret; i++)
		ret = add_buffer(&o->memory, e.sections[i].address, e.sections[i].dw,
				 e.sections[i].n);
	for (i = 0; i < e.nsections && !ret; i++) {
		show_section(o, &e.sections[i], session);
		*errors += session->check.errors;
		session->check.errors = 0;
	}
	if (e.broken)
		fprintf(stderr, "igen-decode: %u sections could not be read to the end\n",
			e.broken);
	igen_free_error(&e);
	return ret;
}

static int list(const struct igen_cmd_set *set)
{
	unsigned int i, e;

	for (i = 0; i < set->ncmds; i++) {
		const struct igen_cmd *c = &set->cmds[i];

		printf("%08x/%08x %-42s %3u  ", c->match, c->mask, c->key, c->length);
		for (e = 0; e < IGEN_CMD_ENGINES; e++)
			if (c->engines & 1 << e)
				printf("%s ", igen_engine_name(e));
		printf(" %s\n", c->section);
	}
	return 0;
}

static int run(struct options *o, const char *path, bool platform_given)
{
	struct session *session = calloc(1, sizeof(*session));
	enum igen_format format = o->format;
	unsigned long errors = 0;
	unsigned char *data = NULL;
	__u32 *dw = NULL;
	size_t n, ndw;
	int ret;

	if (!session)
		return -ENOMEM;
	session->o = o;
	ret = read_all(path, &data, &n);
	if (ret) {
		fprintf(stderr, "igen-decode: %s: %s\n", path, strerror(-ret));
		goto out;
	}
	if (format == IGEN_FORMAT_AUTO && !o->eu)
		format = igen_guess_format(data, n);
	if (o->eu) {
		errors = eu_show(o->eu, data, n, o->address, o->quiet, o->print.out);
	} else if (format == IGEN_FORMAT_ERROR) {
		ret = show_error(o, data, n, platform_given, session, &errors);
	} else {
		ret = read_dwords(path, format, data, n, &dw, &ndw);
		if (!ret)
			ret = add_buffer(&o->memory, o->address, dw, ndw);
		if (!ret)
			show(o, dw, ndw, o->address, o->ring, session);
		errors = session->check.errors;
	}
	if (!ret && o->check)
		fprintf(o->print.out, "%lu commands, %lu dwords, %lu errors, %lu warnings\n",
			session->commands, session->dwords, errors, session->check.warnings);
	if (!ret && errors)
		ret = 1;
out:
	free(dw);
	free(data);
	free(session);
	return ret;
}

static bool parse_format(const char *name, enum igen_format *format)
{
	static const char *const names[] = { "auto", "raw", "hex", "error" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i])) {
			*format = i;
			return true;
		}
	return false;
}

enum { OPT_FRESH = 256, OPT_PRIVILEGED, OPT_RING, OPT_COLOUR, OPT_EU };

int main(int argc, char **argv)
{
	static const struct option longs[] = { { "platform", required_argument, NULL, 'p' },
					       { "engine", required_argument, NULL, 'e' },
					       { "address", required_argument, NULL, 'a' },
					       { "buffer", required_argument, NULL, 'b' },
					       { "format", required_argument, NULL, 'f' },
					       { "check", no_argument, NULL, 'c' },
					       { "fresh", no_argument, NULL, OPT_FRESH },
					       { "privileged", no_argument, NULL, OPT_PRIVILEGED },
					       { "ring", no_argument, NULL, OPT_RING },
					       { "eu", required_argument, NULL, OPT_EU },
					       { "zeros", no_argument, NULL, 'z' },
					       { "quiet", no_argument, NULL, 'q' },
					       { "colour", required_argument, NULL, OPT_COLOUR },
					       { "list", no_argument, NULL, 'l' },
					       { "help", no_argument, NULL, 'h' },
					       { 0 } };
	struct options o = { .set = &igen_cmds_gen9,
			     .print = { .out = stdout, .colour = isatty(1) } };
	bool platform_given = false, only_list = false, known = true;
	int opt, engine, ret;
	char *end;

	while (known && (opt = getopt_long(argc, argv, "p:e:a:b:f:czqlh", longs, NULL)) >= 0) {
		switch (opt) {
		case 'p':
			o.set = igen_set_by_platform(optarg);
			platform_given = true;
			known = o.set;
			break;
		case 'e':
			engine = igen_engine_by_name(optarg);
			known = engine >= 0;
			o.engine = engine;
			break;
		case 'a':
			o.address = strtoull(optarg, &end, 0);
			known = end != optarg && !*end;
			break;
		case 'b':
			if (option_buffer(&o, optarg))
				return 2;
			break;
		case 'f':
			known = parse_format(optarg, &o.format);
			break;
		case 'c':
			o.check = true;
			break;
		case OPT_FRESH:
			o.fresh = true;
			break;
		case OPT_PRIVILEGED:
			o.privileged = true;
			break;
		case OPT_RING:
			o.ring = true;
			break;
		case OPT_EU:
			o.eu = isa_gen_by_name(optarg);
			known = o.eu;
			break;
		case 'z':
			o.print.zeros = true;
			break;
		case 'q':
			o.quiet = true;
			break;
		case OPT_COLOUR:
			o.print.colour =
				!strcmp(optarg, "always") || (!strcmp(optarg, "auto") && isatty(1));
			break;
		case 'l':
			only_list = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			return 2;
		}
	}
	if (!known) {
		fprintf(stderr, "igen-decode: %s is not known here; see --help\n", optarg);
		return 2;
	}
	if (only_list)
		return list(o.set);
	if (argc - optind > 1) {
		fputs("igen-decode: one file, further ones with --buffer\n", stderr);
		return 2;
	}
	o.print.regs = igen_regs_by_gen(o.set->gen);
	ret = run(&o, optind < argc ? argv[optind] : "-", platform_given);
	while (o.nowned)
		free((void *)o.memory.buffers[--o.nowned].dw);
	free(o.memory.buffers);
	return ret < 0 ? 2 : ret;
}
