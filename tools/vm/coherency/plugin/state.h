/* SPDX-License-Identifier: MIT */
/**
 * DOC: What QEMU's plugin and the model share
 *
 * The model makes this memory, a memfd that QEMU inherits as descriptor COHERENCY_STATE_FD, and the plugin maps it. The
 * plugin writes it in the thread of the guest's only processor, as instructions run. So whenever the model handles a
 * register access of that processor, the memory tells of all instructions before it, and of none behind it. Engines'
 * threads read the state of lines at any time, and say which lines they have written.
 *
 * A line is 64 bytes, its bits and bytes are numbered from its page's begin on.
 */
#ifndef _IGEN_VM_COHERENCY_PLUGIN_STATE_H_
#define _IGEN_VM_COHERENCY_PLUGIN_STATE_H_

#include <stdint.h>

#define COHERENCY_STATE_FD	102		/* in QEMU; 100 and 101 are the proxy's */
#define COHERENCY_STATE_MAGIC	0x3253484f43u	/* "COHS2" */
/* Guest memory below 4 GB. */
#define COHERENCY_STATE_PAGES	(1u << 20)
#define COHERENCY_ALL_FENCES	UINT64_MAX		/* as the address of a fence: all of them */
#define COHERENCY_LINES		64u
#define COHERENCY_FOUND		256u		/* a power of two */

/* Bits of "tracked" of a page. */
#define COHERENCY_TRACKED	1u		/* its lines are kept */
#define COHERENCY_NEWER		2u		/* it may have newer lines, so reads matter */

/* Why the processor's writes may reach memory behind a later write of a register, in "unfenced". */
#define COHERENCY_UNFENCED_WC	1u		/* write-combining or non-temporal */
#define COHERENCY_UNFENCED_FLUSH 2u		/* CLFLUSHOPT or CLWB */

/** struct coherency_lines - the lines of a page */
struct coherency_lines {
	/** @known: lines that were flushed since the page was mapped */
	_Atomic uint64_t known;
	/** @newer: lines that the GPU has written, and the processor has not dropped since */
	_Atomic uint64_t newer;
	/** @dirty: of each line, the bytes that the processor has written into its caches since the last flush */
	_Atomic uint64_t dirty[COHERENCY_LINES];
	/** @writer: of each line, the address of the instruction that was the last to write it */
	_Atomic uint64_t writer[COHERENCY_LINES];
	/** @memory: what memory holds: lines as they were flushed, and what went there past the caches since */
	uint8_t memory[4096];
};

/** struct coherency_found - something that the plugin has found */
struct coherency_found {
	/** @address: physical, of the first byte */
	uint64_t address;
	/** @ip: of the instruction */
	uint64_t ip;
	/** @kind: enum coherency_found_kind */
	uint32_t kind;
	/** @bytes: how many */
	uint32_t bytes;
};

/** enum coherency_found_kind - what the plugin can find */
enum coherency_found_kind {
	/** @COHERENCY_FOUND_CPU_READ: a read through the caches of a newer line */
	COHERENCY_FOUND_CPU_READ,
	/** @COHERENCY_FOUND_CPU_WRITE: a newer line of which a part was written is flushed */
	COHERENCY_FOUND_CPU_WRITE,
	/** @COHERENCY_FOUND_UNCACHED: an access past the caches to a dirty line */
	COHERENCY_FOUND_UNCACHED,
};

/** struct coherency_state - all of it */
struct coherency_state {
	/** @magic: COHERENCY_STATE_MAGIC */
	uint64_t magic;
	/** @changes: how often a page was tracked that was not */
	_Atomic uint64_t changes;
	/** @pat: the processor's MSR of page attributes, as the guest told it; 0: not yet */
	_Atomic uint64_t pat;
	/** @ignored_fence: the address of a fence that counts for nothing, or COHERENCY_ALL_FENCES */
	_Atomic uint64_t ignored_fence;
	/** @unfenced: COHERENCY_UNFENCED_..., since the last fence */
	_Atomic uint32_t unfenced;
	/** @watching: the plugin sees all instructions from now on; before that it waits for @pat */
	_Atomic uint32_t watching;
	/** @unfenced_address: physical, of the last such write */
	_Atomic uint64_t unfenced_address;
	/** @unfenced_ip: of its instruction */
	_Atomic uint64_t unfenced_ip;
	/** @stores: of the kinds that the plugin has seen: to tracked pages, through caches */
	_Atomic uint64_t stores;
	/** @stores_past: and past them */
	_Atomic uint64_t stores_past;
	/** @loads: from tracked pages that may have newer lines */
	_Atomic uint64_t loads;
	/** @flushes: lines */
	_Atomic uint64_t flushes;
	/** @user_flushes: of them, those of programs */
	_Atomic uint64_t user_flushes;
	/** @fences: that had something to order */
	_Atomic uint64_t fences;
	/** @fence_ip: where they stood, the first few places; 0: no more */
	_Atomic uint64_t fence_ip[COHERENCY_FOUND];
	/** @head: findings that the plugin has written, and @tail: the model has taken */
	_Atomic uint32_t head, tail;
	/** @lost: for which there was no room */
	_Atomic uint64_t lost;
	/** @found: by their number modulo COHERENCY_FOUND */
	struct coherency_found found[COHERENCY_FOUND];
	/** @tracked: of each page */
	_Atomic uint8_t tracked[COHERENCY_STATE_PAGES];
	/** @page: of each page; only those of tracked pages are ever touched, so that the others take no memory */
	struct coherency_lines page[COHERENCY_STATE_PAGES];
};

#endif
