// SPDX-License-Identifier: MIT
/*
 * DOC: coherency
 *
 * An emulated processor has no caches that the model could look into. With this module, which is loaded before the
 * driver, a guest tells the model what it does about them (events.h): flushes, DMA mappings of the GPU, and mappings of
 * memory that are uncached or write-combining. It sets kprobes on the kernel's functions, so that any driver is seen as
 * it is. A probe at a function's begin tells of a flush with the content that is flushed.
 *
 * After an ioctl that promises coherent reads of a GEM object (SET_DOMAIN to the CPU's domain, PREAD) the module tells
 * that the CPU reads the object's pages. It finds the pages in the page cache of the object's file. Objects without a
 * file are left out. In the same way it tells of PWRITE, before and after the ioctl, since a line that is written as a
 * whole needs no flush before that.
 *
 * Findings name the object of a page. So the module notes the handles that clients get, by the object's file, and tells
 * them with the mappings of the file's pages. A handle may be closed by the time of a finding.
 *
 * The parameter "callers" lists where flushes came from: how often, and the call. A call of drm_clflush_sg() stands
 * in a helper that many share, so its caller is told apart, too. If a call is written to "ignore", its flushes are
 * told no more, which is as if the driver lacked them. Any write to "ignore" flushes all lines first.
 *
 * Not seen: CLFLUSH instructions outside of these functions, among them those of programs.
 *
 * Where the model has a plugin of QEMU's that sees the instructions, the module tells of DMA mappings alone, and of
 * the MSR of page attributes. What is written to "ignore" is then not executed. The parameter "fences" lists fences
 * that had something to order: the address, and the place. The one whose address is written to "no_fence" counts no
 * more.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/pci.h>
#include <linux/scatterlist.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <uapi/drm/i915_drm.h>

#include "events.h"

#define MOST_DEVICES	4
#define MOST_CALLERS	64u
#define CALLER_NAME	128
#define HANDLE_BITS	12
/* Pages of an object that is read, of which the model is told. */
#define MOST_READ	(SZ_64M >> PAGE_SHIFT)

static struct pci_dev *devices[MOST_DEVICES];
static unsigned int num_devices;
static struct coherency_event *events;
static unsigned int num_events;
/* The model has a plugin that sees instructions. */
static bool has_plugin;
/* Guards the events. Probes may be hit anywhere, so interrupts are off. */
static DEFINE_RAW_SPINLOCK(lock);

/* The handle that a process got last for the object with this file. A file may push out another one's. */
static struct handle {
	unsigned long inode;
	pid_t process;
	u32 handle;
} handles[1 << HANDLE_BITS];

static struct handle *handle_of(unsigned long inode)
{
	return &handles[hash_long(inode, HANDLE_BITS)];
}

static void ring(void)
{
	unsigned int i;

	/* The model reads the events while this processor waits. */
	wmb();
	for (i = 0; num_events && i < num_devices; i++)
		pci_write_config_dword(devices[i], COHERENCY_CFG_EVENTS, num_events);
	num_events = 0;
}

static void put(enum coherency_kind kind, u64 address, u32 bytes)
{
	if (num_events == COHERENCY_EVENTS)
		ring();
	events[num_events++] = (struct coherency_event){ .address = address, .bytes = bytes, .kind = kind };
}

static void add(enum coherency_kind kind, phys_addr_t address, u64 bytes)
{
	struct coherency_event *last = num_events ? &events[num_events - 1] : NULL;

	if (last && last->kind == kind && last->address + last->bytes == address &&
	    last->bytes + bytes <= COHERENCY_MOST_BYTES) {
		last->bytes += bytes;
		return;
	}
	do {
		u32 part = min_t(u64, bytes, COHERENCY_MOST_BYTES);

		put(kind, address, part);
		address += part;
		bytes -= part;
	} while (bytes);
}

static void tell(enum coherency_kind kind, phys_addr_t address, u64 bytes)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	add(kind, address, bytes);
	ring();
	raw_spin_unlock_irqrestore(&lock, flags);
}

static void tell_pages(enum coherency_kind kind, struct page **pages, unsigned long n)
{
	unsigned long flags, i;

	raw_spin_lock_irqsave(&lock, flags);
	for (i = 0; i < n; i++)
		if (pages[i])
			add(kind, page_to_phys(pages[i]), PAGE_SIZE);
	ring();
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* Can a client have the page mapped? Those of shmem objects and of programs belong to a mapping. */
static enum coherency_kind kind_of_map(struct page *page)
{
	struct folio *folio = page_folio(page);

	return !folio_test_slab(folio) && folio->mapping ? COHERENCY_MAP_CLIENT : COHERENCY_MAP;
}

/* A mapping for DMA, and before it whose object the first page is of, if that is known; lock held. */
static void add_map(struct page *page, phys_addr_t address, u64 bytes)
{
	struct folio *folio = page_folio(page);
	struct address_space *mapping = folio_mapping(folio);
	const struct handle *handle = mapping && mapping->host ? handle_of(mapping->host->i_ino) : NULL;

	if (handle && handle->handle && handle->inode == mapping->host->i_ino)
		put(COHERENCY_OBJECT, (u64)handle->process << 32 | handle->handle,
		    folio->index + page_to_pfn(page) - folio_pfn(folio));
	add(kind_of_map(page), address, bytes);
}

static void tell_map(struct page *page, phys_addr_t address, u64 bytes)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	add_map(page, address, bytes);
	ring();
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* With kind COHERENCY_MAP the pages' owners tell which of the two it is. */
static void tell_sg(enum coherency_kind kind, struct scatterlist *sgl, unsigned int nents)
{
	struct scatterlist *sg;
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&lock, flags);
	/* i915 has tables with less entries than their numbers say; the last one is marked. */
	for (i = 0, sg = sgl; i < nents && sg; i++, sg = sg_next(sg)) {
		if (!sg_page(sg))
			continue;
		if (kind == COHERENCY_MAP)
			add_map(sg_page(sg), sg_phys(sg), sg->length);
		else
			add(kind, sg_phys(sg), sg->length);
	}
	ring();
	raw_spin_unlock_irqrestore(&lock, flags);
}

static void tell_virtual(enum coherency_kind kind, void *from, unsigned long bytes)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	while (bytes) {
		unsigned long part = min(bytes, PAGE_SIZE - offset_in_page(from));

		if (is_vmalloc_addr(from))
			add(kind, PFN_PHYS(vmalloc_to_pfn(from)) + offset_in_page(from), part);
		else
			add(kind, virt_to_phys(from), part);
		from += part;
		bytes -= part;
	}
	ring();
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* A call that flushes. */
static struct caller {
	unsigned long at[2];			/* and the call of its function, or 0 */
	unsigned long flushes;
	bool ignored;
	char name[CALLER_NAME];
} callers[MOST_CALLERS];
static unsigned int num_callers;
static char ignore[CALLER_NAME];

/* Is the address in the module of a GPU's driver? */
static bool is_drivers(unsigned long address)
{
	unsigned int i;

	for (i = 0; i < num_devices; i++) {
		struct device_driver *driver = READ_ONCE(devices[i]->dev.driver);

		if (driver && driver->owner && within_module(address, driver->owner))
			return true;
	}
	return false;
}

/* The innermost calls within the driver on the stack, so many of them. */
static void find_caller(unsigned long at[2], unsigned int depth)
{
	unsigned long stack[32];
	unsigned int i, n = stack_trace_save(stack, ARRAY_SIZE(stack), 0), found = 0;

	memset(at, 0, 2 * sizeof(*at));
	for (i = 0; i < n && found < depth; i++) {
		if (is_drivers(stack[i]))
			at[found++] = stack[i];
		else if (found)
			break;
	}
}

/* Notes the caller of a flush; true for a caller whose flushes are not reported. */
static bool is_ignored(unsigned int depth)
{
	unsigned long at[2], flags;
	struct caller *caller;
	bool ignored = false;

	/* What an interrupt flushes meanwhile would be missed. */
	raw_spin_lock_irqsave(&lock, flags);
	find_caller(at, depth);
	for (caller = callers; caller < callers + num_callers; caller++)
		if (!memcmp(caller->at, at, sizeof(at)))
			break;
	if (caller == callers + num_callers && num_callers < MOST_CALLERS) {
		memcpy(caller->at, at, sizeof(at));
		snprintf(caller->name, sizeof(caller->name), at[1] ? "%pS < %pS" : "%pS", (void *)at[0],
			 (void *)at[1]);
		caller->ignored = !strcmp(caller->name, ignore);
		num_callers++;
	}
	if (caller < callers + num_callers) {
		caller->flushes++;
		ignored = caller->ignored;
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return ignored;
}

static unsigned long missed_hits(void);

static int callers_get(char *text, const struct kernel_param *param)
{
	unsigned long missed = missed_hits();
	unsigned int i;
	int n = 0;

	/* A probe within another one's handler is left out. */
	if (missed)
		n = scnprintf(text, PAGE_SIZE, "%lu hits of probes were missed\n", missed);

	for (i = 0; i < READ_ONCE(num_callers); i++)
		n += scnprintf(text + n, PAGE_SIZE - n, "%lu %s\n", callers[i].flushes, callers[i].name);
	return n;
}

static const struct kernel_param_ops callers_ops = {
	.get = callers_get,
};

module_param_cb(callers, &callers_ops, NULL, 0400);
MODULE_PARM_DESC(callers, "Where flushes came from");

static int ignore_set(const char *value, const struct kernel_param *param)
{
	unsigned long flags;
	unsigned int i;

	tell(COHERENCY_FLUSH_ALL, 0, 0);
	raw_spin_lock_irqsave(&lock, flags);
	strscpy(ignore, value, sizeof(ignore));
	strim(ignore);
	for (i = 0; i < num_callers; i++)
		callers[i].ignored = !strcmp(callers[i].name, ignore);
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

static int ignore_get(char *text, const struct kernel_param *param)
{
	return scnprintf(text, PAGE_SIZE, "%s\n", ignore);
}

static const struct kernel_param_ops ignore_ops = {
	.set = ignore_set,
	.get = ignore_get,
};

module_param_cb(ignore, &ignore_ops, NULL, 0600);
MODULE_PARM_DESC(ignore, "The call whose flushes are not told");

static int fences_get(char *text, const struct kernel_param *param)
{
	unsigned long flags;
	u64 *places = kcalloc(PAGE_SIZE / sizeof(*places), sizeof(*places), GFP_KERNEL);
	unsigned int i;
	int n = 0;

	if (!places)
		return -ENOMEM;
	if (has_plugin) {
		raw_spin_lock_irqsave(&lock, flags);
		add(COHERENCY_FENCES, 0, 0);
		ring();
		memcpy(places, events, PAGE_SIZE);
		raw_spin_unlock_irqrestore(&lock, flags);
	}
	for (i = 0; i < PAGE_SIZE / sizeof(*places) / 2 && places[i]; i++)
		n += scnprintf(text + n, PAGE_SIZE - n, "0x%llx %pS\n", places[i], (void *)places[i]);
	kfree(places);
	return n;
}

static const struct kernel_param_ops fences_ops = {
	.get = fences_get,
};

module_param_cb(fences, &fences_ops, NULL, 0400);
MODULE_PARM_DESC(fences, "Fences that had something to order, with the plugin");

static int no_fence_set(const char *value, const struct kernel_param *param)
{
	u64 address;
	int err = kstrtou64(value, 0, &address);

	if (err)
		return err;
	if (!has_plugin)
		return -EOPNOTSUPP;
	tell(COHERENCY_NO_FENCE, address, 0);
	return 0;
}

static const struct kernel_param_ops no_fence_ops = {
	.set = no_fence_set,
};

module_param_cb(no_fence, &no_fence_ops, NULL, 0200);
MODULE_PARM_DESC(no_fence, "Address of the fence that does not count, with the plugin; 0: none, 0xffffffffffffffff: all");

static bool is_watched(struct device *dev)
{
	unsigned int i;

	for (i = 0; i < num_devices; i++)
		if (dev == &devices[i]->dev)
			return true;
	return false;
}

static bool is_uncached(pgprotval_t flags)
{
	return flags & (_PAGE_PWT | _PAGE_PCD | _PAGE_PAT);
}

/* The probes: arguments are in di, si, dx, cx. */

/* What runs in the place of a function that is left out. */
static void nothing(void)
{
}

/* The function flushes; true: and that is to be told. *skip: it returns at once. */
static bool is_told(struct pt_regs *regs, unsigned int depth, int *skip)
{
	bool ignored = is_ignored(depth);

	*skip = ignored && has_plugin;
	if (*skip)
		regs->ip = (unsigned long)nothing;
	return !ignored && !has_plugin;
}

/* A probe with such a handler is never made a jump, with which a function could not be left out. */
static void never_a_jump(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static int clflush_pages(struct kprobe *p, struct pt_regs *regs)
{
	int skip;

	if (is_told(regs, 2, &skip))
		tell_pages(COHERENCY_FLUSH, (struct page **)regs->di, regs->si);
	return skip;
}

static int clflush_sg(struct kprobe *p, struct pt_regs *regs)
{
	struct sg_table *table = (struct sg_table *)regs->di;
	int skip;

	if (is_told(regs, 2, &skip))
		tell_sg(COHERENCY_FLUSH, table->sgl, table->orig_nents);
	return skip;
}

static int clflush_virt(struct kprobe *p, struct pt_regs *regs)
{
	int skip;

	if (is_told(regs, 1, &skip))
		tell_virtual(COHERENCY_FLUSH, (void *)regs->di, regs->si);
	return skip;
}

static int clflush_cache(struct kprobe *p, struct pt_regs *regs)
{
	tell_virtual(COHERENCY_FLUSH, (void *)regs->di, (u32)regs->si);
	return 0;
}

static int flush_all(struct kprobe *p, struct pt_regs *regs)
{
	tell(COHERENCY_FLUSH_ALL, 0, 0);
	return 0;
}

static int pages_uncached(struct kprobe *p, struct pt_regs *regs)
{
	tell_pages(COHERENCY_UNCACHED, (struct page **)regs->di, (u32)regs->si);
	return 0;
}

static int pages_cached(struct kprobe *p, struct pt_regs *regs)
{
	tell_pages(COHERENCY_CACHED, (struct page **)regs->di, (u32)regs->si);
	return 0;
}

static int memory_uncached(struct kprobe *p, struct pt_regs *regs)
{
	tell_virtual(COHERENCY_UNCACHED, (void *)regs->di, (regs->si & INT_MAX) << PAGE_SHIFT);
	return 0;
}

static int memory_cached(struct kprobe *p, struct pt_regs *regs)
{
	tell_virtual(COHERENCY_CACHED, (void *)regs->di, (regs->si & INT_MAX) << PAGE_SHIFT);
	return 0;
}

static int map_page(struct kprobe *p, struct pt_regs *regs)
{
	struct page *page = (struct page *)regs->si;

	if (is_watched((struct device *)regs->di))
		tell_map(page, page_to_phys(page) + regs->dx, regs->cx);
	return 0;
}

static int map_phys(struct kprobe *p, struct pt_regs *regs)
{
	if (is_watched((struct device *)regs->di) && pfn_valid(PHYS_PFN(regs->si)))
		tell_map(pfn_to_page(PHYS_PFN(regs->si)), regs->si, regs->dx);
	return 0;
}

/* Without an IOMMU, which the guest has not, DMA addresses are physical. */
static int unmap_address(struct kprobe *p, struct pt_regs *regs)
{
	if (is_watched((struct device *)regs->di))
		tell(COHERENCY_UNMAP, regs->si, regs->dx);
	return 0;
}

static int map_sg(struct kprobe *p, struct pt_regs *regs)
{
	if (is_watched((struct device *)regs->di))
		tell_sg(COHERENCY_MAP, (struct scatterlist *)regs->si, (u32)regs->dx);
	return 0;
}

static int map_sgtable(struct kprobe *p, struct pt_regs *regs)
{
	struct sg_table *table = (struct sg_table *)regs->si;

	if (is_watched((struct device *)regs->di))
		tell_sg(COHERENCY_MAP, table->sgl, table->orig_nents);
	return 0;
}

static int unmap_sg(struct kprobe *p, struct pt_regs *regs)
{
	if (is_watched((struct device *)regs->di))
		tell_sg(COHERENCY_UNMAP, (struct scatterlist *)regs->si, (u32)regs->dx);
	return 0;
}

static int map_kernel(struct kprobe *p, struct pt_regs *regs)
{
	if (is_uncached(regs->cx))
		tell_pages(COHERENCY_UNCACHED, (struct page **)regs->di, (u32)regs->si);
	return 0;
}

/* Faults of mappings of files. */
static void tell_fault(struct pt_regs *regs, struct page *page, u64 bytes)
{
	struct vm_fault *vmf = (struct vm_fault *)regs->di;

	if (is_uncached(pgprot_val(vmf->vma->vm_page_prot)))
		tell(COHERENCY_UNCACHED, page_to_phys(page), bytes);
}

static int fault_pte(struct kprobe *p, struct pt_regs *regs)
{
	tell_fault(regs, (struct page *)regs->si, PAGE_SIZE);
	return 0;
}

static int fault_ptes(struct kprobe *p, struct pt_regs *regs)
{
	tell_fault(regs, (struct page *)regs->dx, (u64)(u32)regs->cx << PAGE_SHIFT);
	return 0;
}

static int fault_pmd(struct kprobe *p, struct pt_regs *regs)
{
	tell_fault(regs, &page_folio((struct page *)regs->si)->page, PMD_SIZE);
	return 0;
}

#define PROBE(name, handler)	{ .symbol_name = name, .pre_handler = handler }
#define PROBE_SKIP(name, handler)	\
	{ .symbol_name = name, .pre_handler = handler, .post_handler = never_a_jump }

/*
 * Names of a group are the same function in different kernels: one of them has to be there. Those that are not for the
 * plugin tell what it sees by itself.
 */
static struct {
	unsigned int group;
	bool for_plugin;
	struct kprobe probe;
} probes[] = {
	{ 0, true, PROBE_SKIP("drm_clflush_pages", clflush_pages) },
	{ 1, true, PROBE_SKIP("drm_clflush_sg", clflush_sg) },
	{ 2, true, PROBE_SKIP("drm_clflush_virt_range", clflush_virt) },
	{ 3, false, PROBE("clflush_cache_range", clflush_cache) },
	{ 4, false, PROBE("wbinvd_on_all_cpus", flush_all) },
	{ 5, false, PROBE("set_pages_array_uc", pages_uncached) },
	{ 6, false, PROBE("set_pages_array_wc", pages_uncached) },
	{ 7, false, PROBE("set_pages_array_wb", pages_cached) },
	{ 8, false, PROBE("set_memory_uc", memory_uncached) },
	{ 9, false, PROBE("set_memory_wc", memory_uncached) },
	{ 10, false, PROBE("set_memory_wb", memory_cached) },
	{ 11, true, PROBE("dma_map_phys", map_phys) },
	{ 11, true, PROBE("dma_map_page_attrs", map_page) },
	{ 12, true, PROBE("dma_unmap_phys", unmap_address) },
	{ 12, true, PROBE("dma_unmap_page_attrs", unmap_address) },
	{ 13, true, PROBE("dma_map_sg_attrs", map_sg) },
	{ 14, true, PROBE("dma_map_sgtable", map_sgtable) },
	{ 15, true, PROBE("dma_unmap_sg_attrs", unmap_sg) },
	{ 16, false, PROBE("vmap", map_kernel) },
	{ 17, false, PROBE("set_pte_range", fault_ptes) },
	{ 17, false, PROBE("do_set_pte", fault_pte) },
	{ 18, false, PROBE("do_set_pmd", fault_pmd) },
};

static unsigned long missed_hits(void)
{
	unsigned long missed = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		missed += probes[i].probe.nmissed;
	return missed;
}

/* What a driver maps for programs by itself. */
struct range_call {
	struct mm_struct *mm;
	unsigned long from, to;
};

static int range_enter(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct range_call *call = (struct range_call *)instance->data;

	*call = (struct range_call){ .mm = (struct mm_struct *)regs->di, .from = regs->si, .to = regs->si + regs->dx };
	return 0;
}

/* The caller of the function holds what the page tables need. */
static pte_t *find_pte(struct mm_struct *mm, unsigned long address)
{
	pgd_t *pgd = pgd_offset(mm, address);
	p4d_t *p4d = p4d_offset(pgd, address);
	pud_t *pud;
	pmd_t *pmd;

	if (pgd_none(*pgd) || p4d_none(*p4d))
		return NULL;
	pud = pud_offset(p4d, address);
	if (pud_none(*pud) || pud_leaf(*pud))
		return NULL;
	pmd = pmd_offset(pud, address);
	if (pmd_none(*pmd) || pmd_leaf(*pmd))
		return NULL;
	return pte_offset_kernel(pmd, address);
}

static int range_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct range_call *call = (struct range_call *)instance->data;
	unsigned long flags, at;

	if (call->from >= TASK_SIZE_MAX)
		return 0;
	raw_spin_lock_irqsave(&lock, flags);
	for (at = call->from; at < call->to; at += PAGE_SIZE) {
		pte_t *pte = find_pte(call->mm, at);

		if (pte && pte_present(*pte) && pfn_valid(pte_pfn(*pte)) && is_uncached(pte_flags(*pte)))
			add(COHERENCY_UNCACHED, PFN_PHYS(pte_pfn(*pte)), PAGE_SIZE);
	}
	ring();
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

/* Ioctls after which the CPU reads, or in which it writes. */
struct ioctl_call {
	struct drm_file *file;
	u32 handle;
	bool writes;
	u64 from, bytes;
};

/* Tells of the object's pages. */
static void tell_object(enum coherency_kind kind, const struct ioctl_call *call)
{
	u64 at = call->from, end = 0;
	struct drm_gem_object *object;
	unsigned long flags;

	/* A handle keeps the object. */
	spin_lock(&call->file->table_lock);
	raw_spin_lock_irqsave(&lock, flags);
	object = idr_find(&call->file->object_idr, call->handle);
	if (object && object->filp && call->bytes <= U64_MAX - call->from)
		end = min3((u64)object->size, call->from + call->bytes, call->from + ((u64)MOST_READ << PAGE_SHIFT));
	rcu_read_lock();
	while (at < end) {
		struct folio *folio = xa_load(&object->filp->f_mapping->i_pages, at >> PAGE_SHIFT);
		u64 part = min_t(u64, end - at, PAGE_SIZE - offset_in_page(at));

		if (folio && !xa_is_value(folio))
			add(kind, page_to_phys(folio_file_page(folio, at >> PAGE_SHIFT)) + offset_in_page(at), part);
		at += part;
	}
	rcu_read_unlock();
	ring();
	raw_spin_unlock_irqrestore(&lock, flags);
	spin_unlock(&call->file->table_lock);
}

static int ioctl_enter(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct ioctl_call *call = (struct ioctl_call *)instance->data;
	const void __user *arg = (const void __user *)regs->dx;
	struct drm_i915_gem_set_domain domain;
	struct drm_i915_gem_pwrite pwrite;
	struct drm_i915_gem_pread pread;

	*call = (struct ioctl_call){ .file = ((struct file *)regs->di)->private_data };
	if ((u32)regs->si == DRM_IOCTL_I915_GEM_SET_DOMAIN && !copy_from_user_nofault(&domain, arg, sizeof(domain)) &&
	    domain.read_domains & I915_GEM_DOMAIN_CPU) {
		call->handle = domain.handle;
		call->bytes = U64_MAX;
	} else if ((u32)regs->si == DRM_IOCTL_I915_GEM_PREAD && !copy_from_user_nofault(&pread, arg, sizeof(pread))) {
		call->handle = pread.handle;
		call->from = pread.offset;
		call->bytes = pread.size;
	} else if ((u32)regs->si == DRM_IOCTL_I915_GEM_PWRITE &&
		   !copy_from_user_nofault(&pwrite, arg, sizeof(pwrite)) && pwrite.size) {
		call->writes = true;
		call->handle = pwrite.handle;
		call->from = pwrite.offset;
		call->bytes = pwrite.size;
		tell_object(COHERENCY_OVERWRITES, call);
	}
	return call->bytes ? 0 : 1;
}

static int ioctl_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct ioctl_call *call = (struct ioctl_call *)instance->data;

	if (call->writes)
		tell_object(COHERENCY_OVERWRITTEN, call);
	else if (!regs_return_value(regs))
		tell_object(COHERENCY_CPU_READS, call);
	return 0;
}

/* A client gets a handle. */
struct handle_call {
	struct drm_gem_object *object;
	u32 *handle;
};

static int handle_enter(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct handle_call *call = (struct handle_call *)instance->data;

	*call = (struct handle_call){ .object = (struct drm_gem_object *)regs->si, .handle = (u32 *)regs->dx };
	return !call->object->filp;
}

static int handle_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct handle_call *call = (struct handle_call *)instance->data;
	unsigned long flags, inode;

	if (regs_return_value(regs))
		return 0;
	/* The caller has a reference to the object. */
	inode = file_inode(call->object->filp)->i_ino;
	raw_spin_lock_irqsave(&lock, flags);
	*handle_of(inode) = (struct handle){
		.inode = inode, .process = task_tgid_nr(current), .handle = *call->handle,
	};
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

/* The first is for the plugin as well. */
static struct kretprobe returns[] = {
	{
		.kp.symbol_name = "drm_gem_handle_create_tail",
		.entry_handler = handle_enter,
		.handler = handle_return,
		.data_size = sizeof(struct handle_call),
		.maxactive = 64,
	}, {
		.kp.symbol_name = "apply_to_page_range",
		.entry_handler = range_enter,
		.handler = range_return,
		.data_size = sizeof(struct range_call),
		.maxactive = 64,
	}, {
		.kp.symbol_name = "drm_ioctl",
		.entry_handler = ioctl_enter,
		.handler = ioctl_return,
		.data_size = sizeof(struct ioctl_call),
		.maxactive = 64,
	},
};

static void stop(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].probe.addr)
			unregister_kprobe(&probes[i].probe);
	for (i = 0; i < ARRAY_SIZE(returns); i++)
		if (returns[i].kp.addr)
			unregister_kretprobe(&returns[i]);
	for (i = 0; i < num_devices; i++) {
		pci_write_config_dword(devices[i], COHERENCY_CFG_PAGE, 0);
		pci_dev_put(devices[i]);
	}
	free_page((unsigned long)events);
}

static int start_probes(void)
{
	unsigned int i, there = ~0u;
	int err;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (probes[i].group == there || (has_plugin && !probes[i].for_plugin))
			continue;
		err = register_kprobe(&probes[i].probe);
		if (!err) {
			there = probes[i].group;
			continue;
		}
		probes[i].probe.addr = NULL;
		if (i + 1 < ARRAY_SIZE(probes) && probes[i + 1].group == probes[i].group)
			continue;
		pr_err("no probe of %s: %d\n", probes[i].probe.symbol_name, err);
		return err;
	}
	for (i = 0; i < (has_plugin ? 1 : ARRAY_SIZE(returns)); i++) {
		err = register_kretprobe(&returns[i]);
		if (err) {
			returns[i].kp.addr = NULL;
			pr_err("no probe of %s: %d\n", returns[i].kp.symbol_name, err);
			return err;
		}
	}
	return 0;
}

/* The plugin watches once it knows the types of memory, and something was told after that. */
static int start_plugin(void)
{
	unsigned int tries;
	u32 magic, low, high;

	rdmsr(MSR_IA32_CR_PAT, low, high);
	tell(COHERENCY_PAT, (u64)high << 32 | low, 0);
	for (tries = 0; tries < 1000; tries++) {
		pci_read_config_dword(devices[0], COHERENCY_CFG_PAGE, &magic);
		if (magic == COHERENCY_MAGIC_WATCHING)
			return 0;
		usleep_range(1000, 2000);
	}
	pr_err("QEMU's plugin does not see instructions\n");
	return -EIO;
}

static int __init coherency_init(void)
{
	struct pci_dev *pdev = NULL;
	u32 magic;
	int err;

	events = (struct coherency_event *)__get_free_page(GFP_KERNEL);
	if (!events)
		return -ENOMEM;
	while ((pdev = pci_get_class(PCI_CLASS_DISPLAY_VGA << 8, pdev))) {
		if (pdev->vendor != PCI_VENDOR_ID_INTEL || num_devices == MOST_DEVICES)
			continue;
		pci_read_config_dword(pdev, COHERENCY_CFG_PAGE, &magic);
		if (magic != COHERENCY_MAGIC && magic != COHERENCY_MAGIC_PLUGIN)
			continue;
		has_plugin = magic == COHERENCY_MAGIC_PLUGIN;
		pci_write_config_dword(pdev, COHERENCY_CFG_PAGE, PHYS_PFN(virt_to_phys(events)));
		devices[num_devices++] = pci_dev_get(pdev);
	}
	err = has_plugin ? start_plugin() : 0;
	if (!err && num_devices)
		err = start_probes();
	if (err)
		stop();
	else
		pr_info("%u GPUs are told%s\n", num_devices, has_plugin ? ", QEMU's plugin sees instructions" : "");
	return err;
}

static void __exit coherency_exit(void)
{
	stop();
}

module_init(coherency_init);
module_exit(coherency_exit);

MODULE_DESCRIPTION("Tells the model of cache flushes, DMA mappings and uncached mappings");
MODULE_LICENSE("Dual MIT/GPL");
