// SPDX-License-Identifier: MIT
/**
 * DOC: Reading of dumps and error states
 *
 * A section of an error state begins with "ENGINE --- NAME = 0xHIGH LOW"; its data are one line,
 * after ":" a zlib stream, after "~" plain, as ASCII85: five characters a dword, the first the most
 * significant, "z" for zero (as i915 prints them). Ring registers stand before, under "ENGINE
 * command stream:".
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inflate.h"
#include "input.h"

static bool is_text(const unsigned char *data, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!isprint(data[i]) && !isspace(data[i]))
			return false;
	return true;
}

/* Finds text in a buffer that no zero ends. */
static bool contains(const unsigned char *data, size_t n, const char *what)
{
	size_t k = strlen(what), i;

	for (i = 0; i + k <= n; i++)
		if (!memcmp(data + i, what, k))
			return true;
	return false;
}

enum igen_format igen_guess_format(const unsigned char *data, size_t n)
{
	if (!is_text(data, n))
		return IGEN_FORMAT_RAW;
	return contains(data, n, " --- ") ? IGEN_FORMAT_ERROR : IGEN_FORMAT_HEX;
}

struct words {
	__u32 *dw;
	size_t n, room;
};

static int push(struct words *w, __u32 v)
{
	if (w->n == w->room) {
		size_t room = w->room ? w->room * 2 : 1024;
		__u32 *dw = realloc(w->dw, room * sizeof(*dw));

		if (!dw)
			return -ENOMEM;
		w->dw = dw;
		w->room = room;
	}
	w->dw[w->n++] = v;
	return 0;
}

int igen_read_hex(const char *text, size_t n, __u32 **dw, size_t *ndw, unsigned int *line)
{
	struct words w = { 0 };
	size_t i = 0, start, digits;
	__u32 v;
	int ret;

	*line = 1;
	while (i < n) {
		if (isspace((unsigned char)text[i]) || text[i] == ',') {
			*line += text[i++] == '\n';
			continue;
		}
		if (text[i] == '#') {
			while (i < n && text[i] != '\n')
				i++;
			continue;
		}
		if (n - i > 2 && text[i] == '0' && (text[i + 1] == 'x' || text[i + 1] == 'X'))
			i += 2;
		start = i;
		v = 0;
		while (i < n && isxdigit((unsigned char)text[i])) {
			v = v << 4 | (isdigit((unsigned char)text[i])
					      ? text[i] - '0'
					      : tolower((unsigned char)text[i]) - 'a' + 10);
			i++;
		}
		digits = i - start;
		/* The address before a line's words may have more digits than they. */
		if (digits && digits <= 16 && i < n && text[i] == ':') {
			i++;
			continue;
		}
		if (!digits || digits > 8 ||
		    (i < n && !isspace((unsigned char)text[i]) && text[i] != ',')) {
			free(w.dw);
			return -EINVAL;
		}
		ret = push(&w, v);
		if (ret) {
			free(w.dw);
			return ret;
		}
	}
	*dw = w.dw;
	*ndw = w.n;
	return 0;
}

int igen_read_raw(const unsigned char *data, size_t n, __u32 **dw, size_t *ndw)
{
	size_t i;

	*ndw = n / 4;
	*dw = malloc(n / 4 * sizeof(**dw) + 1);
	if (!*dw)
		return -ENOMEM;
	for (i = 0; i < n / 4; i++)
		(*dw)[i] = data[i * 4] | data[i * 4 + 1] << 8 | data[i * 4 + 2] << 16 |
			   (__u32)data[i * 4 + 3] << 24;
	return 0;
}

/* ASCII85 to dwords. Stops at what is not of it; *broken is set if that is not the end. */
static int read_ascii85(const char *text, size_t n, struct words *w, bool *broken)
{
	size_t i = 0;
	__u32 v;
	int k, ret;

	while (i < n && text[i] != '\r') {
		if (text[i] == 'z') {
			v = 0;
			i++;
		} else {
			for (k = 0, v = 0; k < 5 && i < n && text[i] >= '!' && text[i] <= 'u'; k++)
				v = v * 85 + (text[i++] - '!');
			if (k < 5) {
				*broken = true;
				return 0;
			}
		}
		ret = push(w, v);
		if (ret)
			return ret;
	}
	return 0;
}

static int read_data(struct igen_section *s, const char *text, size_t n, bool packed, bool *broken)
{
	struct words w = { 0 };
	unsigned char *bytes, *out;
	size_t i, nout;
	int ret = read_ascii85(text, n, &w, broken);

	if (ret || !packed) {
		s->dw = w.dw;
		s->n = w.n;
		return ret;
	}
	bytes = malloc(w.n * 4 + 1);
	if (!bytes) {
		free(w.dw);
		return -ENOMEM;
	}
	for (i = 0; i < w.n * 4; i++)
		bytes[i] = w.dw[i / 4] >> i % 4 * 8;
	if (igen_inflate_zlib(bytes, w.n * 4, IGEN_INPUT_LIMIT, &out, &nout))
		*broken = true;
	ret = igen_read_raw(out, nout, &s->dw, &s->n);
	free(w.dw);
	free(bytes);
	free(out);
	return ret;
}

/* Copies up to a delimiter; false if it does not fit. */
static bool copy_word(char *to, size_t room, const char *from, size_t n)
{
	if (n >= room)
		return false;
	memcpy(to, from, n);
	to[n] = 0;
	return true;
}

/* Ring registers of the engine read last, for the ring's section. */
struct ring_state {
	char engine[16];
	long head, tail;
	__u64 acthd;
	__u32 ipehr;
	bool registers;
};

static void read_ring_register(struct ring_state *r, const char *line)
{
	unsigned int a, b, c;
	int n;

	/* The head of the request that hung stands in brackets after the register's. */
	n = sscanf(line, " HEAD: 0x%x [0x%x, 0x%x]", &a, &b, &c);
	if (n >= 1)
		r->head = n >= 2 ? (long)b : (long)(a & 0x1ffffc);
	if (sscanf(line, " TAIL: 0x%x", &a) == 1)
		r->tail = a & 0x1ffff8;
	if (sscanf(line, " ACTHD: 0x%x %x", &a, &b) == 2)
		r->acthd = (__u64)a << 32 | b;
	if (sscanf(line, " IPEHR: 0x%x", &a) == 1) {
		r->ipehr = a;
		r->registers = true;
	}
}

static bool read_section_title(struct igen_section *s, const char *line)
{
	const char *mark = strstr(line, " --- "), *name, *equals;
	unsigned int high, low;

	if (!mark)
		return false;
	name = mark + 5;
	equals = strstr(name, " = 0x");
	if (!equals || sscanf(equals, " = 0x%x %x", &high, &low) != 2)
		return false;
	memset(s, 0, sizeof(*s));
	s->address = (__u64)high << 32 | low;
	s->head = -1;
	s->tail = -1;
	return copy_word(s->engine, sizeof(s->engine), line, mark - line) &&
	       copy_word(s->name, sizeof(s->name), name, equals - name);
}

static int add_section(struct igen_error *e, const struct igen_section *s)
{
	struct igen_section *all = realloc(e->sections, (e->nsections + 1) * sizeof(*all));

	if (!all)
		return -ENOMEM;
	e->sections = all;
	all[e->nsections++] = *s;
	return 0;
}

/* A line of an error state that is not data. */
static int read_line(struct igen_error *e, struct ring_state *r, const char *line)
{
	struct igen_section s;
	char engine[16];

	if (sscanf(line, "PCI ID: %x", &e->pci_id) == 1)
		return 0;
	if (sscanf(line, "%15s command stream:", engine) == 1 && strstr(line, " command stream:")) {
		memcpy(r->engine, engine, sizeof(engine));
		r->head = -1;
		r->tail = -1;
		r->acthd = 0;
		r->registers = false;
		return 0;
	}
	read_ring_register(r, line);
	if (!read_section_title(&s, line))
		return 0;
	if (strstr(s.name, "ring") && !strcmp(s.engine, r->engine)) {
		s.head = r->head;
		s.tail = r->tail;
		s.acthd = r->acthd;
		s.ipehr = r->ipehr;
		s.registers = r->registers;
	}
	return add_section(e, &s);
}

int igen_read_error(const char *text, size_t n, struct igen_error *e)
{
	struct ring_state ring = { .head = -1, .tail = -1 };
	size_t i, end;
	char line[256];
	bool open;
	int ret;

	memset(e, 0, sizeof(*e));
	for (i = 0; i < n; i = end + 1) {
		for (end = i; end < n && text[end] != '\n'; end++)
			;
		open = e->nsections && !e->sections[e->nsections - 1].dw;
		if (open && (text[i] == ':' || text[i] == '~')) {
			bool broken = false;

			ret = read_data(&e->sections[e->nsections - 1], text + i + 1, end - i - 1,
					text[i] == ':', &broken);
			e->broken += broken;
			if (ret)
				return ret;
			continue;
		}
		/* Longer lines are no titles; what is needed stands at their beginning. */
		copy_word(line, sizeof(line), text + i,
			  end - i < sizeof(line) - 1 ? end - i : sizeof(line) - 1);
		ret = read_line(e, &ring, line);
		if (ret)
			return ret;
	}
	return 0;
}

void igen_free_error(struct igen_error *e)
{
	size_t i;

	for (i = 0; i < e->nsections; i++)
		free(e->sections[i].dw);
	free(e->sections);
	memset(e, 0, sizeof(*e));
}
