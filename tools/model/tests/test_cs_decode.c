// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of names and lengths of commands
 *
 * Every opcode that an engine could parse is asked for, so that a command that is lost, a name given
 * twice or a length out of range shows; and the commands whose
 * lengths the manuals print are compared with them.
 */
#include <string.h>

#include "igen/cmd/blt.h"
#include "igen/cmd/gfx.h"
#include "igen/cmd/mi.h"
#include "cs/cs.h"

static unsigned int tests, failures;

static void check(bool ok, const char *what)
{
	tests++;
	if (!ok)
		failures++;
	printf("%s %u %s\n", ok ? "ok" : "not ok", tests, what);
}

static const struct {
	enum engine_class class;
	uint32_t header;
	unsigned int length;
	const char *name;
} known[] = {
	/* DG1 Vol 2a, MI chapters, for what is the same on Gen9. */
	{ ENGINE_RENDER, MI_NOOP, 1, "MI_NOOP" },
	{ ENGINE_RENDER, MI_NOOP | 0x3fffff, 1, "MI_NOOP" },
	{ ENGINE_COPY, MI_ARB_CHECK, 1, "MI_ARB_CHECK" },
	{ ENGINE_VIDEO, MI_BATCH_BUFFER_END, 1, "MI_BATCH_BUFFER_END" },
	{ ENGINE_VIDEO_ENHANCE, MI_USER_INTERRUPT, 1, "MI_USER_INTERRUPT" },
	{ ENGINE_RENDER, MI_STORE_DATA_IMM_DW, 4, "MI_STORE_DATA_IMM" },
	{ ENGINE_RENDER, MI_STORE_DATA_IMM_QW, 5, "MI_STORE_DATA_IMM" },
	{ ENGINE_RENDER, MI_STORE_DATA_INDEX, 3, "MI_STORE_DATA_INDEX" },
	{ ENGINE_COPY, MI_LOAD_REGISTER_IMM(1), 3, "MI_LOAD_REGISTER_IMM" },
	{ ENGINE_COPY, MI_LOAD_REGISTER_IMM(14) | MI_LRI_FORCE_POSTED, 29, "MI_LOAD_REGISTER_IMM" },
	{ ENGINE_COPY, MI_LOAD_REGISTER_REG, 3, "MI_LOAD_REGISTER_REG" },
	{ ENGINE_COPY, MI_LOAD_REGISTER_MEM, 4, "MI_LOAD_REGISTER_MEM" },
	{ ENGINE_COPY, MI_STORE_REGISTER_MEM, 4, "MI_STORE_REGISTER_MEM" },
	{ ENGINE_COPY, MI_COPY_MEM_MEM, 5, "MI_COPY_MEM_MEM" },
	{ ENGINE_COPY, MI_FLUSH_DW | MI_FLUSH_DW_STORE_INDEX, 5, "MI_FLUSH_DW" },
	{ ENGINE_RENDER, MI_FLUSH_DW, 0, NULL },
	{ ENGINE_VIDEO, MI_BATCH_BUFFER_START | MI_BBS_PPGTT, 3, "MI_BATCH_BUFFER_START" },
	{ ENGINE_VIDEO, MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL, 4, "MI_SEMAPHORE_WAIT" },
	{ ENGINE_VIDEO, MI_SEMAPHORE_SIGNAL, 2, "MI_SEMAPHORE_SIGNAL" },
	{ ENGINE_RENDER, MI_MATH(4u), 5, "MI_MATH" },
	{ ENGINE_RENDER, MI_ATOMIC, 3, "MI_ATOMIC" },
	{ ENGINE_RENDER, MI_ATOMIC_INLINE, 11, "MI_ATOMIC" },
	{ ENGINE_RENDER, MI_CONDITIONAL_BB_END, 4,
	  "MI_CONDITIONAL_BATCH_BUFFER_END" },
	{ ENGINE_RENDER, MI_PREDICATE, 1, "MI_PREDICATE" },
	{ ENGINE_COPY, MI_PREDICATE, 0, NULL },
	{ ENGINE_RENDER, MI_UPDATE_GTT(300u), 602,
	  "MI_UPDATE_GTT" },
	{ ENGINE_RENDER, MI_REPORT_PERF_COUNT, 4, "MI_REPORT_PERF_COUNT" },
	/* DG1 Vol 2a, XY_* chapters. */
	{ ENGINE_COPY, XY_COLOR_BLT | XY_WRITE_RGB | XY_DST_TILED, 7, "XY_COLOR_BLT" },
	{ ENGINE_COPY, XY_SRC_COPY_BLT, 10, "XY_SRC_COPY_BLT" },
	{ ENGINE_COPY, XY_FAST_COPY_BLT, 10, "XY_FAST_COPY_BLT" },
	{ ENGINE_COPY, XY_SETUP_BLT, 10, "XY_SETUP_BLT" },
	{ ENGINE_COPY, XY_PIXEL_BLT, 2, "XY_PIXEL_BLT" },
	{ ENGINE_COPY, XY_TEXT_IMMEDIATE_BLT(16u), 19, "XY_TEXT_IMMEDIATE_BLT" },
	{ ENGINE_RENDER, XY_COLOR_BLT, 0, NULL },
	{ ENGINE_COPY, CMD_TYPE_BLT << 29 | 0x41u << 22 | 10u, 0, NULL }, /* XY_BLOCK_COPY_BLT: Gen12 */
	/* The render engine's. */
	{ ENGINE_RENDER, PIPE_CONTROL, 6, "PIPE_CONTROL" },
	{ ENGINE_COPY, PIPE_CONTROL, 0, NULL },
	{ ENGINE_RENDER, 0x69040000 | 0x302, 1, "PIPELINE_SELECT" },
	{ ENGINE_RENDER, 0x61010011, 19, "STATE_BASE_ADDRESS" },
	{ ENGINE_RENDER, 0x780b0000, 0, NULL },
	{ ENGINE_RENDER, 0x680b0001, 1, "3DSTATE_VF_STATISTICS" },
	{ ENGINE_RENDER, 0x7917017f, 0x181, "3DSTATE_SO_DECL_LIST" },
	{ ENGINE_RENDER, 0x7b000005, 7, "3DPRIMITIVE" },
	{ ENGINE_RENDER, 0x70050004, 6, "MEDIA_POOL_STATE" },
	{ ENGINE_RENDER, 0x7105050d, 15, "GPGPU_WALKER" },
	{ ENGINE_RENDER, 0x71000174, 0x176, "MEDIA_OBJECT" },
	/* One opcode, two engines (7001h and its like). */
	{ ENGINE_RENDER, 0x70010002, 4, "MEDIA_CURBE_LOAD" },
	{ ENGINE_VIDEO, 0x70010004, 6, "MFX_SURFACE_STATE" },
	{ ENGINE_RENDER, 0x70000007, 9, "MEDIA_VFE_STATE" },
	{ ENGINE_VIDEO, 0x70000003, 5, "MFX_PIPE_MODE_SELECT" },
	{ ENGINE_RENDER, 0x70040000, 2, "MEDIA_STATE_FLUSH" },
	{ ENGINE_VIDEO, 0x70040008, 10, "MFX_BSP_BUF_BASE_ADDR_STATE" },
	{ ENGINE_RENDER, 0x7103000f, 17, "MEDIA_OBJECT_WALKER" },
	{ ENGINE_VIDEO, 0x71030008, 10, "MFX_AVC_SLICE_STATE" },
	{ ENGINE_VIDEO, 0x74000000, 2, "MFX_VP8_PIC_STATE" },
	{ ENGINE_VIDEO_ENHANCE, 0x74000007, 9, "VEBOX_SURFACE_STATE" },
	{ ENGINE_VIDEO_ENHANCE, 0x70010004, 0, NULL },
	{ ENGINE_VIDEO, 0x68000000 | 1 << 8, 1, "MFX_WAIT" },
	{ ENGINE_VIDEO, 0x7702033d, 831, "MFX_JPEG_HUFF_TABLE_STATE" },
	{ ENGINE_VIDEO, 0x7382005d, 95, "HCP_PIPE_BUF_ADDR_STATE" },
	{ ENGINE_VIDEO, 0x77800000, 2, "VD_PIPELINE_FLUSH" },
	{ ENGINE_VIDEO, 0x7501001e, 32, "SFC_STATE" },
	{ ENGINE_VIDEO_ENHANCE, 0x7501001e, 32, "SFC_STATE" },
	{ ENGINE_COPY, 0x75010000, 0, NULL },
	/* No command at all. */
	{ ENGINE_RENDER, 0x20000000, 0, NULL },
	{ ENGINE_VIDEO, 0x80000000, 0, NULL },
	{ ENGINE_COPY, 0xffffffff, 0, NULL },
	{ ENGINE_COPY, 0xc0000000, 0, NULL },
};

static const struct igen_decoder *of(enum engine_class class)
{
	return command_decoder(&igen_cmds_gen9, class);
}

/* A program may have devices of two generations. */
static void test_generations(void)
{
	const struct igen_decoder *old = of(ENGINE_COPY);
	const struct igen_decoder *new = command_decoder(&igen_cmds_gen12, ENGINE_COPY);

	check(old->set == &igen_cmds_gen9 && new->set == &igen_cmds_gen12, "each generation has decoders of its own");
	check(of(ENGINE_COPY) == old && command_decoder(&igen_cmds_gen12, ENGINE_COPY) == new,
	      "which are made once");
}

static void test_known(void)
{
	char what[100];

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const char *name = command_name(of(known[i].class), known[i].header);
		unsigned int length = command_length(of(known[i].class), known[i].header);
		bool same = name && known[i].name ? !strcmp(name, known[i].name)
						  : name == known[i].name;

		snprintf(what, sizeof(what), "%08x of class %d is %s", known[i].header,
			 known[i].class, known[i].name ? known[i].name : "unknown");
		check(same && length == known[i].length, what);
		if (!same || length != known[i].length)
			printf("# got %s, %u dwords\n", name ? name : "unknown", length);
	}
}

/* Every opcode of a class with length field 0: how many commands, none with one name twice. */
static void test_all(enum engine_class class, unsigned int expected)
{
	static const char *names[1024];
	unsigned int n = 0;
	bool unique = true, lengths = true;
	char what[60];

	for (uint32_t high = 0; high < 0x10000; high++) {
		uint32_t header = high << 16, type = high >> 13;
		const char *name;
		unsigned int length;

		/* Bits of the high half that are no opcode. */
		if ((type == CMD_TYPE_MI && (header & ~(CMD_TYPE_MASK | MI_OPCODE_MASK))) ||
		    (type == CMD_TYPE_BLT && (header & ~(CMD_TYPE_MASK | BLT_OPCODE_MASK))))
			continue;
		name = command_name(of(class), header);
		length = command_length(of(class), header);
		if (!name != !length)
			lengths = false;
		if (!name)
			continue;
		lengths &= length == 1 || length == 2;
		lengths &= command_length(of(class), header | 2) == length ||
			   command_length(of(class), header | 2) == length + 2;
		for (unsigned int i = 0; i < n; i++)
			unique &= strcmp(names[i], name) != 0;
		names[n++] = name;
	}
	snprintf(what, sizeof(what), "class %d knows %u commands", class, expected);
	check(n == expected, what);
	if (n != expected)
		printf("# %u\n", n);
	snprintf(what, sizeof(what), "class %d: names are unique, lengths one or from the field",
		 class);
	check(unique && lengths, what);
}

int main(void)
{
	test_known();
	test_generations();
	/* So many commands of Gen9 are known; one that gets lost is noticed. */
	test_all(ENGINE_RENDER, 39 + 116);
	test_all(ENGINE_COPY, 30 + 27);
	test_all(ENGINE_VIDEO, 25 + 84);
	test_all(ENGINE_VIDEO_ENHANCE, 25 + 11);
	printf("1..%u\n", tests);
	return failures != 0;
}
