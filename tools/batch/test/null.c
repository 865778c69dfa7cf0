// SPDX-License-Identifier: MIT
/**
 * DOC: Tests: the null state
 *
 * It has no arguments, so the tests look at its contents: each state command of the database is there but for those
 * named here, none has an address, and the commands that have to come first do.
 */
#include "igen/batch/null.h"
#include "test.h"

#include "decode.h"

/* Not state: a draw; edits of tables that lie in memory; a clear of the URB. */
static const char * const not_state[] = { "3DPRIMITIVE", "3DSTATE_BINDING_TABLE_EDIT_", "3DSTATE_URB_CLEAR" };

/* Commands that only the constant pools use. The pools are off. */
static const char * const of_pools[] = { "3DSTATE_DX9_CONSTANT", "3DSTATE_DX9_LOCAL_VALID_",
					 "3DSTATE_DX9_GENERATE_ACTIVE_", "3DSTATE_GATHER_CONSTANT_",
					 "3DSTATE_RS_CONSTANT_POINTER" };

static void build(struct igen_batch *b, const void *arg)
{
	(void)arg;
	igen_null_state(b);
}

static bool begins(const char *name, const char * const *list, unsigned int n)
{
	while (n--)
		if (!strncmp(name, list[n], strlen(list[n])))
			return true;
	return false;
}

static void every_state(const struct igen_batch *b)
{
	const struct igen_cmd_set *set = igen_set_by_gen(b->gen);

	for (unsigned int i = 0; i < set->ncmds; i++) {
		const char *name = set->cmds[i].name;

		if (strncmp(name, "3DSTATE_", 8) || begins(name, not_state, ARRAY_SIZE(not_state)))
			continue;
		if (strcmp(name, "3DSTATE_DX9_CONSTANT_BUFFER_POOL_ALLOC") &&
		    begins(name, of_pools, ARRAY_SIZE(of_pools)))
			continue;
		check(find_command(b, name, 0), "every-state", b->gen, "no %s", name);
	}
}

static void order(const struct igen_batch *b)
{
	static const char * const pairs[][2] = {
		{ "PIPELINE_SELECT", "STATE_BASE_ADDRESS" },
		{ "STATE_BASE_ADDRESS", "3DSTATE_SAMPLER_STATE_POINTERS_VS" },
		{ "STATE_BASE_ADDRESS", "3DSTATE_VIEWPORT_STATE_POINTERS_CC" },
		{ "STATE_BASE_ADDRESS", "3DSTATE_CC_STATE_POINTERS" },
		{ "3DSTATE_PUSH_CONSTANT_ALLOC_VS", "3DSTATE_CONSTANT_VS" },
		{ "3DSTATE_PUSH_CONSTANT_ALLOC_PS", "3DSTATE_CONSTANT_PS" },
		{ "3DSTATE_CONSTANT_VS", "3DSTATE_BINDING_TABLE_POINTERS_VS" },
		{ "3DSTATE_CONSTANT_PS", "3DSTATE_BINDING_TABLE_POINTERS_PS" },
		{ "3DSTATE_DRAWING_RECTANGLE", "3DSTATE_WM_HZ_OP" },
		{ "3DSTATE_MULTISAMPLE", "3DSTATE_WM_HZ_OP" },
		{ "3DSTATE_RASTER", "3DSTATE_WM_HZ_OP" },
		{ "3DSTATE_CC_STATE_POINTERS", "3DPRIMITIVE" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(pairs); i++) {
		const __u32 *first = find_command(b, pairs[i][0], 0), *second = find_command(b, pairs[i][1], 0);

		check(first && second && first < second, "order", b->gen, "%s not before %s", pairs[i][0], pairs[i][1]);
	}
	check(!find_command(b, "3DPRIMITIVE", 1), "order", b->gen, "a second primitive");
}

static void fields(const struct igen_batch *b)
{
	static const struct {
		const char *command, *field;
		__u64 value;
	} want[] = {
		{ "PIPELINE_SELECT", "Pipeline Selection", 0 },
		{ "STATE_BASE_ADDRESS", "General State Base Address", 0 },
		{ "STATE_BASE_ADDRESS", "Bindless Surface State Base Address Modify Enable", 1 },
		{ "3DSTATE_DEPTH_BUFFER", "Surface Type", 7 },
		{ "3DSTATE_PS_EXTRA", "Pixel Shader Valid", 0 },
		{ "3DSTATE_VS", "Enable", 0 },
		{ "3DSTATE_RASTER", "Cull Mode", 0 },
		{ "3DSTATE_VF_STATISTICS", "Statistics Enable", 0 },
		{ "3DPRIMITIVE", "Vertex Count Per Instance", 1 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(want); i++) {
		const __u32 *dw = find_command(b, want[i].command, 0);
		__u64 value = field_of(b->gen, want[i].command, want[i].field, dw);

		check(value == want[i].value, "fields", b->gen, "%s: %s is %llu", want[i].command, want[i].field,
		      value);
	}
}

void test_null(unsigned int gen)
{
	struct test_case t = { .name = "null-state", .gen = gen, .engine = IGEN_BATCH_RENDER, .build = build };
	static __u32 map[4096];
	struct igen_batch b;

	if (gen != 9) {
		check_bad(&t, -EOPNOTSUPP);
		return;
	}
	check_good(&t);
	igen_batch_init(&b, gen, IGEN_BATCH_RENDER, map, sizeof(map));
	igen_null_state(&b);
	check(!b.error && !b.num_relocs, t.name, gen, "error %d, %u addresses", b.error, b.num_relocs);
	every_state(&b);
	order(&b);
	fields(&b);
	t.engine = IGEN_BATCH_COPY;
	check_bad(&t, -EINVAL);
}
