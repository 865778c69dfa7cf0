// SPDX-License-Identifier: MIT
/**
 * DOC: Coherency, from the guest's instructions
 *
 * A plugin of QEMU's (tools/vm/coherency/plugin) sees the guest's stores, flushes and fences. What it makes of them
 * is in memory that the model makes, which QEMU inherits as a descriptor. coherency.c judges accesses of the GPU by
 * it.
 *
 * Shared memory needs no protocol: the plugin writes it in the processor's thread, and a register access comes to the
 * model behind it, in the order in which the guest's only processor has made them. A socket would need an answer to
 * each flush for the same order.
 *
 * This file judges the order of writes itself: when a write of the ELSP arrives, no write-combined store and no
 * CLFLUSHOPT may be unordered (the finding "unfenced"). That holds with a last level cache, too.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mem/mem.h"
#include "../vm/coherency/plugin/state.h"

/**
 * coherency_share() - makes the memory that is shared with the plugin
 * @gpu: the device; no guest runs
 *
 * A process that is started from now on has it as descriptor COHERENCY_STATE_FD.
 *
 * Return: 0, or -1 with errno.
 */
int coherency_share(struct gpu *gpu)
{
	struct coherency_state *state;
	int fd = memfd_create("coherency", 0);

	if (fd < 0)
		return -1;
	if (ftruncate(fd, sizeof(*state)) || dup2(fd, COHERENCY_STATE_FD) < 0) {
		close(fd);
		return -1;
	}
	close(fd);
	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, COHERENCY_STATE_FD, 0);
	if (state == MAP_FAILED)
		return -1;
	state->magic = COHERENCY_STATE_MAGIC;
	gpu->instructions = state;
	return coherency_use_state(gpu);
}

void coherency_unshare(struct gpu *gpu)
{
	if (!gpu->instructions)
		return;
	munmap(gpu->instructions, sizeof(*gpu->instructions));
	close(COHERENCY_STATE_FD);
	gpu->instructions = NULL;
}

/**
 * coherency_take_found() - takes a finding of the plugin's
 * @state: what is shared
 * @found: where to
 *
 * Under a lock of the caller's.
 *
 * Return: false if there is none.
 */
bool coherency_take_found(struct coherency_state *state, struct coherency_found *found)
{
	uint32_t tail = atomic_load(&state->tail);

	if (tail == atomic_load(&state->head))
		return false;
	*found = state->found[tail % COHERENCY_FOUND];
	atomic_store(&state->tail, tail + 1);
	return true;
}

/**
 * coherency_doorbell() - judges the write of a register that gives an engine work
 * @gpu: the device
 * @engine: the engine's name
 * @desc: the descriptor of the first context
 *
 * While the processor waits for the write.
 */
void coherency_doorbell(struct gpu *gpu, const char *engine, uint64_t desc)
{
	struct coherency_state *state = gpu->instructions;
	uint32_t why = state ? atomic_exchange(&state->unfenced, 0) : 0;

	if (!why)
		return;
	count("coherency.driver", "unfenced", 1);
	coherency_add_finding(gpu);
	model_log("coherency: unfenced: %s of 0x%llx by the instruction at 0x%llx, "
		  "and no fence before the ELSP write %016llx of %s",
		  why & COHERENCY_UNFENCED_FLUSH ? "a flush" : "a write-combined store",
		  (unsigned long long)atomic_load(&state->unfenced_address),
		  (unsigned long long)atomic_load(&state->unfenced_ip), (unsigned long long)desc, engine);
}

/**
 * coherency_count() - adds what the plugin has seen to the counters
 * @gpu: the device; the guest has ended
 */
void coherency_count(struct gpu *gpu)
{
	struct coherency_state *state = gpu->instructions;

	if (!state)
		return;
	count("coherency_plugin", "watching", atomic_load(&state->watching));
	count("coherency_plugin", "stores", atomic_load(&state->stores));
	count("coherency_plugin", "stores_past", atomic_load(&state->stores_past));
	count("coherency_plugin", "loads", atomic_load(&state->loads));
	count("coherency_plugin", "flushes", atomic_load(&state->flushes));
	count("coherency_plugin", "user_flushes", atomic_load(&state->user_flushes));
	count("coherency_plugin", "fences", atomic_load(&state->fences));
	count("coherency_plugin", "lost", atomic_load(&state->lost));
}
