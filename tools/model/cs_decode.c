// SPDX-License-Identifier: MIT
/**
 * DOC: What a command is called and how long it is
 *
 * A command streamer parses a stream of commands whose first dword says what it is and how long.
 * The same opcode means different commands on different engines (7001h is MEDIA_CURBE_LOAD on the
 * render engine and MFX_SURFACE_STATE on a video engine), so a decoder belongs to a class. They
 * are tools/decode's, over the command database's tables of Gen9.
 *
 * The length in the stream is believed, as the hardware does; whether it is the one that the manual
 * demands is the validator's matter (cs_check.c).
 */
#include "engine.h"

static struct igen_decoder decoders[ENGINE_CLASSES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
	static const enum igen_cmd_engine engine[ENGINE_CLASSES] = {
		[ENGINE_RENDER] = IGEN_CMD_RENDER,
		[ENGINE_COPY] = IGEN_CMD_BLITTER,
		[ENGINE_VIDEO] = IGEN_CMD_VIDEO,
		[ENGINE_VIDEO_ENHANCE] = IGEN_CMD_VIDEOENHANCE,
	};

	for (int class = 0; class < ENGINE_CLASSES; class++)
		igen_decoder_init(&decoders[class], &igen_cmds_gen9, engine[class]);
}

/**
 * command_decoder - the decoder of a class's commands
 * @class: the engine that parses them
 *
 * Return: the decoder; it lives as long as the program.
 */
const struct igen_decoder *command_decoder(enum engine_class class)
{
	pthread_once(&once, init);
	return &decoders[class];
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
	const struct igen_cmd *cmd = igen_lookup(command_decoder(class), header);

	return cmd ? igen_cmd_dwords(cmd, header) : 0;
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
	const struct igen_cmd *cmd = igen_lookup(command_decoder(class), header);

	return cmd ? cmd->name : NULL;
}
