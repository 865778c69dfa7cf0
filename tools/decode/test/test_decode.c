// SPDX-License-Identifier: MIT
/**
 * DOC: Test of look-up, lengths, walk and input formats
 *
 * The headers and lengths below are typed from the manuals' pages, not taken from the database:
 * they judge it. One line a command: generation, engine, header, name, dwords.
 */
#include <stdlib.h>

#include "inflate.h"
#include "input.h"

static unsigned long passed, failed;

static void check(bool ok, const char *what, const char *detail)
{
	if (ok) {
		passed++;
		return;
	}
	failed++;
	printf("not ok %s: %s\n", what, detail);
}

struct known {
	unsigned int gen;
	enum igen_cmd_engine engine;
	__u32 header;
	const char *name;
	unsigned int dwords;
};

#define RCS  IGEN_CMD_RENDER
#define BCS  IGEN_CMD_BLITTER
#define VCS  IGEN_CMD_VIDEO
#define VECS IGEN_CMD_VIDEOENHANCE

static const struct known known[] = {
	/* One header, two commands: the engine tells (DG1 Vol 2a; KBL as well). */
	{ 12, RCS, 0x70000007, "MEDIA_VFE_STATE", 9 },
	{ 12, VCS, 0x70000003, "MFX_PIPE_MODE_SELECT", 5 },
	{ 12, RCS, 0x70010002, "MEDIA_CURBE_LOAD", 4 },
	{ 12, VCS, 0x70010004, "MFX_SURFACE_STATE", 6 },
	{ 12, RCS, 0x70020002, "MEDIA_INTERFACE_DESCRIPTOR_LOAD", 4 },
	{ 12, VCS, 0x70020042, "MFX_PIPE_BUF_ADDR_STATE", 68 },
	{ 12, RCS, 0x70040000, "MEDIA_STATE_FLUSH", 2 },
	{ 12, VCS, 0x70040008, "MFX_BSP_BUF_BASE_ADDR_STATE", 10 },
	{ 12, RCS, 0x71000004, "MEDIA_OBJECT", 6 },
	{ 12, VCS, 0x71000013, "MFX_AVC_IMG_STATE", 21 },
	{ 12, RCS, 0x7103000f, "MEDIA_OBJECT_WALKER", 17 },
	{ 12, VCS, 0x71030009, "MFX_AVC_SLICE_STATE", 11 },
	{ 12, RCS, 0x7105000d, "GPGPU_WALKER", 15 },
	{ 12, VCS, 0x71050060, "MFX_AVC_WEIGHTOFFSET_STATE", 98 },
	{ 12, RCS, 0x71060006, "MEDIA_OBJECT_GRPID", 8 },
	{ 9, RCS, 0x70010002, "MEDIA_CURBE_LOAD", 4 },
	{ 9, RCS, 0x7105000d, "GPGPU_WALKER", 15 },
	/* MI: opcode in 28:23. */
	{ 12, RCS, 0x00000000, "MI_NOOP", 1 },
	{ 12, RCS, 0x00800000, "MI_SET_PREDICATE", 1 },
	{ 12, RCS, 0x01000000, "MI_USER_INTERRUPT", 1 },
	{ 12, RCS, 0x01800000, "MI_WAIT_FOR_EVENT", 1 },
	{ 12, RCS, 0x02000000, "MI_WAIT_FOR_EVENT_2", 1 },
	{ 12, RCS, 0x02800000, "MI_ARB_CHECK", 1 },
	{ 12, RCS, 0x03800000, "MI_REPORT_HEAD", 1 },
	{ 12, RCS, 0x04000000, "MI_ARB_ON_OFF", 1 },
	{ 12, RCS, 0x05000000, "MI_BATCH_BUFFER_END", 1 },
	{ 12, RCS, 0x05800000, "MI_SUSPEND_FLUSH", 1 },
	{ 12, RCS, 0x06000000, "MI_PREDICATE", 1 },
	{ 12, RCS, 0x06800000, "MI_TOPOLOGY_FILTER", 1 },
	{ 12, RCS, 0x09000000, "MI_LOAD_SCAN_LINES_INCL", 2 },
	{ 12, BCS, 0x09800000, "MI_LOAD_SCAN_LINES_EXCL", 2 },
	{ 12, RCS, 0x0a000001, "MI_DISPLAY_FLIP", 3 },
	{ 12, RCS, 0x0c000000, "MI_SET_CONTEXT", 2 },
	{ 12, RCS, 0x0d000003, "MI_MATH", 5 },
	{ 12, RCS, 0x0d800000, "MI_SEMAPHORE_SIGNAL", 2 },
	{ 12, RCS, 0x0e000003, "MI_SEMAPHORE_WAIT", 5 },
	{ 9, RCS, 0x0e000002, "MI_SEMAPHORE_WAIT", 4 },
	{ 12, VCS, 0x0e800000, "MI_FORCE_WAKEUP", 2 },
	{ 12, RCS, 0x10000002, "MI_STORE_DATA_IMM", 4 },
	{ 12, RCS, 0x10200003, "MI_STORE_DATA_IMM", 5 },
	{ 12, RCS, 0x10800001, "MI_STORE_DATA_INDEX", 3 },
	{ 12, RCS, 0x11000001, "MI_LOAD_REGISTER_IMM", 3 },
	{ 12, RCS, 0x1100101b, "MI_LOAD_REGISTER_IMM", 29 },
	{ 12, RCS, 0x11800002, "MI_UPDATE_GTT", 4 },
	{ 12, RCS, 0x12000002, "MI_STORE_REGISTER_MEM", 4 },
	{ 12, BCS, 0x13000003, "MI_FLUSH_DW", 5 },
	{ 12, VCS, 0x13000003, "MI_FLUSH_DW", 5 },
	{ 12, VECS, 0x13000003, "MI_FLUSH_DW", 5 },
	{ 12, RCS, 0x14000002, "MI_REPORT_PERF_COUNT", 4 },
	{ 12, RCS, 0x14800002, "MI_LOAD_REGISTER_MEM", 4 },
	{ 12, RCS, 0x15000001, "MI_LOAD_REGISTER_REG", 3 },
	{ 12, RCS, 0x17000003, "MI_COPY_MEM_MEM", 5 },
	{ 12, BCS, 0x17000003, "MI_COPY_MEM_MEM", 5 },
	{ 12, RCS, 0x17800001, "MI_ATOMIC", 3 },
	{ 12, RCS, 0x17840009, "MI_ATOMIC", 11 },
	{ 12, RCS, 0x18800001, "MI_BATCH_BUFFER_START", 3 },
	{ 12, RCS, 0x1b000002, "MI_CONDITIONAL_BATCH_BUFFER_END", 4 },
	{ 9, RCS, 0x18800001, "MI_BATCH_BUFFER_START", 3 },
	{ 7, RCS, 0x18800000, "MI_BATCH_BUFFER_START", 2 },
	{ 6, RCS, 0x18800000, "MI_BATCH_BUFFER_START", 2 },
	{ 9, BCS, 0x13000003, "MI_FLUSH_DW", 5 },
	{ 9, VCS, 0x13000003, "MI_FLUSH_DW", 5 },
	{ 9, VECS, 0x13000003, "MI_FLUSH_DW", 5 },
	{ 7, BCS, 0x13000002, "MI_FLUSH_DW", 4 },
	{ 6, VCS, 0x13000002, "MI_FLUSH_DW", 4 },
	{ 7, RCS, 0x02000000, "MI_FLUSH", 1 },
	{ 6, RCS, 0x0b000001, "MI_SEMAPHORE_MBOX", 3 },
	{ 7, RCS, 0x11000001, "MI_LOAD_REGISTER_IMM", 3 },
	{ 7, RCS, 0x12000001, "MI_STORE_REGISTER_MEM", 3 },
	/* 3D and media, common. */
	{ 12, RCS, 0x7a000004, "PIPE_CONTROL", 6 },
	{ 9, RCS, 0x7a000004, "PIPE_CONTROL", 6 },
	{ 7, RCS, 0x7a000003, "PIPE_CONTROL", 5 },
	{ 6, RCS, 0x7a000003, "PIPE_CONTROL", 5 },
	{ 12, RCS, 0x69040302, "PIPELINE_SELECT", 1 },
	{ 9, RCS, 0x69040300, "PIPELINE_SELECT", 1 },
	{ 12, RCS, 0x61010014, "STATE_BASE_ADDRESS", 22 },
	{ 9, RCS, 0x61010011, "STATE_BASE_ADDRESS", 19 },
	{ 12, RCS, 0x61020001, "STATE_SIP", 3 },
	{ 12, RCS, 0x61050000, "STATE_COMPUTE_MODE", 2 },
	{ 12, RCS, 0x61040001, "GPGPU_CSR_BASE_ADDRESS", 3 },
	{ 12, RCS, 0x7d800005, "L3_CONTROL", 7 },
	/* Media of Gen6 and Gen7: SNB Vol 2 Part 2, 1.7; IVB Vol 2 Part 2, 1.8. */
	{ 6, RCS, 0x70000006, "MEDIA_VFE_STATE", 8 },
	{ 7, RCS, 0x70000006, "MEDIA_VFE_STATE", 8 },
	{ 6, RCS, 0x70010002, "MEDIA_CURBE_LOAD", 4 },
	{ 7, RCS, 0x70010002, "MEDIA_CURBE_LOAD", 4 },
	{ 6, RCS, 0x70020002, "MEDIA_INTERFACE_DESCRIPTOR_LOAD", 4 },
	{ 7, RCS, 0x70020002, "MEDIA_INTERFACE_DESCRIPTOR_LOAD", 4 },
	{ 6, RCS, 0x70030000, "MEDIA_GATEWAY_STATE", 2 },
	{ 6, RCS, 0x70040000, "MEDIA_STATE_FLUSH", 2 },
	{ 7, RCS, 0x70040000, "MEDIA_STATE_FLUSH", 2 },
	{ 6, RCS, 0x71000004, "MEDIA_OBJECT", 6 },
	{ 7, RCS, 0x71000014, "MEDIA_OBJECT", 22 },
	{ 6, RCS, 0x7102000e, "MEDIA_OBJECT_PRT", 16 },
	{ 7, RCS, 0x7102000e, "MEDIA_OBJECT_PRT", 16 },
	{ 6, RCS, 0x7103000f, "MEDIA_OBJECT_WALKER", 17 },
	{ 7, RCS, 0x71030013, "MEDIA_OBJECT_WALKER", 21 },
	{ 7, RCS, 0x71040006, "GPGPU_OBJECT", 8 },
	{ 7, RCS, 0x71050009, "GPGPU_WALKER", 11 },
	/* Predicated and indirect: bits 7:0 alone are the length, eleven dwords pass (1.8.10). */
	{ 7, RCS, 0x71050509, "GPGPU_WALKER", 11 },
	/* Blitter: opcode in 28:22. */
	{ 12, BCS, 0x40400008, "XY_SETUP_BLT", 10 },
	{ 12, BCS, 0x49000000, "XY_PIXEL_BLT", 2 },
	{ 12, BCS, 0x49400001, "XY_SCANLINES_BLT", 3 },
	{ 12, BCS, 0x49800003, "XY_TEXT_BLT", 5 },
	{ 12, BCS, 0x5040000a, "XY_BLOCK_COPY_BLT", 12 },
	{ 12, BCS, 0x50800008, "XY_FAST_COPY_BLT", 10 },
	{ 12, BCS, 0x51000009, "XY_FAST_COLOR_BLT", 11 },
	{ 12, BCS, 0x54000005, "XY_COLOR_BLT", 7 },
	{ 12, BCS, 0x54400006, "XY_PAT_BLT", 8 },
	{ 12, BCS, 0x54c00008, "XY_SRC_COPY_BLT", 10 },
	{ 12, BCS, 0x54800008, "XY_MONO_PAT_BLT", 10 },
	{ 12, BCS, 0x55000008, "XY_MONO_SRC_COPY_BLT", 10 },
	{ 12, BCS, 0x5540000a, "XY_FULL_BLT", 12 },
	{ 9, BCS, 0x54000005, "XY_COLOR_BLT", 7 },
	{ 9, BCS, 0x54c00008, "XY_SRC_COPY_BLT", 10 },
	{ 7, BCS, 0x54000004, "XY_COLOR_BLT", 6 },
	{ 7, BCS, 0x54c00006, "XY_SRC_COPY_BLT", 8 },
	{ 6, BCS, 0x54000004, "XY_COLOR_BLT", 6 },
	{ 6, BCS, 0x54c00006, "XY_SRC_COPY_BLT", 8 },
	/* AV1 decoding. */
	{ 12, VCS, 0x71800004, "AVP_PIPE_MODE_SELECT", 6 },
	{ 12, VCS, 0x71810003, "AVP_SURFACE_STATE", 5 },
	{ 12, VCS, 0x718200ba, "AVP_PIPE_BUF_ADDR_STATE", 188 },
	{ 12, VCS, 0x71830004, "AVP_IND_OBJ_BASE_ADDR_STATE", 6 },
	{ 12, VCS, 0x718a0001, "AVP_VD_CONTROL_STATE", 3 },
	{ 12, VCS, 0x7192000d, "AVP_INTER_PRED_STATE", 15 },
	{ 12, VCS, 0x71950004, "AVP_TILE_CODING", 6 },
	{ 12, VCS, 0x71a00001, "AVP_BSD_OBJECT", 3 },
	{ 12, VCS, 0x71b00031, "AVP_PIC_STATE", 51 },
	{ 12, VCS, 0x71b20002, "AVP_SEGMENT_STATE", 4 },
	{ 12, VCS, 0x71b3000d, "AVP_INLOOP_FILTER_STATE", 15 },
	{ 12, VCS, 0x77800000, "VD_PIPELINE_FLUSH", 2 },
	{ 12, VCS, 0x68000000, "MFX_WAIT", 1 },
};

static void test_known(void)
{
	static struct igen_decoder d;
	char text[80];
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct known *k = &known[i];
		const struct igen_cmd *cmd;

		igen_decoder_init(&d, igen_set_by_gen(k->gen), k->engine);
		cmd = igen_lookup(&d, k->header);
		snprintf(text, sizeof(text), "gen%u %s %08x %s: %s", k->gen,
			 igen_engine_name(k->engine), k->header, k->name,
			 cmd ? cmd->name : "nothing");
		check(cmd && !strcmp(cmd->name, k->name), "header", text);
		if (!cmd)
			continue;
		snprintf(text, sizeof(text), "gen%u %s: %u", k->gen, k->name,
			 igen_cmd_dwords(cmd, k->header));
		check(igen_cmd_dwords(cmd, k->header) == k->dwords && cmd->min <= k->dwords &&
		      (!cmd->max || cmd->max >= k->dwords),
		      "length", text);
	}
}

/* What a walk did, as a word of letters. */
struct trace {
	char text[128];
	size_t n;
	bool unprivileged;
};

static bool visit(struct igen_walk *w, enum igen_walk_event event, const struct igen_inst *inst,
		  __u64 address)
{
	static const char letters[] = ".>~<?^%|";
	struct trace *t = w->data;

	(void)address;
	(void)inst;
	t->unprivileged = w->unprivileged;
	if (t->n < sizeof(t->text) - 1)
		t->text[t->n++] = letters[event];
	return true;
}

static void walk(const char *what, const char *want, const struct igen_memory *m, bool ring,
		 bool unprivileged)
{
	static struct igen_decoder d;
	struct trace t = { .n = 0 };
	struct igen_walk w = { .d = &d, .memory = m, .level = !ring, .visit = visit, .data = &t };

	igen_decoder_init(&d, &igen_cmds_gen9, IGEN_CMD_RENDER);
	igen_walk(&w, m->buffers[0].dw, m->buffers[0].n, m->buffers[0].address);
	check(!strcmp(t.text, want), what, t.text);
	check(t.unprivileged == unprivileged, what, "address space");
}

#define NOOP   0x00000000
#define END    0x05000000
#define START  0x18800001 /* in the global GTT */
#define PPGTT  (1 << 8)
#define SECOND (1 << 22)

static void test_walk(void)
{
	static const __u32 ring[] = { NOOP, START | PPGTT, 0x2000, 0, NOOP };
	static const __u32 first[] = {
		NOOP, START | SECOND, 0x3000, 0, START, 0x4000, 0xffff, NOOP
	};
	static const __u32 second[] = { NOOP, END, NOOP };
	static const __u32 chained[] = { END };
	static const __u32 loop[] = { START, 0x1000, 0 };
	static const __u32 nested[] = { START | SECOND, 0x1000, 0, END };
	static const __u32 cut[] = { NOOP, START, 0x2000 };
	struct igen_buffer all[] = {
		{ 0x1000, ring, 5 },
		{ 0x2000, first, 8 },
		{ 0x3000, second, 3 },
		{ 0xffff00004000, chained, 1 },
	};
	struct igen_buffer one = { 0x1000, loop, 3 };
	struct igen_memory m = { all, 4 }, single = { &one, 1 };
	size_t n;

	/*
	 * The global GTT that the batch asks for is not given to it; the chain's address has its
	 * sign extended.
	 */
	all[3].address = 0xffffffff00004000ull;
	walk("walk from ring", "..>..>..<.~.<.|", &m, true, false);
	m.nbuffers = 1;
	walk("batch in no buffer", "..?.|", &m, true, false);
	one = (struct igen_buffer){ 0x1000, nested, 4 };
	walk("batches too deep", ".>.>.>.>.^.<.<.<.<.", &single, false, false);
	one = (struct igen_buffer){ 0x1000, cut, 3 };
	walk("cut-off start", "..|", &single, false, false);
	check(!igen_memory_at(&single, 0x1002, &n), "memory", "misaligned");
	check(igen_memory_at(&single, 0x1008, &n) == cut + 2 && n == 1, "memory", "inside");
	check(!igen_memory_at(&single, 0x100c, &n), "memory", "behind");
	check(!igen_memory_at(&single, 0xffc, &n), "memory", "before");
}

static bool count_visit(struct igen_walk *w, enum igen_walk_event event,
			const struct igen_inst *inst, __u64 address)
{
	unsigned long *counts = w->data;

	(void)inst;
	(void)address;
	counts[event]++;
	return true;
}

static void test_loop(void)
{
	static const __u32 loop[] = { START, 0x1000, 0 };
	static struct igen_decoder d;
	struct igen_buffer one = { 0x1000, loop, 3 };
	struct igen_memory m = { &one, 1 };
	unsigned long counts[IGEN_WALK_END + 1] = { 0 };
	struct igen_walk w = {
		.d = &d, .memory = &m, .level = 1, .visit = count_visit, .data = counts
	};

	igen_decoder_init(&d, &igen_cmds_gen9, IGEN_CMD_RENDER);
	igen_walk(&w, loop, 3, 0x1000);
	check(counts[IGEN_WALK_TOO_MANY] == 1 && counts[IGEN_WALK_CHAIN] == IGEN_WALK_JUMPS, "loop",
	      "is not bounded");
}

static void test_step(void)
{
	static const struct {
		__u32 header;
		unsigned int dwords;
	} unknown[] = {
		{ 0x02000000, 1 },     { 0x0f800005, 7 }, { 0x5f400003, 5 }, { 0x7fff0002, 4 },
		{ 0x77ff0101, 0x103 }, { 0x20000000, 1 }, { 0xffffffff, 1 },
	};
	static const __u32 pipe_control[] = { 0x7a000004, 0, 0 };
	static struct igen_decoder d;
	struct igen_inst inst;
	size_t i;

	igen_decoder_init(&d, &igen_cmds_gen9, IGEN_CMD_RENDER);
	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		check(!igen_lookup(&d, unknown[i].header) &&
		      igen_unknown_dwords(unknown[i].header) == unknown[i].dwords,
		      "unknown header", "length");
	check(igen_step(&d, pipe_control, 3, &inst) == 3 && inst.have == 3 && inst.length == 6,
	      "cut off", "length");
	check(!igen_field_present(igen_find_field(inst.cmd, "Immediate Data"), 0, inst.have),
	      "cut off", "field is there");
	check(igen_engine_by_name("vecs1") == IGEN_CMD_VIDEOENHANCE &&
	      igen_engine_by_name("xcs") < 0 &&
		      igen_engine_by_name("RCS0") == IGEN_CMD_RENDER,
	      "engine", "name");
	check(igen_set_by_pci_id(0x5916) == &igen_cmds_gen9 &&
	      igen_set_by_pci_id(0x4905) == &igen_cmds_gen12 &&
		      igen_set_by_pci_id(0x0166) == &igen_cmds_gen7 &&
		      igen_set_by_pci_id(0x0126) == &igen_cmds_gen6 && !igen_set_by_pci_id(0x1234),
	      "platform", "PCI id");
}

static void test_hex(void)
{
	static const char good[] = "0x1000: 7a000004, 00100000 # stall\n\n0xdeadbeef\nz";
	unsigned int line;
	__u32 *dw;
	size_t n;

	check(igen_read_hex(good, sizeof(good) - 3, &dw, &n, &line) == 0 && n == 3 &&
	      dw[0] == 0x7a000004 && dw[1] == 0x100000 && dw[2] == 0xdeadbeef,
	      "hex", "words");
	free(dw);
	check(igen_read_hex(good, sizeof(good) - 1, &dw, &n, &line) == -EINVAL && line == 4, "hex",
	      "a letter is taken");
	check(igen_read_hex("123456789", 9, &dw, &n, &line) == -EINVAL, "hex",
	      "nine digits are taken");
	check(igen_read_hex("12g", 3, &dw, &n, &line) == -EINVAL, "hex", "a half word is taken");
	check(igen_guess_format((const unsigned char *)good, 20) == IGEN_FORMAT_HEX, "format",
	      "hex");
	check(igen_guess_format((const unsigned char *)"\x04\0\0\x7a", 4) == IGEN_FORMAT_RAW,
	      "format", "raw");
	check(igen_guess_format((const unsigned char *)"rcs0 --- batch = 0x0 0", 22) ==
		      IGEN_FORMAT_ERROR,
	      "format", "error");
}

/* Inflates a zlib stream into at most limit bytes, which have to be the text. Tells the size of what came out. */
static int inflates(const unsigned char *stream, size_t size, size_t limit, const char *text, size_t *n)
{
	unsigned char *out = NULL;
	int ret;

	*n = 0;
	ret = igen_inflate_zlib(stream, size, limit, &out, n);
	if (!ret && (*n != strlen(text) || memcmp(out, text, *n)))
		ret = -ENOMSG;
	free(out);
	return ret;
}

static void test_inflate(void)
{
	/* "igen igen igen igen" of zlib level 9: one fixed block with a copy. */
	static const unsigned char fixed[] = { 0x78, 0xda, 0xcb, 0x4c, 0x4f, 0xcd, 0x53, 0xc8,
					       0x44, 0x21, 0x00, 0x45, 0x31, 0x06, 0xed };
	static const unsigned char stored[] = { 0x78, 0x01, 0x01, 0x03, 0x00, 0xfc, 0xff,
						'a',  'b',  'c',  0x02, 0x4d, 0x01, 0x27 };
	static const char text[] = "igen igen igen igen";
	unsigned char bad[sizeof(fixed)];
	size_t n, i;

	check(!inflates(fixed, sizeof(fixed), 100, text, &n), "inflate", "fixed block");
	check(inflates(fixed, sizeof(fixed), 10, text, &n) == -E2BIG && n == 10, "inflate", "limit");
	check(!inflates(stored, sizeof(stored), 100, "abc", &n), "inflate", "stored block");
	for (i = 0; i < sizeof(fixed); i++)
		check(inflates(fixed, i, 100, text, &n) == -EINVAL, "inflate",
		      "cut-off stream is taken");
	memcpy(bad, fixed, sizeof(bad));
	bad[1] ^= 1;
	check(inflates(bad, sizeof(bad), 100, text, &n) == -EINVAL, "inflate",
	      "bad header is taken");
	memcpy(bad, fixed, sizeof(bad));
	bad[sizeof(bad) - 1] ^= 1;
	check(inflates(bad, sizeof(bad), 100, text, &n) == -EINVAL && n == 19, "inflate",
	      "bad sum is taken");
}

int main(void)
{
	test_known();
	test_walk();
	test_loop();
	test_step();
	test_hex();
	test_inflate();
	printf("%lu passed, %lu failed, 0 skipped\n", passed, failed);
	return failed ? 1 : 0;
}
