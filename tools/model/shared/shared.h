/* SPDX-License-Identifier: MIT */
/**
 * DOC: Shared functions
 *
 * What a program of the execution units reaches by its send instructions: memory, through the data port's messages,
 * textures, through the sampler's, the barrier of its thread group, and the thread spawner, which ends it.
 * shared_message() is the function that the interpreter (eu/) calls for each send.
 *
 * struct shared is one for all threads of an engine. It has the view through which they access memory: an address is
 * always one of the context's address space, whatever a program, a surface or a base address says. What is not mapped
 * there is a page fault: a read gives 0, a write is dropped, and the registers of the engine tell of it.
 *
 * ============== ====================================================================================
 * memory.c       addresses: reads, writes and atomic operations, in memory and in shared local memory
 * surface.c      binding tables and surface states
 * format.c       what an element of a typed surface holds
 * element.c      writes of some or all of an element's channels
 * message.c      a send: which message it is, its payload and response
 * block.c        messages for blocks: OWords, scratch space, rows of a picture
 * scattered.c    messages with an address for each channel: bytes, dwords, qwords, untyped and typed
 * atomic.c       atomic operations
 * sampler.c      samples of textures, with lod.c and filter.c (sampler.h)
 * target.c       writes of pixels to render targets
 * gateway.c      barriers, messages to another thread, fences; what goes to the thread spawner
 * urb.c          the unified return buffer
 * ============== ====================================================================================
 */
#ifndef IGEN_MODEL_SHARED_H
#define IGEN_MODEL_SHARED_H

#include <string.h>

#include "eu/eu.h"
#include "mem/mem.h"

#define SLM_BYTES	65536u
#define SHARED_SURFACES	256		/* of a binding table */
#define SHARED_STATE_DWORDS	16		/* of a surface, at most */
#define PAYLOAD_BYTES	(32 * EU_GRF_BYTES)
#define URB_BYTES	0x40000u	/* of the unified return buffer */
#define URB_HANDLE_UNIT	64u		/* bytes that a handle counts in */

/* What programs and messages of a platform differ in. */
struct eu_platform {
	const struct isa_gen *isa;
	unsigned int features;		/* eu_core_new()'s */
	uint64_t address_mask;		/* of graphics addresses */
	uint8_t scratch_registers[4];	/* of a scratch block message, by its size's code */
	uint8_t upper_slots;		/* what a typed message calls the upper 8 of 16 slots */
	bool rows_between_slices;	/* surface states tell how many; else they follow from the size */
	bool barrier_counts;		/* a barrier's message can say how many threads it waits for */
	bool channel_selects;		/* surface states tell where a sample's channels come from */
	bool open_gateways;		/* those of media threads, whatever MEDIA_VFE_STATE says */
	bool keeps_registers;		/* a thread finds in them what the thread before it has left */
	uint8_t blend_header;		/* dwords of a blend state in front of its entries */
	uint8_t ld_lod;			/* which parameter of ld is the level of detail */
	/* The area for groups that are preempted inside; 0: there is none. */
	uint8_t area_subslices, area_eus, area_threads;
	/* A register, and its bit that makes a part of the L3 shared local memory; 0: it always is. */
	uint32_t slm_register, slm_enable;
	/* Bytes of shared local memory and of a thread's scratch space, by the codes of the commands. */
	uint32_t (*slm_bytes)(unsigned int code);
	uint32_t (*scratch_bytes)(unsigned int code);
};

extern const struct eu_platform eu_platform_gen7, eu_platform_gen9, eu_platform_gen9_lp;

enum surface_kind {
	SURFACE_NULL, SURFACE_BUFFER, SURFACE_STRUCTURED, SURFACE_1D, SURFACE_2D, SURFACE_3D, SURFACE_CUBE
};

/* A surface, at the level of detail that its state names. */
struct surface {
	enum surface_kind kind;
	uint16_t format;
	enum tiling tiling;
	uint64_t base;
	uint64_t size;			/* bytes of a buffer */
	uint32_t elements;		/* of a buffer, each of pitch bytes */
	uint32_t pitch;			/* bytes to the next row; of a buffer, to the next element */
	uint32_t width, height, depth;	/* elements of the level, and slices */
	uint32_t x, y;			/* elements from the start of a slice to the level */
	uint32_t slice, first_slice;	/* rows from a slice to the next, and the first of the view */
	uint32_t slice_width;		/* elements from a slice to the one beside it */
	uint8_t across;			/* log2 of slices beside each other */
	uint8_t stride, stride_offset;	/* log2 of rows to the next row of a field, and the field's first */
	uint8_t bytes;			/* of an element; 0: the format is not known */
	bool swizzled;			/* bit 6 of addresses */
	bool other_layout;		/* multisampled, or of tiles in which an element's place is not modelled */
};

#define TEXTURE_LEVELS	15u

enum channel_select { SELECT_ZERO, SELECT_ONE, SELECT_RED = 4, SELECT_GREEN, SELECT_BLUE, SELECT_ALPHA };

struct format;

/* A surface as the sampler has it. */
struct texture {
	const char *error;		/* why it cannot be sampled */
	const struct format *format;	/* NULL: the sampler does not have it */
	unsigned int levels;
	bool array;
	uint8_t samples;		/* of a pixel */
	uint8_t palette;		/* of the samples' positions */
	uint32_t base_level;		/* U4.1 */
	uint8_t select[4];		/* enum channel_select, of red to alpha */
	struct surface level[TEXTURE_LEVELS];
};

/* The bases that addresses of state and of messages count from (STATE_BASE_ADDRESS). */
struct shared_bases {
	uint64_t general, surface, dynamic, indirect, instruction, bindless;
};

struct send;

/* The unit that starts threads which are in no group of a walker (media/spawn.c). */
struct thread_spawner {
	/* A message to the thread spawner that is not the end of a thread alone. */
	enum eu_reply (*message)(void *unit, struct send *s);
	/* The thread whose sr0.0[15:0] that is; NULL: none has it. */
	struct eu_thread *(*find)(void *unit, uint32_t id);
};

struct shared {
	struct gpu *gpu;
	const struct engine_info *info;	/* of the engine, for page faults */
	const struct eu_platform *platform;
	unsigned int gen;		/* of the structures in memory */
	struct view view;
	struct vm_ref vm;
	struct shared_bases bases;
	const struct thread_spawner *spawner; /* NULL: the threads cannot start others */
	void *unit;			/* the spawner's */
	uint8_t *urb;			/* URB_BYTES; NULL: the threads have none */
	bool open_gateways;		/* each thread's is open from the start on */
	bool cached[SHARED_SURFACES];	/* surfaces of the binding table that are known */
	uint32_t binding_table;		/* which one */
	struct surface surface[SHARED_SURFACES];
	uint32_t state[SHARED_SURFACES][SHARED_STATE_DWORDS];	/* that the surface was decoded from */
	bool decoded[SHARED_SURFACES];
	struct surface target;		/* of the last render target write */
	uint32_t target_state[SHARED_STATE_DWORDS];
	bool target_decoded;
	bool texture_cached[SHARED_SURFACES];
	struct texture *texture[SHARED_SURFACES];
};

#define PIXEL_SUBSPANS	4u
#define PIXEL_TARGETS	8u

/* The pixels of a pixel shader's thread: subspans of 2 x 2, each from its upper left pixel on, row by row. */
struct pixel_group {
	uint16_t x[PIXEL_SUBSPANS], y[PIXEL_SUBSPANS];
	uint32_t lit;			/* the pixels that are drawn; the others of a subspan help the sampler */
	uint32_t slice;			/* of the render targets */
	uint8_t kept[PIXEL_TARGETS];	/* channels of each render target that keep what they have; bit 0: red */
	uint8_t blended;		/* render targets whose pixels are blended, which is not modelled */
};

/* Where other threads may write a thread's registers. */
struct gateway {
	bool open;
	uint8_t base, size;		/* registers */
};

/* Threads that have a barrier and shared local memory together. Of other threads each is a group of its own. */
struct thread_group {
	struct shared *shared;
	struct eu_thread *thread;	/* the first */
	unsigned int num_threads;
	uint32_t binding_table;		/* from the surface state base */
	uint32_t sampler_state;		/* from the dynamic state base */
	uint32_t slm_bytes;		/* 0: none */
	unsigned int barrier_threads;	/* that a barrier waits for; 0: there is none */
	unsigned int arrived;
	uint8_t *slm;			/* SLM_BYTES */
	const struct pixel_group *pixels; /* of a pixel shader's thread; else NULL */
	struct gateway gateway;		/* of a thread that is a group of its own; those of others are always open */
};

/**
 * struct lane_plan - what of a message with an address for each channel is always the same (scattered.c)
 * @n: channels; 0: this is no plan
 * @elements: which elements each has, a bit for each
 * @size: bytes of an element
 * @slot: bytes of its place in the registers
 * @bti: the surface's index
 * @write: the elements are written
 * @a64: addresses have 64 bits
 */
struct lane_plan {
	uint8_t n, elements, size, slot, bti;
	bool write, a64;
};

/* What is found once of a message whose descriptors are in the instruction. */
struct message_plan {
	enum eu_reply (*execute)(struct send *s);
	struct lane_plan lanes;
};

/* A send that is executed. */
struct send {
	struct eu_thread *thread;
	struct thread_group *group;
	struct shared *shared;
	const struct eu_message *msg;
	const struct isa_message *info;
	struct message_plan plan;
	unsigned int payload_bytes;
	const uint8_t *payload;		/* all its registers, the second part behind the first; no more is there */
};

/* shared.c */
void shared_init(struct shared *s, struct gpu *gpu, const struct engine_info *info, struct tlb *tlb, unsigned int gen,
		 const struct eu_platform *platform);
void shared_fini(struct shared *s);
/* Surface states may have changed. */
void shared_forget_surfaces(struct shared *s);
/* The interpreter's functions. */
extern const struct eu_ops shared_ops;

/* message.c */
enum eu_reply shared_message(struct eu_thread *thread, const struct eu_message *msg);
void shared_prepare(struct eu_message *msg);
uint32_t send_field(const struct send *s, enum isa_message_field id);

/* A dword of the payload; 0 behind its end. */
static inline uint32_t send_dword(const struct send *s, unsigned int byte)
{
	uint32_t v = 0;

	if (byte + sizeof(v) <= s->payload_bytes)
		memcpy(&v, s->payload + byte, sizeof(v));
	return v;
}

static inline uint64_t send_qword(const struct send *s, unsigned int byte)
{
	return send_dword(s, byte) | (uint64_t)send_dword(s, byte + 4) << 32;
}

/* Where the addresses begin: behind a header, if there is one. */
static inline unsigned int send_body(const struct send *s)
{
	return s->msg->header ? EU_GRF_BYTES : 0;
}

void send_respond(const struct send *s, unsigned int byte, const void *data, unsigned int len);
bool send_has_room(const struct send *s, unsigned int bytes);
enum eu_reply send_bad(const struct send *s, const char *why);
/* The payload has no more than so many bytes: it is too short for what the descriptor says. */
bool send_lacks(const struct send *s, unsigned int bytes);

/* memory.c: what an address is in. */
enum space_kind { SPACE_MEMORY, SPACE_SLM, SPACE_NOTHING };

struct space {
	enum space_kind kind;
	uint64_t base;			/* of offsets */
	uint64_t size;			/* bytes that there are; what does not lie within reads 0 and is not written */
};

void space_read(struct send *s, const struct space *space, uint64_t offset, void *to, unsigned int len);
void space_write(struct send *s, const struct space *space, uint64_t offset, const void *from, unsigned int len);
bool space_find(struct send *s, const struct space *space, const uint64_t *offset, uint32_t mask, unsigned int len,
		bool write, uint8_t **memory);
void space_ask(struct send *s, const struct space *space, const uint64_t *offset, uint32_t mask, unsigned int len);
uint8_t *space_find_near(struct send *s, const struct space *space, uint64_t offset, unsigned int len, bool write);
void space_release(struct send *s, const struct space *space);
/* Replaces size bytes, 4 or 8, at once, and gives what they were. */
typedef uint64_t (*atomic_fn)(uint64_t old, const void *operands);
uint64_t space_atomic(struct send *s, const struct space *space, uint64_t offset, unsigned int size, atomic_fn fn,
		      const void *operands);
bool shared_read(struct shared *s, uint64_t addr, void *to, unsigned int len);
bool shared_write(struct shared *s, uint64_t addr, const void *from, unsigned int len);

/* surface.c */
void surface_decode(const struct shared *s, const uint32_t *dw, struct surface *f);
const struct surface *surface_of(struct send *s, unsigned int bti);
const struct surface *surface_target(struct send *s, unsigned int bti);
void texture_decode(const struct shared *s, const uint32_t *dw, struct texture *t);
const struct texture *texture_of(struct send *s, unsigned int bti);
/* What a buffer's messages with this binding table index access; false with send_bad()'s reason. */
const char *surface_space(struct send *s, unsigned int bti, struct space *space);
/* The address of byte x of a row in a slice of a picture. */
uint64_t surface_address(const struct surface *f, uint32_t x, uint32_t y, uint32_t slice);
uint32_t surface_run(const struct surface *f, uint32_t x, uint32_t len);

/* format.c */
unsigned int format_bytes(unsigned int format);
/* Unpacks an element into four channels of 32 bits, and packs them. False: the format is not known. */
bool format_unpack(unsigned int format, const uint8_t *from, uint32_t to[4]);
bool format_pack(unsigned int format, const uint32_t from[4], uint8_t *to);
void format_bits(unsigned int format, unsigned int channels, uint8_t *to);
bool format_vertex(unsigned int format, const uint8_t *from, uint32_t to[4]);

/* Formats of the sampler. */
const struct format *format_sampled(unsigned int format);
void format_texel(const struct format *f, const uint8_t *from, uint32_t to[4]);
void format_border(const struct format *f, const uint32_t color[4], uint32_t to[4]);
bool format_is_integer(const struct format *f);
bool format_is_normalised(const struct format *f);
uint16_t format_half(uint32_t f);

/* element.c */
void element_write(struct send *s, const struct surface *f, uint64_t addr, const uint32_t channels[4],
		   unsigned int kept);

/* scattered.c: of messages with an address for each channel */
const struct surface *untyped_surface(struct send *s, unsigned int bti);
uint64_t untyped_offset(const struct send *s, const struct surface *f, unsigned int lanes, unsigned int i);
const char *typed_error(const struct surface *f);
unsigned int typed_addresses(const struct send *s, unsigned int data);
uint64_t typed_address(const struct send *s, const struct surface *f, unsigned int addresses, unsigned int lane);
uint32_t typed_enabled(const struct send *s, bool high);

/* The messages' handlers: block.c, scattered.c, atomic.c, sampler.c, target.c, gateway.c, urb.c */
enum eu_reply message_oword_block(struct send *s);
enum eu_reply message_a64_block(struct send *s);
enum eu_reply message_scratch(struct send *s);
enum eu_reply message_media_block(struct send *s);
enum eu_reply message_dword_scattered(struct send *s);
enum eu_reply message_byte_scattered(struct send *s);
struct lane_plan byte_scattered_plan(const struct eu_message *msg);
enum eu_reply message_a64_scattered(struct send *s);
enum eu_reply message_untyped(struct send *s);
struct lane_plan untyped_plan(const struct eu_message *msg);
enum eu_reply message_typed(struct send *s);
enum eu_reply message_untyped_atomic(struct send *s);
enum eu_reply message_a64_atomic(struct send *s);
enum eu_reply message_typed_atomic(struct send *s);
enum eu_reply message_sample(struct send *s);
enum eu_reply message_ld(struct send *s);
enum eu_reply message_ld_mcs(struct send *s);
enum eu_reply message_resinfo(struct send *s);
enum eu_reply message_sampleinfo(struct send *s);
enum eu_reply message_render_target_write(struct send *s);
enum eu_reply message_barrier(struct send *s);
enum eu_reply message_fence(struct send *s);
enum eu_reply message_open_gateway(struct send *s);
enum eu_reply message_close_gateway(struct send *s);
enum eu_reply message_forward(struct send *s);
enum eu_reply message_end_thread(struct send *s);
enum eu_reply message_spawn_thread(struct send *s);
enum eu_reply message_urb_write(struct send *s);
enum eu_reply message_urb_read(struct send *s);
enum eu_reply message_urb_atomic(struct send *s);
enum eu_reply message_urb_write_simd8(struct send *s);
enum eu_reply message_urb_read_simd8(struct send *s);

#endif
