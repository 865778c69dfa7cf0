// SPDX-License-Identifier: MIT
/*
 * DOC: Programs as text
 *
 * A call a line: its name, T1 or T2 for another thread, ~N for a spoilt argument, @N=value for a dword of it, and
 * name=value for what is not 0; $N is a slot. "#" begins a comment, "end" a line of its own ends a program.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/**
 * program_print - a program as text
 * @p: the program
 * @text: gets it, ended by "end" and a new line
 * @bytes: room
 *
 * Return: length.
 */
size_t program_print(const struct program *p, char *text, size_t bytes)
{
	size_t n = 0;
	uint32_t i;
	int j;

#define ADD(...) (n += snprintf(text + n, bytes - n, __VA_ARGS__), n = n < bytes ? n : bytes - 1)
	for (i = 0; i < p->count; i++) {
		const struct call *call = &p->call[i];
		const struct op_def *op = &ops[call->op];

		ADD("%s", op->name);
		if (call->thread)
			ADD(" T%u", call->thread);
		if (call->spoil)
			ADD(" ~%u", call->spoil);
		if (call->poke_at || call->poke)
			ADD(" @%u=0x%x", call->poke_at, call->poke);
		for (j = 0; j < MAX_ARGS && op->arg[j].name; j++) {
			bool slot = op->arg[j].type == A_NEW || (op->arg[j].type == A_USE && call->arg[j] < NSLOTS);

			if (call->arg[j])
				ADD(slot ? " %s=$%llu" : " %s=0x%llx", op->arg[j].name,
				    (unsigned long long)call->arg[j]);
		}
		ADD("\n");
	}
	ADD("end\n");
#undef ADD
	return n;
}

static bool parse_word(struct call *call, const char *word, size_t length)
{
	const struct op_def *op = &ops[call->op];
	const char *equals = memchr(word, '=', length);
	const char *value;
	size_t name;
	int j;

	if (word[0] == 'T' && length == 2 && word[1] >= '0' && word[1] < '0' + NTHREADS) {
		call->thread = word[1] - '0';
		return true;
	}
	if (word[0] == '~') {
		call->spoil = strtoul(word + 1, NULL, 0) % NSPOILS;
		return true;
	}
	if (!equals)
		return false;
	value = equals + 1;
	if (word[0] == '@') {
		call->poke_at = strtoul(word + 1, NULL, 0);
		call->poke = strtoul(value, NULL, 0);
		return true;
	}
	name = equals - word;
	if (*value == '$')
		value++;
	for (j = 0; j < MAX_ARGS && op->arg[j].name; j++) {
		if (strlen(op->arg[j].name) == name && !memcmp(op->arg[j].name, word, name)) {
			call->arg[j] = strtoull(value, NULL, 0);
			return true;
		}
	}
	return false;
}

/**
 * program_parse - reads one program
 * @p: filled
 * @text: the text
 * @error: gets what is wrong
 * @bytes: room for it
 *
 * Return: what follows the program; NULL when there is none, with an empty @error, or when it is wrong.
 */
const char *program_parse(struct program *p, const char *text, char *error, size_t bytes)
{
	error[0] = 0;
	memset(p, 0, sizeof(*p));
	while (*text) {
		size_t line = strcspn(text, "\n"), at = 0, word;
		struct call *call = &p->call[p->count];
		const char *start = text;

		text += line + (text[line] == '\n');
		at = strspn(start, " \t");
		if (at >= line || start[at] == '#')
			continue;
		word = strcspn(start + at, " \t\n");
		if (word == 3 && !memcmp(start + at, "end", 3)) {
			if (p->count)
				return text;
			continue;
		}
		if (p->count == MAX_CALLS) {
			snprintf(error, bytes, "a program has more than %d calls", MAX_CALLS);
			return NULL;
		}
		call->op = op_find(start + at, word);
		if (call->op == num_ops) {
			snprintf(error, bytes, "there is no call '%.*s'", (int)word, start + at);
			return NULL;
		}
		p->count++;
		for (at += word; at < line; at += word) {
			at += strspn(start + at, " \t");
			if (at >= line)
				break;
			word = strcspn(start + at, " \t\n");
			if (!parse_word(call, start + at, word)) {
				snprintf(error, bytes, "%s: '%.*s' is no argument of it", ops[call->op].name,
					 (int)word, start + at);
				return NULL;
			}
		}
	}
	return p->count ? text : NULL;
}
