// SPDX-License-Identifier: MIT
/**
 * DOC: Names and lengths of commands
 *
 * A command streamer parses a stream of commands whose first dword says what it is and how long.
 * The same opcode means different commands on different engines (7001h is MEDIA_CURBE_LOAD on the
 * render engine and MFX_SURFACE_STATE on a video engine), so a decoder belongs to a class. They
 * are tools/decode's, over the command database's tables of the platform's generation.
 *
 * The length in the stream is believed, as the hardware does; whether it is the one that the manual
 * demands is the validator's matter (validate.c).
 */
#include <stdlib.h>

#include "cs/cs.h"

/* The decoders that were asked for. */
static struct decoders {
	struct decoders *next;
	struct igen_decoder class[ENGINE_CLASSES];
} *decoders;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct decoders *decoders_new(const struct igen_cmd_set *set)
{
	static const enum igen_cmd_engine engine[ENGINE_CLASSES] = {
		[ENGINE_RENDER] = IGEN_CMD_RENDER,
		[ENGINE_COPY] = IGEN_CMD_BLITTER,
		[ENGINE_VIDEO] = IGEN_CMD_VIDEO,
		[ENGINE_VIDEO_ENHANCE] = IGEN_CMD_VIDEOENHANCE,
	};
	struct decoders *d = calloc(1, sizeof(*d));

	if (!d)
		model_die("no memory for the commands' decoders");
	for (int class = 0; class < ENGINE_CLASSES; class++)
		igen_decoder_init(&d->class[class], set, engine[class]);
	return d;
}

/**
 * command_decoder - the decoder of a class's commands
 * @set: the commands of the platform
 * @class: the engine that parses them
 *
 * Return: the decoder; it lives as long as the program.
 */
const struct igen_decoder *command_decoder(const struct igen_cmd_set *set, enum engine_class class)
{
	struct decoders *d;

	pthread_mutex_lock(&lock);
	for (d = decoders; d && d->class[0].set != set; d = d->next)
		;
	if (!d) {
		d = decoders_new(set);
		d->next = decoders;
		decoders = d;
	}
	pthread_mutex_unlock(&lock);
	return &d->class[class];
}

/**
 * command_length - how many dwords a command has
 * @decoder: of the engine that parses it
 * @header: its first dword
 *
 * Return: the total, the header included; 0 for a command that this engine does not know.
 */
unsigned int command_length(const struct igen_decoder *decoder, uint32_t header)
{
	const struct igen_cmd *cmd = igen_lookup(decoder, header);

	return cmd ? igen_cmd_dwords(cmd, header) : 0;
}

/**
 * command_name - the manual's name of a command
 * @decoder: of the engine that parses it
 * @header: its first dword
 *
 * Return: the name, or NULL for a command that this engine does not know.
 */
const char *command_name(const struct igen_decoder *decoder, uint32_t header)
{
	const struct igen_cmd *cmd = igen_lookup(decoder, header);

	return cmd ? cmd->name : NULL;
}
