// SPDX-License-Identifier: MIT
#include <stdarg.h>

#include "check.h"

static unsigned int tests, failures;

void check_that(bool good, const char *file, int line, const char *what, ...)
{
	va_list args;

	tests++;
	failures += !good;
	printf("%s %u ", good ? "ok" : "not ok", tests);
	va_start(args, what);
	vprintf(what, args);
	va_end(args);
	if (!good)
		printf(" (%s:%d)", file, line);
	printf("\n");
}

int check_end(void)
{
	printf("1..%u\n", tests);
	return failures != 0;
}

static size_t fetch(struct eu_thread *thread, uint64_t address, void *to, size_t size)
{
	const struct machine *m = thread->machine;
	size_t left = address < m->program.bytes ? m->program.bytes - address : 0;

	if (left > size)
		left = size;
	memcpy(to, (const uint8_t *)m->program.words + address, left);
	return left;
}

/* A message with a response gives the payload back, the last register of it as often as needed. */
static enum eu_reply message(struct eu_thread *thread, const struct eu_message *message)
{
	struct machine *m = thread->machine;
	unsigned int i;

	if (m->busy) {
		m->busy--;
		return EU_AGAIN;
	}
	m->messages++;
	m->last = *message;
	if (message->length[0])
		memcpy(m->payload, message->payload[0], message->length[0] * EU_GRF_BYTES);
	for (i = 0; message->response && message->length[0] && i < message->response_length; i++) {
		unsigned int from = i < message->length[0] ? i : message->length[0] - 1u;

		memcpy(message->response + i * EU_GRF_BYTES, message->payload[0] + from * EU_GRF_BYTES, EU_GRF_BYTES);
	}
	return EU_DONE;
}

const struct eu_ops machine_ops = { .fetch = fetch, .message = message };

void machine_start(struct machine *m, const struct eu_core *core, struct eu_thread *thread, uint32_t channels)
{
	eu_thread_init(thread, core, channels);
	thread->machine = m;
	m->messages = 0;
	m->busy = 0;
}

enum eu_status machine_run(struct machine *m, struct eu_core *core, struct eu_thread *thread)
{
	(void)m;
	eu_core_invalidate(core);
	return eu_run(core, thread, 10000);
}
