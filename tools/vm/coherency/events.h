/* SPDX-License-Identifier: MIT */
/**
 * DOC: How a guest tells the model of cache flushes
 *
 * Nothing on silicon. The model's settings "coherency=check" and "coherency=stale" give the GPU's configuration space
 * two dwords. A test module in the guest (tools/vm/coherency) writes the number of a page of its memory to one. It
 * fills the page with events and writes their number to the next. The events have happened, in their order, when that
 * write returns. The first dword reads as COHERENCY_MAGIC. Without the settings, and on a GPU that shares a cache with
 * the CPU, it reads 0.
 *
 * The including file defines uint32_t and uint64_t.
 */
#ifndef _IGEN_VM_COHERENCY_EVENTS_H_
#define _IGEN_VM_COHERENCY_EVENTS_H_

#define COHERENCY_CFG_PAGE	0xf4			/* in configuration space */
#define COHERENCY_CFG_EVENTS	0xf8			/* reads how many findings there were */
#define COHERENCY_MAGIC		0x52484f43u		/* "COHR", or with a plugin that sees instructions */
#define COHERENCY_MAGIC_PLUGIN	0x50484f43u		/* "COHP"; */
#define COHERENCY_MAGIC_WATCHING 0x57484f43u		/* "COHW", once it sees all */

#define COHERENCY_EVENTS	256u			/* in a page */
#define COHERENCY_MOST_BYTES	(1u << 20)		/* that one event is about */

/** enum coherency_kind - what has happened to a range of physical memory */
enum coherency_kind {
	/** @COHERENCY_MAP: it was mapped for DMA, as memory of the driver's own that no client can write */
	COHERENCY_MAP = 1,
	/** @COHERENCY_MAP_CLIENT: it was mapped for DMA, as memory that a client may have mapped */
	COHERENCY_MAP_CLIENT,
	/** @COHERENCY_UNMAP: one of these mappings has ended */
	COHERENCY_UNMAP,
	/** @COHERENCY_FLUSH: the CPU wrote back and dropped its lines of it */
	COHERENCY_FLUSH,
	/** @COHERENCY_FLUSH_ALL: and all its other lines (WBINVD); address and length say nothing */
	COHERENCY_FLUSH_ALL,
	/** @COHERENCY_UNCACHED: the CPU has mapped it uncached or write-combining */
	COHERENCY_UNCACHED,
	/** @COHERENCY_CACHED: it has no such mapping any more */
	COHERENCY_CACHED,
	/** @COHERENCY_CPU_READS: the CPU reads it, or may from now on, through its caches */
	COHERENCY_CPU_READS,
	/** @COHERENCY_PAT: with the plugin, the processor's MSR of page attributes holds the address */
	COHERENCY_PAT,
	/**
	 * @COHERENCY_NO_FENCE: with the plugin, the fence at the address, a virtual one, counts no more; 0: all do; all
	 * ones: none does
	 */
	COHERENCY_NO_FENCE,
	/** @COHERENCY_FENCES: with the plugin, the page takes the addresses of fences that order something, up to 0 */
	COHERENCY_FENCES,
	/**
	 * @COHERENCY_OBJECT: the next mapping is of a GEM object, for messages: the address is the handle, and above 32
	 * bits the process that has it; the length is the page of the object that is mapped first
	 */
	COHERENCY_OBJECT,
	/** @COHERENCY_OVERWRITES: from now on the CPU writes all bytes of it, with flushes in between perhaps, */
	COHERENCY_OVERWRITES,
	/** @COHERENCY_OVERWRITTEN: until now */
	COHERENCY_OVERWRITTEN,
};

/** struct coherency_event - one event, as it stands in the page */
struct coherency_event {
	/** @address: physical, of the first byte */
	uint64_t address;
	/** @bytes: COHERENCY_MOST_BYTES at most, but for COHERENCY_OBJECT */
	uint32_t bytes;
	/** @kind: enum coherency_kind */
	uint32_t kind;
};

#endif
