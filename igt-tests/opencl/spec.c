// SPDX-License-Identifier: MIT
/*
 * The lines that say how kernels are run (corpus.h has their form).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"

static const struct type types[] = {
	{ "char", 1, CLASS_SIGNED },
	{ "uchar", 1, CLASS_UNSIGNED },
	{ "short", 2, CLASS_SIGNED },
	{ "ushort", 2, CLASS_UNSIGNED },
	{ "int", 4, CLASS_SIGNED },
	{ "uint", 4, CLASS_UNSIGNED },
	{ "long", 8, CLASS_SIGNED },
	{ "ulong", 8, CLASS_UNSIGNED },
	{ "float", 4, CLASS_FLOAT },
	{ "double", 8, CLASS_FLOAT },
};

static const struct format formats[] = {
	{ "rgba8", CL_RGBA, CL_UNORM_INT8, 4, "uchar" },
	{ "rgba8ui", CL_RGBA, CL_UNSIGNED_INT8, 4, "uchar" },
	{ "rgba16i", CL_RGBA, CL_SIGNED_INT16, 4, "short" },
	{ "rgba32ui", CL_RGBA, CL_UNSIGNED_INT32, 4, "uint" },
	{ "rgba32f", CL_RGBA, CL_FLOAT, 4, "float" },
	{ "r32f", CL_R, CL_FLOAT, 1, "float" },
};

bool is_result(const struct arg *arg)
{
	return arg->kind == ARG_OUT || arg->kind == ARG_INOUT || arg->kind == ARG_RESULT;
}

size_t element_size(const struct arg *arg, bool reference)
{
	return reference && (arg->ulp || arg->near) ? sizeof(double) : arg->type->size;
}

static bool parse_size(const char *word, size_t size[2], cl_uint *dims)
{
	char *end;

	size[0] = strtoul(word, &end, 10);
	size[1] = 1;
	*dims = 1;
	if (*end == 'x') {
		size[1] = strtoul(end + 1, &end, 10);
		*dims = 2;
	}
	return !*end && size[0] && size[1];
}

static bool parse_type(struct arg *arg, const char *word)
{
	for (size_t i = 0; word && i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcmp(types[i].name, word))
			arg->type = &types[i];
	}
	return arg->type;
}

static bool parse_number(const char *word, double *number)
{
	char *end;

	if (!word)
		return false;
	*number = strtod(word, &end);
	return end != word && !*end;
}

static bool parse_buffer(struct arg *arg, char **save)
{
	const char *word;
	double count;

	if (!parse_type(arg, strtok_r(NULL, ":", save)))
		return false;
	if (!parse_number(strtok_r(NULL, ":", save), &count) || count < 1)
		return false;
	arg->count = count;
	word = strtok_r(NULL, ":", save);
	if (!word)
		return true;
	if (arg->kind == ARG_OUT && !strncmp(word, "ulp=", 4))
		return parse_number(word + 4, &arg->ulp) && arg->ulp > 0 && !strcmp(arg->type->name, "float");
	if (arg->kind == ARG_OUT && !strncmp(word, "near=", 5))
		return parse_number(word + 5, &arg->near) && arg->near > 0 && !strcmp(arg->type->name, "float");
	arg->ranged = true;
	if (arg->kind == ARG_OUT || !parse_number(word, &arg->low))
		return false;
	return parse_number(strtok_r(NULL, ":", save), &arg->high) && arg->low < arg->high;
}

static bool parse_image(struct arg *arg, char **save)
{
	const char *word = strtok_r(NULL, ":", save);
	char *end;

	for (size_t i = 0; word && i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!strcmp(formats[i].name, word))
			arg->format = &formats[i];
	}
	word = strtok_r(NULL, ":", save);
	if (!arg->format || !word || !parse_type(arg, arg->format->component))
		return false;
	arg->width = strtoul(word, &end, 10);
	if (*end != 'x')
		return false;
	arg->height = strtoul(end + 1, &end, 10);
	if (*end == 'x')
		arg->layers = strtoul(end + 1, &end, 10);
	arg->count = arg->width * arg->height * (arg->layers ? arg->layers : 1) * arg->format->channels;
	/* OpenCL promises nothing for arithmetic with infinities and NaNs. */
	arg->ranged = arg->type->class == CLASS_FLOAT;
	arg->low = -1;
	arg->high = 1;
	return !*end && arg->count;
}

static bool parse_arg(struct kernel *kernel, char *word)
{
	struct arg *arg = &kernel->args[kernel->num_args];
	char *save, *kind = strtok_r(word, ":", &save);
	double number;

	if (!kind || kernel->num_args == MAX_ARGS)
		return false;
	if (!strcmp(kind, "needs")) {
		snprintf(kernel->needs, sizeof(kernel->needs), "%s", save);
		return kernel->needs[0];
	}
	kernel->num_args++;
	if (!strcmp(kind, "in") || !strcmp(kind, "out") || !strcmp(kind, "inout")) {
		arg->kind = kind[0] == 'o' ? ARG_OUT : kind[2] ? ARG_INOUT : ARG_IN;
		return parse_buffer(arg, &save);
	}
	if (!strcmp(kind, "local")) {
		arg->kind = ARG_LOCAL;
		if (!parse_number(save, &number) || number < 1)
			return false;
		arg->count = number;
		return true;
	}
	if (!strcmp(kind, "image") || !strcmp(kind, "result")) {
		arg->kind = kind[0] == 'i' ? ARG_IMAGE : ARG_RESULT;
		return parse_image(arg, &save);
	}
	arg->kind = ARG_VALUE;
	return !strcmp(kind, "value") && parse_type(arg, strtok_r(NULL, ":", &save)) && parse_number(save, &arg->value);
}

static bool parse_line(struct kernel *kernel, char *line)
{
	char *save, *word = strtok_r(line, " ", &save);
	cl_uint dims;

	if (!word)
		return false;
	snprintf(kernel->name, sizeof(kernel->name), "%s", word);
	word = strtok_r(NULL, " ", &save);
	if (!word || !parse_size(word, kernel->global, &kernel->dims))
		return false;
	word = strtok_r(NULL, " ", &save);
	if (!word || !parse_size(word, kernel->local, &dims) || dims != kernel->dims)
		return false;
	while ((word = strtok_r(NULL, " ", &save))) {
		if (!parse_arg(kernel, word))
			return false;
	}
	return true;
}

/**
 * spec_read() - reads a file of kernels with the lines that say how they are run
 * @file: gets the text and the kernels
 * @path: the file
 */
void spec_read(struct kernel_file *file, const char *path)
{
	char *at, *line, *copy;
	unsigned int number;

	file->path = strdup(path);
	file->text = file_read(path, NULL);
	if (!file->text)
		die("%s: %s", path, strerror(errno));
	copy = strdup(file->text);
	at = copy;
	for (number = 1; (line = strsep(&at, "\n")); number++) {
		if (strncmp(line, "//! ", 4))
			continue;
		if (file->num == MAX_KERNELS)
			die("%s:%u: more than %u kernels", path, number, MAX_KERNELS);
		if (!parse_line(&file->kernels[file->num], line + 4))
			die("%s:%u: no '//! NAME GLOBAL LOCAL ARGUMENT...'", path, number);
		file->num++;
	}
	free(copy);
	if (!file->num)
		die("%s: no kernels", path);
}
