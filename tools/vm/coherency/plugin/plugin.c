// SPDX-License-Identifier: MIT
/*
 * DOC: plugin
 *
 * A plugin of QEMU's that sees the stores, flushes and fences of the guest's kernel and programs, and keeps what they
 * make of the lines of pages that the GPU may access (state.h). The model judges the GPU's accesses by that.
 *
 * A store through the caches makes its bytes dirty. A store past them (uncached, write-combining, write-through,
 * non-temporal) goes to memory. A flush takes the line to memory as it is. Reads count where the GPU has written.
 *
 * What type of memory an access has is in the page tables: the plugin walks them and asks the MSR of page attributes,
 * which the guest's module has told. As the processor's own, its translations are kept until the guest drops them
 * (INVLPG, INVPCID, moves to CR0, CR3 and CR4). Memory itself is write-back by its MTRRs.
 *
 * Between a store that is write-combining or non-temporal, or a CLFLUSHOPT or CLWB, and the write of a register that
 * starts the GPU there has to be a fence, SFENCE or MFENCE. Other things empty the buffers on silicon as well, but no
 * driver can rely on them: not on interrupts; not on its locks, as the kernel takes the LOCK prefixes away where
 * there is one processor; and not on accesses to uncached memory, which do not order flushes, and behind which stock
 * i915's authors have seen writes arrive (execlists_update_context()).
 *
 * Instructions are slow once they are watched, and a boot is long. So until the guest's module has told the MSR the
 * plugin looks at moves to control registers and at the guest's next OUT only, with which the module talks. Then QEMU
 * translates all code again.
 *
 * QEMU does nothing for CLFLUSH, whereas on silicon it faults like a read where no page is mapped, and is done again
 * when one is. The plugin remembers such lines, and flushes them before the first access to the page.
 *
 * There is only one processor in the guest: which of several has written a register the model cannot know.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode.h"
#include "qemu.h"
#include "state.h"

#define EXPORT		__attribute__((visibility("default")))
#define PAGE		4096u
#define LINE		64u
#define NUM_GENERAL	16u

/* Bits of entries of the processor's page tables. */
#define ENTRY_PRESENT	(1ull << 0)
#define ENTRY_PWT	(1ull << 3)
#define ENTRY_PCD	(1ull << 4)
#define ENTRY_LARGE	(1ull << 7)
#define ENTRY_PAT	(1ull << 7)		/* of pages of 4 KB; */
#define ENTRY_PAT_LARGE	(1ull << 12)		/* of larger ones */
#define ENTRY_ADDRESS	0xffffffffff000ull
#define CR4_LA57	(1ull << 12)

/* As the MSR of page attributes numbers them. */
enum memory_type { TYPE_UC = 0, TYPE_WC = 1, TYPE_WT = 4, TYPE_WP = 5, TYPE_WB = 6, TYPE_UC_MINUS = 7 };

EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct coherency_state *state;
static uint64_t memory_bytes;
static unsigned int num_fence_ips;

static uint64_t plugin_id;
static bool restarting;

/* Registers of the only processor, by their numbers in instructions, and what is needed of the others. */
enum { REG_FS = NUM_GENERAL, REG_GS, REG_CR3, REG_CR4, NUM_REGS };
static uint64_t cr3, cr4;
static const char *const reg_names[NUM_REGS] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	"fs_base", "gs_base", "cr3", "cr4",
};
static struct qemu_plugin_register *regs[NUM_REGS];
static bool have_regs[NUM_REGS];
static struct g_byte_array *buffer;

/* Types of pages whose translation the processor may keep. */
#define TYPES		1024u
static struct {
	uint64_t page, generation;
	enum memory_type type;
} types[TYPES];
static uint64_t generation = 1;

/* Pages whose accesses do not matter: they are not tracked, nor a device's that is write-combining. */
#define IDLE_PAGES	4096u
static struct {
	uint64_t page, since;
} idle[IDLE_PAGES];

static void die(const char *why)
{
	fprintf(stderr, "coherency plugin: %s\n", why);
	_exit(1);
}

static uint64_t read_reg(unsigned int n)
{
	uint64_t v = 0;

	g_byte_array_set_size(buffer, 0);
	if (!have_regs[n] || !qemu_plugin_read_register(regs[n], buffer))
		die("cannot read a register");
	memcpy(&v, buffer->data, buffer->len < sizeof(v) ? buffer->len : sizeof(v));
	return v;
}

static bool read_memory(uint64_t address, void *to, size_t len)
{
	g_byte_array_set_size(buffer, (unsigned int)len);
	if (qemu_plugin_read_memory_hwaddr(address, buffer, len))
		return false;
	memcpy(to, buffer->data, len);
	return true;
}

static enum memory_type type_of_entry(uint64_t entry, uint64_t pat_bit)
{
	unsigned int i = (entry & pat_bit ? 4 : 0) + (entry & ENTRY_PCD ? 2 : 0) + (entry & ENTRY_PWT ? 1 : 0);

	return (enum memory_type)(atomic_load(&state->pat) >> i * 8 & 7);
}

static enum memory_type walk(uint64_t vaddr)
{
	uint64_t table = cr3 & ENTRY_ADDRESS, entry;

	for (unsigned int shift = cr4 & CR4_LA57 ? 48 : 39;; shift -= 9) {
		if (!read_memory(table + (vaddr >> shift & 511) * 8, &entry, sizeof(entry)) ||
		    !(entry & ENTRY_PRESENT))
			return TYPE_WB;
		if (shift == 12)
			return type_of_entry(entry, ENTRY_PAT);
		if (shift <= 30 && entry & ENTRY_LARGE)
			return type_of_entry(entry, ENTRY_PAT_LARGE);
		table = entry & ENTRY_ADDRESS;
	}
}

static enum memory_type type_of(uint64_t vaddr)
{
	uint64_t page = vaddr / PAGE;
	unsigned int i = (page ^ page >> 10) % TYPES;

	if (types[i].page != page || types[i].generation != generation) {
		types[i].page = page;
		types[i].generation = generation;
		types[i].type = walk(vaddr);
	}
	return types[i].type;
}

static bool is_cached(enum memory_type type)
{
	return type == TYPE_WB || type == TYPE_WP;
}

static void found(enum coherency_found_kind kind, uint64_t address, uint32_t bytes, uint64_t ip)
{
	uint32_t head = atomic_load(&state->head);

	if (head - atomic_load(&state->tail) == COHERENCY_FOUND) {
		atomic_fetch_add(&state->lost, 1);
		return;
	}
	state->found[head % COHERENCY_FOUND] = (struct coherency_found){ address, ip, kind, bytes };
	atomic_store(&state->head, head + 1);
}

static void unfenced(uint32_t why, uint64_t address, uint64_t ip)
{
	atomic_store(&state->unfenced_address, address);
	atomic_store(&state->unfenced_ip, ip);
	atomic_fetch_or(&state->unfenced, why);
}

static bool is_tracked(uint64_t address)
{
	return address / PAGE < COHERENCY_STATE_PAGES && atomic_load(&state->tracked[address / PAGE]);
}

static uint64_t mask_of(uint64_t at, size_t len)
{
	return (len == 64 ? ~0ull : (1ull << len) - 1) << at;
}

/* Bytes of one line. */
static void store(uint64_t address, size_t len, const uint8_t *data, bool cached, bool non_temporal, uint64_t ip)
{
	struct coherency_lines *lines = &state->page[address / PAGE];
	unsigned int at = address % PAGE, line = at / LINE;
	uint64_t mask = mask_of(at % LINE, len);

	atomic_store(&lines->writer[line], ip);
	if (cached && !non_temporal) {
		atomic_fetch_or(&lines->dirty[line], mask);
		atomic_fetch_add(&state->stores, 1);
		return;
	}
	atomic_fetch_add(&state->stores_past, 1);
	memcpy(lines->memory + at, data, len);
	/* The processor takes care of its own line when the store is non-temporal; not of another mapping's. */
	if (cached)
		atomic_fetch_and(&lines->dirty[line], ~mask);
	else if (atomic_load(&lines->dirty[line]) && atomic_load(&lines->known) >> line & 1)
		found(COHERENCY_FOUND_UNCACHED, address, (uint32_t)len, ip);
}

static void load(uint64_t address, size_t len, uint64_t ip)
{
	struct coherency_lines *lines = &state->page[address / PAGE];
	unsigned int line = address % PAGE / LINE;
	uint64_t mask = mask_of(address % LINE, len);

	atomic_fetch_add(&state->loads, 1);
	if (!(atomic_load(&lines->newer) >> line & 1) || (atomic_load(&lines->dirty[line]) & mask) == mask)
		return;
	/* Once. */
	atomic_fetch_and(&lines->newer, ~(1ull << line));
	found(COHERENCY_FOUND_CPU_READ, address, (uint32_t)len, ip);
}

/* Bytes of one page. */
static void reach(uint64_t vaddr, uint64_t address, size_t len, const uint8_t *data, bool non_temporal, uint64_t ip)
{
	enum memory_type type;

	if (!is_tracked(address)) {
		if (data && non_temporal)
			unfenced(COHERENCY_UNFENCED_WC, address, ip);
		return;
	}
	/* Most pages are not newer. */
	if (!data && !(atomic_load(&state->tracked[address / PAGE]) & COHERENCY_NEWER))
		return;
	type = type_of(vaddr);
	if (data && (non_temporal || type == TYPE_WC))
		unfenced(COHERENCY_UNFENCED_WC, address, ip);
	while (len) {
		size_t left = LINE - address % LINE, part = left < len ? left : len;

		if (data)
			store(address, part, data, is_cached(type), non_temporal, ip);
		else if (is_cached(type))
			load(address, part, ip);
		address += part;
		len -= part;
		data = data ? data + part : NULL;
	}
}

/* Grows whenever an idle page may be one no more. */
static uint64_t now(void)
{
	return generation + atomic_load_explicit(&state->changes, memory_order_relaxed);
}

static void note_idle(uint64_t vaddr)
{
	uint64_t page = vaddr / PAGE;

	idle[page % IDLE_PAGES].page = page;
	idle[page % IDLE_PAGES].since = now();
}

/* Most accesses go no further than this. */
static inline bool is_idle(uint64_t vaddr)
{
	uint64_t page = vaddr / PAGE;

	return idle[page % IDLE_PAGES].page == page && idle[page % IDLE_PAGES].since == now() &&
	       vaddr % PAGE <= PAGE - 16;
}

/* The page may be mapped for the GPU later. */
static void track(uint64_t address)
{
	if (!atomic_fetch_or(&state->tracked[address / PAGE], COHERENCY_TRACKED))
		atomic_fetch_add(&state->changes, 1);
}

static void flush_line(uint64_t address, bool drop, uint64_t ip)
{
	struct coherency_lines *lines = &state->page[address / PAGE];
	unsigned int at = address % PAGE, line = at / LINE;
	uint64_t bit = 1ull << line, dirty = atomic_exchange(&lines->dirty[line], 0);

	if (atomic_load(&lines->newer) & bit && dirty && ~dirty)
		found(COHERENCY_FOUND_CPU_WRITE, address, LINE, ip);
	if (!read_memory(address, lines->memory + at, LINE))
		return;
	atomic_fetch_or(&lines->known, bit);
	if (drop)
		atomic_fetch_and(&lines->newer, ~bit);
	atomic_fetch_add(&state->flushes, 1);
	if (!(ip >> 63))
		atomic_fetch_add(&state->user_flushes, 1);
}

/* Lines that were flushed where no page was mapped. */
#define MOST_FAULTED	1024u
static struct {
	uint64_t cr3, vaddr, ip;
	bool drop;
} faulted[MOST_FAULTED];
static unsigned int num_faulted;

/* A page is mapped there now, at the address. */
static void flush_faulted(uint64_t vaddr, uint64_t address)
{
	for (unsigned int i = num_faulted; i--;) {
		if (faulted[i].cr3 != cr3 || faulted[i].vaddr / PAGE != vaddr / PAGE)
			continue;
		track(address);
		flush_line(address - address % PAGE + faulted[i].vaddr % PAGE, faulted[i].drop, faulted[i].ip);
		faulted[i] = faulted[--num_faulted];
	}
}

static void on_access(uint32_t info, uint64_t vaddr, bool non_temporal, uint64_t ip)
{
	const struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, vaddr);
	size_t len = (size_t)1 << qemu_plugin_mem_size_shift(info), part;
	bool is_store = qemu_plugin_mem_is_store(info);
	struct qemu_mem_value value;
	const uint8_t *data = NULL;
	uint64_t address;

	if (!where)
		return;
	address = qemu_plugin_hwaddr_phys_addr(where);
	if (qemu_plugin_hwaddr_is_io(where)) {
		if (type_of(vaddr) != TYPE_WC)
			note_idle(vaddr);
		else if (is_store)
			unfenced(COHERENCY_UNFENCED_WC, address, ip);
		return;
	}
	if (num_faulted)
		flush_faulted(vaddr, address);
	if (!is_tracked(address))
		note_idle(vaddr);
	if (is_store) {
		value = qemu_plugin_mem_get_value(info);
		data = (const uint8_t *)&value.data;
	}
	part = PAGE - vaddr % PAGE < len ? PAGE - vaddr % PAGE : len;
	reach(vaddr, address, part, data, non_temporal, ip);
	if (part < len && qemu_plugin_translate_vaddr(vaddr + part, &address))
		reach(vaddr + part, address, len - part, data ? data + part : NULL, non_temporal, ip);
}

static void on_plain(unsigned int vcpu, uint32_t info, uint64_t vaddr, void *ip)
{
	(void)vcpu;
	if (!is_idle(vaddr))
		on_access(info, vaddr, false, (uint64_t)ip);
}

static void on_non_temporal(unsigned int vcpu, uint32_t info, uint64_t vaddr, void *ip)
{
	(void)vcpu;
	on_access(info, vaddr, qemu_plugin_mem_is_store(info), (uint64_t)ip);
}

/* An instruction that flushes a line, and where it stands. */
struct flush {
	struct insn insn;
	uint64_t ip, next;
};

static void on_flush(unsigned int vcpu, void *opaque)
{
	const struct flush *f = opaque;
	bool drop = f->insn.kind != INSN_CLWB;
	uint64_t vaddr = (uint64_t)f->insn.displacement, address;

	(void)vcpu;
	if (f->insn.relative)
		vaddr += f->next;
	if (f->insn.base != INSN_NO_REGISTER)
		vaddr += read_reg(f->insn.base);
	if (f->insn.index != INSN_NO_REGISTER)
		vaddr += read_reg(f->insn.index) << f->insn.scale;
	if (f->insn.address_32)
		vaddr &= ~0u;
	if (f->insn.segment)
		vaddr += read_reg(f->insn.segment == 'f' ? REG_FS : REG_GS);
	vaddr -= vaddr % LINE;
	if (!qemu_plugin_translate_vaddr(vaddr, &address)) {
		if (num_faulted == MOST_FAULTED)
			num_faulted = 0;
		faulted[num_faulted].cr3 = cr3;
		faulted[num_faulted].vaddr = vaddr;
		faulted[num_faulted].ip = f->ip;
		faulted[num_faulted++].drop = drop;
		return;
	}
	if (address >= memory_bytes)
		return;
	if (f->insn.kind != INSN_CLFLUSH)
		unfenced(COHERENCY_UNFENCED_FLUSH, address, f->ip);
	track(address);
	flush_line(address, drop, f->ip);
}

static void on_flush_all(unsigned int vcpu, void *ip)
{
	(void)vcpu;
	for (uint64_t page = 0; page < memory_bytes / PAGE; page++)
		for (unsigned int i = 0; is_tracked(page * PAGE) && i < COHERENCY_LINES; i++)
			flush_line(page * PAGE + i * LINE, true, (uint64_t)ip);
}

static void on_fence(unsigned int vcpu, void *opaque)
{
	uint64_t ip = (uint64_t)opaque, ignored = atomic_load(&state->ignored_fence);
	unsigned int i;

	(void)vcpu;
	if (!atomic_load_explicit(&state->unfenced, memory_order_relaxed) || ignored == ip ||
	    ignored == COHERENCY_ALL_FENCES)
		return;
	atomic_store(&state->unfenced, 0);
	atomic_fetch_add(&state->fences, 1);
	for (i = 0; i < num_fence_ips && state->fence_ip[i] != ip; i++)
		;
	if (i == num_fence_ips && i < COHERENCY_FOUND)
		atomic_store(&state->fence_ip[num_fence_ips++], ip);
}

static void on_translations(unsigned int vcpu, void *opaque)
{
	(void)vcpu;
	(void)opaque;
	generation++;
}

/* The register's number is given. */
static void on_cr3(unsigned int vcpu, void *from)
{
	on_translations(vcpu, NULL);
	cr3 = read_reg((unsigned int)(uintptr_t)from);
}

static void on_cr4(unsigned int vcpu, void *from)
{
	on_translations(vcpu, NULL);
	cr4 = read_reg((unsigned int)(uintptr_t)from);
}

/* A flush of a line, for as long as QEMU runs. */
static struct flush *make_flush(const struct insn *insn, uint64_t ip, uint64_t next)
{
	struct flush *f = malloc(sizeof(*f));

	if (!f)
		die("no memory");
	*f = (struct flush){ .insn = *insn, .ip = ip, .next = next };
	return f;
}

static void on_translate(struct qemu_plugin_tb *tb, void *opaque)
{
	(void)opaque;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *at = qemu_plugin_tb_get_insn(tb, i);
		uint64_t ip = qemu_plugin_insn_vaddr(at);
		uint8_t bytes[16];
		size_t len = qemu_plugin_insn_data(at, bytes, sizeof(bytes));
		struct insn insn = insn_decode(bytes, len);

		qemu_plugin_register_vcpu_mem_cb(at, insn.non_temporal ? on_non_temporal : on_plain,
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, (void *)ip);
		switch (insn.kind) {
		case INSN_OTHER:
		case INSN_OUT:
			break;
		case INSN_CR3:
		case INSN_CR4:
			qemu_plugin_register_vcpu_insn_exec_cb(at, insn.kind == INSN_CR3 ? on_cr3 : on_cr4,
							       QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)insn.base);
			break;
		case INSN_FENCE:
			qemu_plugin_register_vcpu_insn_exec_cb(at, on_fence, QEMU_PLUGIN_CB_NO_REGS, (void *)ip);
			break;
		case INSN_CLFLUSH:
		case INSN_CLFLUSHOPT:
		case INSN_CLWB:
			qemu_plugin_register_vcpu_insn_exec_cb(at, on_flush, QEMU_PLUGIN_CB_R_REGS,
							       make_flush(&insn, ip, ip + len));
			break;
		case INSN_FLUSH_ALL:
			qemu_plugin_register_vcpu_insn_exec_cb(at, on_flush_all, QEMU_PLUGIN_CB_NO_REGS, (void *)ip);
			break;
		case INSN_TRANSLATIONS:
			qemu_plugin_register_vcpu_insn_exec_cb(at, on_translations, QEMU_PLUGIN_CB_NO_REGS, NULL);
			break;
		}
	}
}

/* All that was translated is forgotten. */
static void on_restarted(void *opaque)
{
	(void)opaque;
	qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, on_translate, NULL);
	atomic_store(&state->watching, 1);
}

static void on_out(unsigned int vcpu, void *opaque)
{
	(void)vcpu;
	(void)opaque;
	if (restarting || !atomic_load(&state->pat))
		return;
	restarting = true;
	cr3 = read_reg(REG_CR3);
	cr4 = read_reg(REG_CR4);
	qemu_plugin_reset(plugin_id, on_restarted, NULL);
}

static void on_translate_waiting(struct qemu_plugin_tb *tb, void *opaque)
{
	(void)opaque;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *at = qemu_plugin_tb_get_insn(tb, i);
		uint8_t bytes[16];
		struct insn insn = insn_decode(bytes, qemu_plugin_insn_data(at, bytes, sizeof(bytes)));

		if (insn.kind == INSN_OUT)
			qemu_plugin_register_vcpu_insn_exec_cb(at, on_out, QEMU_PLUGIN_CB_R_REGS, NULL);
		else if (insn.kind == INSN_CR3 || insn.kind == INSN_CR4)
			qemu_plugin_register_vcpu_insn_exec_cb(at, insn.kind == INSN_CR3 ? on_cr3 : on_cr4,
							       QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)insn.base);
	}
}

static void on_vcpu(unsigned int vcpu, void *opaque)
{
	struct g_array *all = qemu_plugin_get_registers();
	unsigned int stride = g_array_get_element_size(all);

	(void)vcpu;
	(void)opaque;
	for (unsigned int i = 0; i < all->len; i++) {
		const struct qemu_reg_descriptor *reg = (const void *)(all->data + (size_t)i * stride);

		for (unsigned int n = 0; n < NUM_REGS; n++) {
			if (!reg->name || strcmp(reg->name, reg_names[n]))
				continue;
			regs[n] = reg->handle;
			have_regs[n] = true;
		}
	}
	g_array_free(all, 1);
	for (unsigned int n = 0; n < NUM_REGS; n++) {
		if (!have_regs[n]) {
			fprintf(stderr, "coherency plugin: QEMU has no register %s\n", reg_names[n]);
			_exit(1);
		}
	}
}

EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	unsigned long long megabytes = 0;

	for (int i = 0; i < argc; i++)
		if (sscanf(argv[i], "memory=%llu", &megabytes) != 1)
			die("the only argument is memory=MEGABYTES");
	memory_bytes = megabytes << 20;
	if (strcmp(info->target_name, "x86_64") || !info->system_emulation || info->system.max_vcpus != 1)
		die("this is for a guest with one processor, x86-64");
	if (!memory_bytes || memory_bytes / PAGE > COHERENCY_STATE_PAGES)
		die("memory= is missing, or more than 4 GB");
	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, COHERENCY_STATE_FD, 0);
	if (state == MAP_FAILED || state->magic != COHERENCY_STATE_MAGIC)
		die("the model has made no state on the descriptor");
	buffer = g_byte_array_new();
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu, NULL);
	plugin_id = id;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate_waiting, NULL);
	return 0;
}
