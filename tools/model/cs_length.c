// SPDX-License-Identifier: MIT
/*
 * DOC: What a command is called and how long it is
 *
 * A command streamer parses a stream of commands whose first dword says what it is and how long.
 * Bits 31:29 are the type. MI commands are told by bits 28:23, blitter commands by 28:22, all
 * others by the high half. The number of dwords is the command's length field plus a bias, or it is
 * fixed (DG1 Vol 2a, "DWord Length" of each command; public Gen9 PRM Vol 2a). The field's width
 * differs by family, and by command for some.
 *
 * The same opcode means different commands on different engines (7001h is MEDIA_CURBE_LOAD on the
 * render engine and MFX_SURFACE_STATE on a video engine), so a table belongs to a class. A row is
 * what exists on Gen9: MI rows after DG1 Vol 2a less its later additions; render and video rows
 * after the Gen9 command list that Mesa publishes (genxml, read for opcodes and field widths), with
 * MEDIA_POOL_STATE from BXT Vol 6 and 3DSTATE_DX9_* from i915's command parser; the blitter's after
 * DG1 Vol 2a, COLOR_BLT and SRC_COPY_BLT from i915's command parser; VEB_DI_IECP from the public
 * Gen9 PRM.
 *
 * The length in the stream is believed, as the hardware does; whether it is the one that the manual
 * demands is not checked here.
 */
#include <stdlib.h>

#include "../../include/igen/cmd/blt.h"
#include "../../include/igen/cmd/mi.h"
#include "model.h"

#define RCS		IGEN_BIT(ENGINE_RENDER)
#define BCS		IGEN_BIT(ENGINE_COPY)
#define VCS		IGEN_BIT(ENGINE_VIDEO)
#define VECS		IGEN_BIT(ENGINE_VIDEO_ENHANCE)
#define ALL		(RCS | BCS | VCS | VECS)

struct command {
	uint16_t key;			/* opcode; for type 3 the high half of the header */
	uint8_t classes;		/* engines that know it */
	uint16_t length_mask;		/* 0: always one dword */
	const char *name;
};

/* Sorted by key. */
static const struct command mi_commands[] = {
	{ MI_OP_NOOP, ALL, 0, "MI_NOOP" },
	{ MI_OP_SET_PREDICATE, ALL, 0, "MI_SET_PREDICATE" },
	{ MI_OP_USER_INTERRUPT, ALL, 0, "MI_USER_INTERRUPT" },
	{ MI_OP_WAIT_FOR_EVENT, RCS | BCS, 0, "MI_WAIT_FOR_EVENT" },
	/* From before Gen6; stock i915's parser still lets it through to the blitter. */
	{ MI_OP_FLUSH, BCS, 0, "MI_FLUSH" },
	{ MI_OP_ARB_CHECK, ALL, 0, "MI_ARB_CHECK" },
	{ MI_OP_RS_CONTROL, RCS, 0, "MI_RS_CONTROL" },
	{ MI_OP_REPORT_HEAD, ALL, 0, "MI_REPORT_HEAD" },
	{ MI_OP_ARB_ON_OFF, ALL, 0, "MI_ARB_ON_OFF" },
	{ MI_OP_URB_ATOMIC_ALLOC, RCS, 0, "MI_URB_ATOMIC_ALLOC" },
	{ MI_OP_BATCH_BUFFER_END, ALL, 0, "MI_BATCH_BUFFER_END" },
	{ MI_OP_SUSPEND_FLUSH, ALL, 0, "MI_SUSPEND_FLUSH" },
	{ MI_OP_PREDICATE, RCS, 0, "MI_PREDICATE" },
	{ MI_OP_TOPOLOGY_FILTER, RCS, 0, "MI_TOPOLOGY_FILTER" },
	{ MI_OP_SET_APPID, ALL, 0, "MI_SET_APPID" },
	{ MI_OP_RS_CONTEXT, RCS, 0, "MI_RS_CONTEXT" },
	{ MI_OP_LOAD_SCAN_LINES_INCL, RCS | BCS, 0x3f, "MI_LOAD_SCAN_LINES_INCL" },
	{ MI_OP_LOAD_SCAN_LINES_EXCL, RCS | BCS, 0x3f, "MI_LOAD_SCAN_LINES_EXCL" },
	{ MI_OP_DISPLAY_FLIP, RCS | BCS, 0xff, "MI_DISPLAY_FLIP" },
	{ MI_OP_SET_CONTEXT, RCS, 0xff, "MI_SET_CONTEXT" },
	{ MI_OP_MATH, ALL, 0xff, "MI_MATH" },
	{ MI_OP_SEMAPHORE_SIGNAL, ALL, 0xff, "MI_SEMAPHORE_SIGNAL" },
	{ MI_OP_SEMAPHORE_WAIT, ALL, 0xff, "MI_SEMAPHORE_WAIT" },
	{ MI_OP_FORCE_WAKEUP, ALL, 0xff, "MI_FORCE_WAKEUP" },
	{ MI_OP_STORE_DATA_IMM, ALL, 0x3ff, "MI_STORE_DATA_IMM" },
	{ MI_OP_STORE_DATA_INDEX, ALL, 0xff, "MI_STORE_DATA_INDEX" },
	{ MI_OP_LOAD_REGISTER_IMM, ALL, 0xff, "MI_LOAD_REGISTER_IMM" },
	{ MI_OP_UPDATE_GTT, ALL, 0x3ff, "MI_UPDATE_GTT" },
	{ MI_OP_STORE_REGISTER_MEM, ALL, 0xff, "MI_STORE_REGISTER_MEM" },
	/* The field's width: 6 bits, DG1 Vol 2a, MI_FLUSH_DW. */
	{ MI_OP_FLUSH_DW, BCS | VCS | VECS, 0x3f, "MI_FLUSH_DW" },
	{ MI_OP_CLFLUSH, RCS, 0x3ff, "MI_CLFLUSH" },
	{ MI_OP_REPORT_PERF_COUNT, RCS, 0x3f, "MI_REPORT_PERF_COUNT" },
	{ MI_OP_LOAD_REGISTER_MEM, ALL, 0xff, "MI_LOAD_REGISTER_MEM" },
	{ MI_OP_LOAD_REGISTER_REG, ALL, 0xff, "MI_LOAD_REGISTER_REG" },
	{ MI_OP_RS_STORE_DATA_IMM, RCS, 0xff, "MI_RS_STORE_DATA_IMM" },
	{ MI_OP_LOAD_URB_MEM, RCS, 0xff, "MI_LOAD_URB_MEM" },
	{ MI_OP_STORE_URB_MEM, RCS, 0xff, "MI_STORE_URB_MEM" },
	{ MI_OP_COPY_MEM_MEM, ALL, 0xff, "MI_COPY_MEM_MEM" },
	{ MI_OP_ATOMIC, ALL, 0xff, "MI_ATOMIC" },
	{ MI_OP_BATCH_BUFFER_START, ALL, 0xff, "MI_BATCH_BUFFER_START" },
	{ MI_OP_CONDITIONAL_BB_END, ALL, 0xff, "MI_CONDITIONAL_BATCH_BUFFER_END" },
};

static const struct command blt_commands[] = {
	{ BLT_OP_XY_SETUP, BCS, 0xff, "XY_SETUP_BLT" },
	{ BLT_OP_XY_SETUP_CLIP, BCS, 0xff, "XY_SETUP_CLIP_BLT" },
	{ BLT_OP_XY_SETUP_MONO_PATTERN, BCS, 0xff, "XY_SETUP_MONO_PATTERN_SL_BLT" },
	{ BLT_OP_XY_PIXEL, BCS, 0xff, "XY_PIXEL_BLT" },
	{ BLT_OP_XY_SCANLINES, BCS, 0xff, "XY_SCANLINES_BLT" },
	{ BLT_OP_XY_TEXT, BCS, 0xff, "XY_TEXT_BLT" },
	{ BLT_OP_XY_TEXT_IMMEDIATE, BCS, 0xff, "XY_TEXT_IMMEDIATE_BLT" },
	{ BLT_OP_COLOR, BCS, 0xff, "COLOR_BLT" },
	{ BLT_OP_XY_FAST_COPY, BCS, 0xff, "XY_FAST_COPY_BLT" },
	{ BLT_OP_SRC_COPY, BCS, 0xff, "SRC_COPY_BLT" },
	{ BLT_OP_XY_COLOR, BCS, 0xff, "XY_COLOR_BLT" },
	{ BLT_OP_XY_PAT, BCS, 0xff, "XY_PAT_BLT" },
	{ BLT_OP_XY_MONO_PAT, BCS, 0xff, "XY_MONO_PAT_BLT" },
	{ BLT_OP_XY_SRC_COPY, BCS, 0xff, "XY_SRC_COPY_BLT" },
	{ BLT_OP_XY_MONO_SRC_COPY, BCS, 0xff, "XY_MONO_SRC_COPY_BLT" },
	{ BLT_OP_XY_FULL, BCS, 0xff, "XY_FULL_BLT" },
	{ BLT_OP_XY_FULL_MONO_SRC, BCS, 0xff, "XY_FULL_MONO_SRC_BLT" },
	{ BLT_OP_XY_FULL_MONO_PATTERN, BCS, 0xff, "XY_FULL_MONO_PATTERN_BLT" },
	{ BLT_OP_XY_FULL_MONO_BOTH, BCS, 0xff, "XY_FULL_MONO_PATTERN_MONO_SRC_BLT" },
	{ BLT_OP_XY_MONO_PAT_FIXED, BCS, 0xff, "XY_MONO_PAT_FIXED_BLT" },
	{ BLT_OP_XY_MONO_SRC_COPY_IMM, BCS, 0xff, "XY_MONO_SRC_COPY_IMMEDIATE_BLT" },
	{ BLT_OP_XY_PAT_IMM, BCS, 0xff, "XY_PAT_BLT_IMMEDIATE" },
	{ BLT_OP_XY_SRC_COPY_CHROMA, BCS, 0xff, "XY_SRC_COPY_CHROMA_BLT" },
	{ BLT_OP_XY_FULL_IMM_PATTERN, BCS, 0xff, "XY_FULL_IMMEDIATE_PATTERN_BLT" },
	{ BLT_OP_XY_FULL_MONO_SRC_IMM_PAT, BCS, 0xff, "XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT" },
	{ BLT_OP_XY_PAT_CHROMA, BCS, 0xff, "XY_PAT_CHROMA_BLT" },
	{ BLT_OP_XY_PAT_CHROMA_IMM, BCS, 0xff, "XY_PAT_CHROMA_BLT_IMMEDIATE" },
};

/* The render engine's: common state, media and GPGPU, 3D. */
static const struct command render_commands[] = {
	{ 0x6003, RCS, 0xff, "STATE_PREFETCH" },
	{ 0x6101, RCS, 0xff, "STATE_BASE_ADDRESS" },
	{ 0x6102, RCS, 0xff, "STATE_SIP" },
	{ 0x6104, RCS, 0xff, "GPGPU_CSR_BASE_ADDRESS" },
	{ 0x680b, RCS, 0, "3DSTATE_VF_STATISTICS" },
	{ 0x6904, RCS, 0, "PIPELINE_SELECT" },
	{ 0x7000, RCS, 0xffff, "MEDIA_VFE_STATE" },
	{ 0x7001, RCS, 0xffff, "MEDIA_CURBE_LOAD" },
	{ 0x7002, RCS, 0xffff, "MEDIA_INTERFACE_DESCRIPTOR_LOAD" },
	{ 0x7004, RCS, 0xffff, "MEDIA_STATE_FLUSH" },
	{ 0x7005, RCS, 0xffff, "MEDIA_POOL_STATE" },
	{ 0x7100, RCS, 0xffff, "MEDIA_OBJECT" },
	{ 0x7102, RCS, 0xffff, "MEDIA_OBJECT_PRT" },
	{ 0x7103, RCS, 0xffff, "MEDIA_OBJECT_WALKER" },
	{ 0x7105, RCS, 0xff, "GPGPU_WALKER" },
	{ 0x7106, RCS, 0xffff, "MEDIA_OBJECT_GRPID" },
	{ 0x7804, RCS, 0xff, "3DSTATE_CLEAR_PARAMS" },
	{ 0x7805, RCS, 0xff, "3DSTATE_DEPTH_BUFFER" },
	{ 0x7806, RCS, 0xff, "3DSTATE_STENCIL_BUFFER" },
	{ 0x7807, RCS, 0xff, "3DSTATE_HIER_DEPTH_BUFFER" },
	{ 0x7808, RCS, 0xff, "3DSTATE_VERTEX_BUFFERS" },
	{ 0x7809, RCS, 0xff, "3DSTATE_VERTEX_ELEMENTS" },
	{ 0x780a, RCS, 0xff, "3DSTATE_INDEX_BUFFER" },
	{ 0x780c, RCS, 0xff, "3DSTATE_VF" },
	{ 0x780d, RCS, 0xff, "3DSTATE_MULTISAMPLE" },
	{ 0x780e, RCS, 0xff, "3DSTATE_CC_STATE_POINTERS" },
	{ 0x780f, RCS, 0xff, "3DSTATE_SCISSOR_STATE_POINTERS" },
	{ 0x7810, RCS, 0xff, "3DSTATE_VS" },
	{ 0x7811, RCS, 0xff, "3DSTATE_GS" },
	{ 0x7812, RCS, 0xff, "3DSTATE_CLIP" },
	{ 0x7813, RCS, 0xff, "3DSTATE_SF" },
	{ 0x7814, RCS, 0xff, "3DSTATE_WM" },
	{ 0x7815, RCS, 0xff, "3DSTATE_CONSTANT_VS" },
	{ 0x7816, RCS, 0xff, "3DSTATE_CONSTANT_GS" },
	{ 0x7817, RCS, 0xff, "3DSTATE_CONSTANT_PS" },
	{ 0x7818, RCS, 0xff, "3DSTATE_SAMPLE_MASK" },
	{ 0x7819, RCS, 0xff, "3DSTATE_CONSTANT_HS" },
	{ 0x781a, RCS, 0xff, "3DSTATE_CONSTANT_DS" },
	{ 0x781b, RCS, 0xff, "3DSTATE_HS" },
	{ 0x781c, RCS, 0xff, "3DSTATE_TE" },
	{ 0x781d, RCS, 0xff, "3DSTATE_DS" },
	{ 0x781e, RCS, 0xff, "3DSTATE_STREAMOUT" },
	{ 0x781f, RCS, 0xff, "3DSTATE_SBE" },
	{ 0x7820, RCS, 0xff, "3DSTATE_PS" },
	{ 0x7821, RCS, 0xff, "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP" },
	{ 0x7823, RCS, 0xff, "3DSTATE_VIEWPORT_STATE_POINTERS_CC" },
	{ 0x7824, RCS, 0xff, "3DSTATE_BLEND_STATE_POINTERS" },
	{ 0x7826, RCS, 0xff, "3DSTATE_BINDING_TABLE_POINTERS_VS" },
	{ 0x7827, RCS, 0xff, "3DSTATE_BINDING_TABLE_POINTERS_HS" },
	{ 0x7828, RCS, 0xff, "3DSTATE_BINDING_TABLE_POINTERS_DS" },
	{ 0x7829, RCS, 0xff, "3DSTATE_BINDING_TABLE_POINTERS_GS" },
	{ 0x782a, RCS, 0xff, "3DSTATE_BINDING_TABLE_POINTERS_PS" },
	{ 0x782b, RCS, 0xff, "3DSTATE_SAMPLER_STATE_POINTERS_VS" },
	{ 0x782c, RCS, 0xff, "3DSTATE_SAMPLER_STATE_POINTERS_HS" },
	{ 0x782d, RCS, 0xff, "3DSTATE_SAMPLER_STATE_POINTERS_DS" },
	{ 0x782e, RCS, 0xff, "3DSTATE_SAMPLER_STATE_POINTERS_GS" },
	{ 0x782f, RCS, 0xff, "3DSTATE_SAMPLER_STATE_POINTERS_PS" },
	{ 0x7830, RCS, 0xff, "3DSTATE_URB_VS" },
	{ 0x7831, RCS, 0xff, "3DSTATE_URB_HS" },
	{ 0x7832, RCS, 0xff, "3DSTATE_URB_DS" },
	{ 0x7833, RCS, 0xff, "3DSTATE_URB_GS" },
	{ 0x7834, RCS, 0xff, "3DSTATE_GATHER_CONSTANT_VS" },
	{ 0x7835, RCS, 0xff, "3DSTATE_GATHER_CONSTANT_GS" },
	{ 0x7836, RCS, 0xff, "3DSTATE_GATHER_CONSTANT_HS" },
	{ 0x7837, RCS, 0xff, "3DSTATE_GATHER_CONSTANT_DS" },
	{ 0x7838, RCS, 0xff, "3DSTATE_GATHER_CONSTANT_PS" },
	{ 0x7839, RCS, 0xff, "3DSTATE_DX9_CONSTANTF_VS" },
	{ 0x783a, RCS, 0xff, "3DSTATE_DX9_CONSTANTF_PS" },
	{ 0x783b, RCS, 0xff, "3DSTATE_DX9_CONSTANTI_VS" },
	{ 0x783c, RCS, 0xff, "3DSTATE_DX9_CONSTANTI_PS" },
	{ 0x783d, RCS, 0xff, "3DSTATE_DX9_CONSTANTB_VS" },
	{ 0x783e, RCS, 0xff, "3DSTATE_DX9_CONSTANTB_PS" },
	{ 0x783f, RCS, 0xff, "3DSTATE_DX9_LOCAL_VALID_VS" },
	{ 0x7840, RCS, 0xff, "3DSTATE_DX9_LOCAL_VALID_PS" },
	{ 0x7841, RCS, 0xff, "3DSTATE_DX9_GENERATE_ACTIVE_VS" },
	{ 0x7842, RCS, 0xff, "3DSTATE_DX9_GENERATE_ACTIVE_PS" },
	{ 0x7843, RCS, 0x1ff, "3DSTATE_BINDING_TABLE_EDIT_VS" },
	{ 0x7844, RCS, 0x1ff, "3DSTATE_BINDING_TABLE_EDIT_GS" },
	{ 0x7845, RCS, 0x1ff, "3DSTATE_BINDING_TABLE_EDIT_HS" },
	{ 0x7846, RCS, 0x1ff, "3DSTATE_BINDING_TABLE_EDIT_DS" },
	{ 0x7847, RCS, 0x1ff, "3DSTATE_BINDING_TABLE_EDIT_PS" },
	{ 0x7849, RCS, 0xff, "3DSTATE_VF_INSTANCING" },
	{ 0x784a, RCS, 0xff, "3DSTATE_VF_SGVS" },
	{ 0x784b, RCS, 0xff, "3DSTATE_VF_TOPOLOGY" },
	{ 0x784c, RCS, 0xff, "3DSTATE_WM_CHROMAKEY" },
	{ 0x784d, RCS, 0xff, "3DSTATE_PS_BLEND" },
	{ 0x784e, RCS, 0xff, "3DSTATE_WM_DEPTH_STENCIL" },
	{ 0x784f, RCS, 0xff, "3DSTATE_PS_EXTRA" },
	{ 0x7850, RCS, 0xff, "3DSTATE_RASTER" },
	{ 0x7851, RCS, 0xff, "3DSTATE_SBE_SWIZ" },
	{ 0x7852, RCS, 0xff, "3DSTATE_WM_HZ_OP" },
	{ 0x7854, RCS, 0xff, "3DSTATE_RS_CONSTANT_POINTER" },
	{ 0x7855, RCS, 0xff, "3DSTATE_VF_COMPONENT_PACKING" },
	{ 0x7900, RCS, 0xff, "3DSTATE_DRAWING_RECTANGLE" },
	{ 0x7902, RCS, 0xff, "3DSTATE_SAMPLER_PALETTE_LOAD0" },
	{ 0x7904, RCS, 0xff, "3DSTATE_CHROMA_KEY" },
	{ 0x7906, RCS, 0xff, "3DSTATE_POLY_STIPPLE_OFFSET" },
	{ 0x7907, RCS, 0xff, "3DSTATE_POLY_STIPPLE_PATTERN" },
	{ 0x7908, RCS, 0xff, "3DSTATE_LINE_STIPPLE" },
	{ 0x790a, RCS, 0xff, "3DSTATE_AA_LINE_PARAMETERS" },
	{ 0x790c, RCS, 0xff, "3DSTATE_SAMPLER_PALETTE_LOAD1" },
	{ 0x7911, RCS, 0xff, "3DSTATE_MONOFILTER_SIZE" },
	{ 0x7912, RCS, 0xff, "3DSTATE_PUSH_CONSTANT_ALLOC_VS" },
	{ 0x7913, RCS, 0xff, "3DSTATE_PUSH_CONSTANT_ALLOC_HS" },
	{ 0x7914, RCS, 0xff, "3DSTATE_PUSH_CONSTANT_ALLOC_DS" },
	{ 0x7915, RCS, 0xff, "3DSTATE_PUSH_CONSTANT_ALLOC_GS" },
	{ 0x7916, RCS, 0xff, "3DSTATE_PUSH_CONSTANT_ALLOC_PS" },
	{ 0x7917, RCS, 0x1ff, "3DSTATE_SO_DECL_LIST" },
	{ 0x7918, RCS, 0xff, "3DSTATE_SO_BUFFER" },
	{ 0x7919, RCS, 0xff, "3DSTATE_BINDING_TABLE_POOL_ALLOC" },
	{ 0x791a, RCS, 0xff, "3DSTATE_GATHER_POOL_ALLOC" },
	{ 0x791b, RCS, 0xff, "3DSTATE_DX9_CONSTANT_BUFFER_POOL_ALLOC" },	/* IGT's gen8_render.h */
	{ 0x791c, RCS, 0xff, "3DSTATE_SAMPLE_PATTERN" },
	{ 0x791d, RCS, 0xff, "3DSTATE_URB_CLEAR" },
	{ 0x7a00, RCS, 0xff, "PIPE_CONTROL" },
	{ 0x7b00, RCS, 0xff, "3DPRIMITIVE" },
};

/*
 * The video engines: MFX, HCP, VDENC, HuC, scaler (SFC). MFX_WAIT has a length field, always 0,
 * with a bias of 1.
 */
static const struct command video_commands[] = {
	{ 0x6800, VCS, 0, "MFX_WAIT" },
	{ 0x7000, VCS, 0xfff, "MFX_PIPE_MODE_SELECT" },
	{ 0x7001, VCS, 0xfff, "MFX_SURFACE_STATE" },
	{ 0x7002, VCS, 0xfff, "MFX_PIPE_BUF_ADDR_STATE" },
	{ 0x7003, VCS, 0xfff, "MFX_IND_OBJ_BASE_ADDR_STATE" },
	{ 0x7004, VCS, 0xfff, "MFX_BSP_BUF_BASE_ADDR_STATE" },
	{ 0x7006, VCS, 0xfff, "MFX_STATE_POINTER" },
	{ 0x7007, VCS, 0xfff, "MFX_QM_STATE" },
	{ 0x7008, VCS, 0xfff, "MFX_FQM_STATE" },
	{ 0x7009, VCS, 0xfff, "MFX_DBK_OBJECT" },
	{ 0x7029, VCS, 0xfff, "MFD_IT_OBJECT" },
	{ 0x7048, VCS, 0xfff, "MFX_PAK_INSERT_OBJECT" },
	{ 0x704a, VCS, 0xfff, "MFX_STITCH_OBJECT" },
	{ 0x704b, VCS, 0xfff, "MFX_MPEG_TS_CONTROL" },
	{ 0x7080, VCS, 0xfff, "VDENC_PIPE_MODE_SELECT" },
	{ 0x7081, VCS, 0xfff, "VDENC_SRC_SURFACE_STATE" },
	{ 0x7082, VCS, 0xfff, "VDENC_REF_SURFACE_STATE" },
	{ 0x7083, VCS, 0xfff, "VDENC_DS_REF_SURFACE_STATE" },
	{ 0x7084, VCS, 0xfff, "VDENC_PIPE_BUF_ADDR_STATE" },
	{ 0x7085, VCS, 0xfff, "VDENC_IMG_STATE" },
	{ 0x7086, VCS, 0xfff, "VDENC_CONST_QPT_STATE" },
	{ 0x7087, VCS, 0xfff, "VDENC_WALKER_STATE" },
	{ 0x7100, VCS, 0xfff, "MFX_AVC_IMG_STATE" },
	{ 0x7102, VCS, 0xfff, "MFX_AVC_DIRECTMODE_STATE" },
	{ 0x7103, VCS, 0xfff, "MFX_AVC_SLICE_STATE" },
	{ 0x7104, VCS, 0xfff, "MFX_AVC_REF_IDX_STATE" },
	{ 0x7105, VCS, 0xfff, "MFX_AVC_WEIGHTOFFSET_STATE" },
	{ 0x7125, VCS, 0xfff, "MFD_AVC_PICID_STATE" },
	{ 0x7126, VCS, 0xfff, "MFD_AVC_DPB_STATE" },
	{ 0x7127, VCS, 0xfff, "MFD_AVC_SLICEADDR" },
	{ 0x7128, VCS, 0xfff, "MFD_AVC_BSD_OBJECT" },
	{ 0x7149, VCS, 0xfff, "MFC_AVC_PAK_OBJECT" },
	{ 0x7201, VCS, 0xfff, "MFX_VC1_PRED_PIPE_STATE" },
	{ 0x7202, VCS, 0xfff, "MFX_VC1_DIRECTMODE_STATE" },
	{ 0x7220, VCS, 0xfff, "MFD_VC1_SHORT_PIC_STATE" },
	{ 0x7221, VCS, 0xfff, "MFD_VC1_LONG_PIC_STATE" },
	{ 0x7228, VCS, 0xfff, "MFD_VC1_BSD_OBJECT" },
	{ 0x7300, VCS, 0xfff, "MFX_MPEG2_PIC_STATE" },
	{ 0x7328, VCS, 0xfff, "MFD_MPEG2_BSD_OBJECT" },
	{ 0x7343, VCS, 0xfff, "MFC_MPEG2_SLICEGROUP_STATE" },
	{ 0x7349, VCS, 0xfff, "MFC_MPEG2_PAK_OBJECT" },
	{ 0x7380, VCS, 0xfff, "HCP_PIPE_MODE_SELECT" },
	{ 0x7381, VCS, 0xfff, "HCP_SURFACE_STATE" },
	{ 0x7382, VCS, 0xfff, "HCP_PIPE_BUF_ADDR_STATE" },
	{ 0x7383, VCS, 0xfff, "HCP_IND_OBJ_BASE_ADDR_STATE" },
	{ 0x7384, VCS, 0xfff, "HCP_QM_STATE" },
	{ 0x7385, VCS, 0xfff, "HCP_FQM_STATE" },
	{ 0x7388, VCS, 0xfff, "HEVC_VP9_RDOQ_STATE" },
	{ 0x7390, VCS, 0xfff, "HCP_PIC_STATE" },
	{ 0x7391, VCS, 0xfff, "HCP_TILE_STATE" },
	{ 0x7392, VCS, 0xfff, "HCP_REF_IDX_STATE" },
	{ 0x7393, VCS, 0xfff, "HCP_WEIGHTOFFSET_STATE" },
	{ 0x7394, VCS, 0xfff, "HCP_SLICE_STATE" },
	{ 0x73a0, VCS, 0xfff, "HCP_BSD_OBJECT" },
	{ 0x73a1, VCS, 0xfff, "HCP_PAK_OBJECT" },
	{ 0x73a2, VCS, 0xfff, "HCP_PAK_INSERT_OBJECT" },
	{ 0x73b0, VCS, 0xfff, "HCP_VP9_PIC_STATE" },
	{ 0x73b2, VCS, 0xfff, "HCP_VP9_SEGMENT_STATE" },
	{ 0x7400, VCS, 0xfff, "MFX_VP8_PIC_STATE" },
	{ 0x7428, VCS, 0xfff, "MFD_VP8_BSD_OBJECT" },
	{ 0x7441, VCS, 0xfff, "MFX_VP8_ENCODER_CFG" },
	{ 0x7443, VCS, 0xfff, "MFX_VP8_BSP_BUF_BASE_ADDR_STATE" },
	{ 0x7449, VCS, 0xfff, "MFX_VP8_PAK_OBJECT" },
	{ 0x7500, VCS, 0xfff, "SFC_LOCK" },
	{ 0x7501, VCS, 0xfff, "SFC_STATE" },
	{ 0x7502, VCS, 0xfff, "SFC_AVS_STATE" },
	{ 0x7503, VCS, 0xfff, "SFC_IEF_STATE" },
	{ 0x7504, VCS, 0xfff, "SFC_FRAME_START" },
	{ 0x7505, VCS, 0xfff, "SFC_AVS_LUMA_COEFF_TABLE" },
	{ 0x7506, VCS, 0xfff, "SFC_AVS_CHROMA_COEFF_TABLE" },
	{ 0x7580, VCS, 0xfff, "HUC_PIPE_MODE_SELECT" },
	{ 0x7581, VCS, 0xfff, "HUC_IMEM_STATE" },
	{ 0x7582, VCS, 0xfff, "HUC_DMEM_STATE" },
	{ 0x7583, VCS, 0xfff, "HUC_CFG_STATE" },
	{ 0x7584, VCS, 0xfff, "HUC_VIRTUAL_ADDR_STATE" },
	{ 0x7585, VCS, 0xfff, "HUC_IND_OBJ_BASE_ADDR_STATE" },
	{ 0x75a0, VCS, 0xfff, "HUC_STREAM_OBJECT" },
	{ 0x75a1, VCS, 0xfff, "HUC_START" },
	{ 0x7700, VCS, 0xfff, "MFX_JPEG_PIC_STATE" },
	{ 0x7702, VCS, 0xfff, "MFX_JPEG_HUFF_TABLE_STATE" },
	{ 0x7728, VCS, 0xfff, "MFD_JPEG_BSD_OBJECT" },
	{ 0x7743, VCS, 0xfff, "MFC_JPEG_HUFF_TABLE_STATE" },
	{ 0x7749, VCS, 0xfff, "MFC_JPEG_SCAN_OBJECT" },
	{ 0x7780, VCS, 0xfff, "VD_PIPELINE_FLUSH" },
};

/* The video enhancement engine's own, and the scaler, which serves it as well (DG1 Vol 2a, SFC_*).
 */
static const struct command vebox_commands[] = {
	{ 0x7400, VECS, 0xfff, "VEBOX_SURFACE_STATE" },
	{ 0x7401, VECS, 0xfff, "VEBOX_TILING_CONVERT" },
	{ 0x7402, VECS, 0xfff, "VEBOX_STATE" },
	{ 0x7403, VECS, 0xfff, "VEB_DI_IECP" },
	{ 0x7500, VECS, 0xfff, "SFC_LOCK" },
	{ 0x7501, VECS, 0xfff, "SFC_STATE" },
	{ 0x7502, VECS, 0xfff, "SFC_AVS_STATE" },
	{ 0x7503, VECS, 0xfff, "SFC_IEF_STATE" },
	{ 0x7504, VECS, 0xfff, "SFC_FRAME_START" },
	{ 0x7505, VECS, 0xfff, "SFC_AVS_LUMA_COEFF_TABLE" },
	{ 0x7506, VECS, 0xfff, "SFC_AVS_CHROMA_COEFF_TABLE" },
};

static int compare(const void *key, const void *row)
{
	return (int)*(const uint32_t *)key - ((const struct command *)row)->key;
}

static const struct command *find(enum engine_class class, uint32_t header)
{
	const struct command *table, *row;
	uint32_t key;
	size_t n;

	switch (IGEN_GET(CMD_TYPE_MASK, header)) {
	case CMD_TYPE_MI:
		table = mi_commands;
		n = ARRAY_SIZE(mi_commands);
		key = IGEN_GET(MI_OPCODE_MASK, header);
		break;
	case CMD_TYPE_BLT:
		table = blt_commands;
		n = ARRAY_SIZE(blt_commands);
		key = BLT_OPCODE_GET(header);
		break;
	case CMD_TYPE_GFX:
		key = header >> 16;
		if (class == ENGINE_RENDER) {
			table = render_commands;
			n = ARRAY_SIZE(render_commands);
		} else if (class == ENGINE_VIDEO) {
			table = video_commands;
			n = ARRAY_SIZE(video_commands);
		} else {
			table = vebox_commands;
			n = ARRAY_SIZE(vebox_commands);
		}
		break;
	default:
		return NULL;
	}
	row = bsearch(&key, table, n, sizeof(*table), compare);
	return row && (row->classes & IGEN_BIT(class)) ? row : NULL;
}

/**
 * command_length - how many dwords a command has
 * @class: the engine that parses it
 * @header: its first dword
 *
 * Return: the total, the header included; 0 for a command that this engine does not know.
 */
unsigned int command_length(enum engine_class class, uint32_t header)
{
	const struct command *row = find(class, header);

	if (!row)
		return 0;
	return row->length_mask ? (header & row->length_mask) + 2 : 1;
}

/**
 * command_name - what the manual calls a command
 * @class: the engine that parses it
 * @header: its first dword
 *
 * Return: the name, or NULL for a command that this engine does not know.
 */
const char *command_name(enum engine_class class, uint32_t header)
{
	const struct command *row = find(class, header);

	return row ? row->name : NULL;
}
