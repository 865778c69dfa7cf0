// SPDX-License-Identifier: MIT
/**
 * DOC: Sends
 *
 * The target and the descriptor of a send say which message it is (isa_message(), from the instruction database). A
 * table has the handler of each message, whatever its target: Gen7's render cache and Gen9's data cache execute the
 * same media block write. A message without a handler, and a descriptor that the database does not know, stop the
 * thread: it has a fault with the message's name, and its group never ends.
 *
 * The payload's two parts are one behind the other in struct send. A payload that is shorter than the message needs is
 * a fault as well. The response is written no further than the descriptor's response length.
 */
#include <stdio.h>
#include <string.h>

#include "shared/shared.h"

static const struct {
	enum eu_reply (*execute)(struct send *s);
	struct lane_plan (*plan)(const struct eu_message *msg);
} handlers[ISA_MESSAGES] = {
	[ISA_MSG_OWORD_BLOCK_READ] = { message_oword_block },
	[ISA_MSG_OWORD_UNALIGNED_READ] = { message_oword_block },
	[ISA_MSG_SAMPLER_UNALIGNED_READ] = { message_oword_block },
	[ISA_MSG_OWORD_BLOCK_WRITE] = { message_oword_block },
	[ISA_MSG_A64_BLOCK_READ] = { message_a64_block },
	[ISA_MSG_A64_BLOCK_WRITE] = { message_a64_block },
	[ISA_MSG_SCRATCH_READ] = { message_scratch },
	[ISA_MSG_SCRATCH_WRITE] = { message_scratch },
	[ISA_MSG_MEDIA_BLOCK_READ] = { message_media_block },
	[ISA_MSG_MEDIA_BLOCK_WRITE] = { message_media_block },
	[ISA_MSG_DWORD_SCATTERED_READ] = { message_dword_scattered },
	[ISA_MSG_DWORD_SCATTERED_WRITE] = { message_dword_scattered },
	[ISA_MSG_BYTE_SCATTERED_READ] = { message_byte_scattered, byte_scattered_plan },
	[ISA_MSG_BYTE_SCATTERED_WRITE] = { message_byte_scattered, byte_scattered_plan },
	[ISA_MSG_A64_SCATTERED_READ] = { message_a64_scattered },
	[ISA_MSG_A64_SCATTERED_WRITE] = { message_a64_scattered },
	[ISA_MSG_UNTYPED_READ] = { message_untyped, untyped_plan },
	[ISA_MSG_UNTYPED_WRITE] = { message_untyped, untyped_plan },
	[ISA_MSG_A64_UNTYPED_READ] = { message_untyped, untyped_plan },
	[ISA_MSG_A64_UNTYPED_WRITE] = { message_untyped, untyped_plan },
	[ISA_MSG_TYPED_READ] = { message_typed },
	[ISA_MSG_TYPED_WRITE] = { message_typed },
	[ISA_MSG_UNTYPED_ATOMIC] = { message_untyped_atomic },
	[ISA_MSG_UNTYPED_ATOMIC_FLOAT] = { message_untyped_atomic },
	[ISA_MSG_A64_ATOMIC] = { message_a64_atomic },
	[ISA_MSG_A64_ATOMIC_FLOAT] = { message_a64_atomic },
	[ISA_MSG_TYPED_ATOMIC] = { message_typed_atomic },
	[ISA_MSG_SAMPLE] = { message_sample },
	[ISA_MSG_SAMPLE_B] = { message_sample },
	[ISA_MSG_SAMPLE_L] = { message_sample },
	[ISA_MSG_SAMPLE_LZ] = { message_sample },
	[ISA_MSG_SAMPLE_D] = { message_sample },
	[ISA_MSG_SAMPLE_C] = { message_sample },
	[ISA_MSG_SAMPLE_B_C] = { message_sample },
	[ISA_MSG_SAMPLE_L_C] = { message_sample },
	[ISA_MSG_SAMPLE_C_LZ] = { message_sample },
	[ISA_MSG_SAMPLE_D_C] = { message_sample },
	[ISA_MSG_GATHER4] = { message_sample },
	[ISA_MSG_GATHER4_C] = { message_sample },
	[ISA_MSG_GATHER4_PO] = { message_sample },
	[ISA_MSG_GATHER4_PO_C] = { message_sample },
	[ISA_MSG_LOD] = { message_sample },
	[ISA_MSG_LD] = { message_ld },
	[ISA_MSG_LD_LZ] = { message_ld },
	[ISA_MSG_LD2DSS] = { message_ld },
	[ISA_MSG_LD2DMS] = { message_ld },
	[ISA_MSG_LD2DMS_W] = { message_ld },
	[ISA_MSG_LD_MCS] = { message_ld_mcs },
	[ISA_MSG_RESINFO] = { message_resinfo },
	[ISA_MSG_SAMPLEINFO] = { message_sampleinfo },
	[ISA_MSG_RENDER_TARGET_WRITE] = { message_render_target_write },
	[ISA_MSG_BARRIER] = { message_barrier },
	[ISA_MSG_FENCE] = { message_fence },
	[ISA_MSG_OPEN_GATEWAY] = { message_open_gateway },
	[ISA_MSG_CLOSE_GATEWAY] = { message_close_gateway },
	[ISA_MSG_FORWARD] = { message_forward },
	[ISA_MSG_END_THREAD] = { message_end_thread },
	[ISA_MSG_SPAWN_THREAD] = { message_spawn_thread },
	[ISA_MSG_URB_WRITE_HWORD] = { message_urb_write },
	[ISA_MSG_URB_WRITE_OWORD] = { message_urb_write },
	[ISA_MSG_URB_READ_HWORD] = { message_urb_read },
	[ISA_MSG_URB_READ_OWORD] = { message_urb_read },
	[ISA_MSG_URB_ATOMIC_MOV] = { message_urb_atomic },
	[ISA_MSG_URB_ATOMIC_INC] = { message_urb_atomic },
	[ISA_MSG_URB_ATOMIC_ADD] = { message_urb_atomic },
	[ISA_MSG_URB_WRITE_SIMD8] = { message_urb_write_simd8 },
	[ISA_MSG_URB_READ_SIMD8] = { message_urb_read_simd8 },
};

/* Why a message of this id cannot be executed. The text lives as long as the program. */
static const char *not_modelled(const struct isa_message *info)
{
	static const char *texts[ISA_MESSAGES];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const char *text;
	char *made = NULL;

	pthread_mutex_lock(&lock);
	if (!texts[info->id] && asprintf(&made, "the message %s, which is not modelled", info->name) > 0)
		texts[info->id] = made;
	text = texts[info->id];
	pthread_mutex_unlock(&lock);
	return text ? text : "a message that is not modelled";
}

/* A register is copied by itself: compilers make moves of that. */
static void append(uint8_t *to, const struct eu_message *msg, unsigned int part)
{
	for (unsigned int i = 0; i < msg->length[part]; i++)
		memcpy(to + i * EU_GRF_BYTES, msg->payload[part] + i * EU_GRF_BYTES, EU_GRF_BYTES);
}

/* The payload's bytes where they are, or in registers (PAYLOAD_BYTES) if its two parts lie elsewhere. */
static const uint8_t *payload_of(const struct eu_message *msg, uint8_t *registers, unsigned int *bytes)
{
	unsigned int first = msg->payload[0] ? msg->length[0] * EU_GRF_BYTES : 0;
	unsigned int second = msg->payload[1] ? msg->length[1] * EU_GRF_BYTES : 0;

	*bytes = first + second;
	if (!second || (first && msg->payload[0] + first == msg->payload[1]))
		return msg->payload[0];
	if (!first)
		return msg->payload[1];
	append(registers, msg, 0);
	append(registers + first, msg, 1);
	return registers;
}

/**
 * shared_prepare - finds what is the same for all executions of a send
 * @msg: the send; its plan is filled in
 */
void shared_prepare(struct eu_message *msg)
{
	struct message_plan plan = { NULL };

	_Static_assert(sizeof(plan) <= sizeof(msg->plan), "there is room for a plan");
	if (msg->info) {
		plan.execute = handlers[msg->info->id].execute;
		if (handlers[msg->info->id].plan)
			plan.lanes = handlers[msg->info->id].plan(msg);
	}
	memcpy(msg->plan, &plan, sizeof(plan));
}

/**
 * shared_message - executes a send
 * @thread: the thread, whose group is a struct thread_group
 * @msg: the send
 *
 * Return: as the interpreter wants it.
 */
enum eu_reply shared_message(struct eu_thread *thread, const struct eu_message *msg)
{
	struct thread_group *group = thread->group;
	struct send s = {
		.thread = thread, .group = group, .shared = group->shared, .msg = msg,
		.info = msg->info,
	};
	uint8_t registers[PAYLOAD_BYTES];

	memcpy(&s.plan, msg->plan, sizeof(s.plan));
	s.payload = payload_of(msg, registers, &s.payload_bytes);
	if (s.plan.execute)
		return s.plan.execute(&s);
	if (!s.info)
		return send_bad(&s, "a message that its target does not have");
	if (!handlers[s.info->id].execute)
		return send_bad(&s, not_modelled(s.info));
	return handlers[s.info->id].execute(&s);
}

/* A field of the descriptor; 0 if the message has no such field. */
uint32_t send_field(const struct send *s, enum isa_message_field id)
{
	return isa_message_get(s->info, id, s->msg->desc);
}

/**
 * send_respond - writes a part of the response
 * @s: the send
 * @byte: from the response's start
 * @data: what
 * @len: bytes; those behind the response's length are dropped
 */
void send_respond(const struct send *s, unsigned int byte, const void *data, unsigned int len)
{
	unsigned int room = s->msg->response_length * EU_GRF_BYTES;

	if (!s->msg->response || byte >= room)
		return;
	memcpy(s->msg->response + byte, data, len < room - byte ? len : room - byte);
}

/**
 * send_has_room - is there a response of so many bytes?
 * @s: the send
 * @bytes: how many
 *
 * Return: false if some of them would be dropped.
 */
bool send_has_room(const struct send *s, unsigned int bytes)
{
	return s->msg->response && s->msg->response_length * EU_GRF_BYTES >= bytes;
}

enum eu_reply send_bad(const struct send *s, const char *why)
{
	s->thread->fault = why;
	return EU_BAD;
}

bool send_lacks(const struct send *s, unsigned int bytes)
{
	return s->payload_bytes < bytes;
}
