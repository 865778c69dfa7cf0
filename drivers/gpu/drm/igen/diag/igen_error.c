// SPDX-License-Identifier: MIT
/**
 * DOC: The error state
 *
 * cardN/error in sysfs and i915_error_state in debugfs show the first hang in the form that decoders of i915's error
 * states read: registers as text, and each copy of an object as one line of ASCII85, a zlib stream where it begins
 * with ":" and plain where it begins with "~". A write to the file frees the error state. devcoredump gets the same
 * text, for programs that collect dumps of all devices.
 *
 * The text is made once, when it is first read, in a process or a worker that may wait for memory. Only root may read
 * it, since it contains clients' batches.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_managed.h>
#include <linux/ascii85.h>
#include <linux/debugfs.h>
#include <linux/devcoredump.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>
#include <linux/zlib.h>

#include "../igen_compat.h"
#include "../igen_device.h"
#include "../mm/igen_vm.h"
#include "igen_diag.h"

#define GFP_TEXT	(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)

/* One line of the formatted part. */
#define LINE_SIZE	256

/** struct writer - text being made */
struct writer {
	/** @text: pages by number */
	struct xarray *text;
	/** @page: address of the last of them */
	void *page;
	/** @size: bytes so far */
	size_t size;
	/** @err: the first error, after which nothing more is written */
	int err;
	/** @zlib: compressor; its workspace is NULL when there is no memory for one */
	struct z_stream_s zlib;
	/** @out: a page that it writes to, or NULL */
	u32 *out;
};

static void error_put_bytes(struct writer *w, const char *bytes, size_t n)
{
	size_t at, part;

	while (n && !w->err) {
		at = offset_in_page(w->size);
		if (!at) {
			struct page *page = alloc_page(GFP_TEXT);

			w->err = page ? xa_err(xa_store(w->text, w->size >> PAGE_SHIFT, page, GFP_TEXT)) : -ENOMEM;
			if (w->err) {
				if (page)
					__free_page(page);
				return;
			}
			w->page = page_address(page);
		}
		part = min_t(size_t, n, PAGE_SIZE - at);
		memcpy(w->page + at, bytes, part);
		w->size += part;
		bytes += part;
		n -= part;
	}
}

static __printf(2, 3) void put(struct writer *w, const char *format, ...)
{
	char line[LINE_SIZE];
	va_list args;
	int n;

	va_start(args, format);
	n = vscnprintf(line, sizeof(line), format, args);
	va_end(args);
	error_put_bytes(w, line, n);
}

static void error_put_dwords(struct writer *w, const u32 *dw, unsigned int n)
{
	char out[ASCII85_BUFSZ];
	const char *s;

	for (; n && !w->err; n--) {
		s = ascii85_encode(*dw++, out);
		error_put_bytes(w, s, strlen(s));
	}
	cond_resched();
}

/* Writes out the compressor's output. */
static void error_flush_out(struct writer *w)
{
	unsigned int n = PAGE_SIZE - w->zlib.avail_out;

	/* A stream's last dword is filled up with zeroes, which its reader does not look at. */
	memset((u8 *)w->out + n, 0, round_up(n, sizeof(u32)) - n);
	error_put_dwords(w, w->out, DIV_ROUND_UP(n, sizeof(u32)));
	w->zlib.next_out = (u8 *)w->out;
	w->zlib.avail_out = PAGE_SIZE;
}

static void error_deflate(struct writer *w, const void *data, int flush)
{
	int ret;

	w->zlib.next_in = data;
	w->zlib.avail_in = data ? PAGE_SIZE : 0;
	do {
		ret = zlib_deflate(&w->zlib, flush);
		if (ret != Z_OK && ret != Z_STREAM_END && ret != Z_BUF_ERROR) {
			w->err = -EIO;
			return;
		}
		if (!w->zlib.avail_out || ret == Z_STREAM_END)
			error_flush_out(w);
	} while (!w->err && (w->zlib.avail_in || (flush == Z_FINISH && ret != Z_STREAM_END)));
}

static void error_put_compressed(struct writer *w, const struct igen_capture_bo *copy)
{
	struct page *page;

	if (zlib_deflateInit(&w->zlib, Z_DEFAULT_COMPRESSION) != Z_OK) {
		w->err = -EIO;
		return;
	}
	w->zlib.next_out = (u8 *)w->out;
	w->zlib.avail_out = PAGE_SIZE;
	list_for_each_entry(page, &copy->pages, lru)
		error_deflate(w, page_address(page), Z_NO_FLUSH);
	error_deflate(w, NULL, Z_FINISH);
	zlib_deflateEnd(&w->zlib);
}

static void error_put_bo(struct writer *w, const char *engine, const struct igen_capture_bo *copy)
{
	struct page *page;

	if (copy->missing) {
		put(w, "  missing: %s at 0x%08x_%08x, %llu bytes: %s\n", copy->name, upper_32_bits(copy->address),
		    lower_32_bits(copy->address), copy->size, copy->missing);
		return;
	}

	put(w, "%s --- %s = 0x%08x %08x\n", engine, copy->name, upper_32_bits(copy->address),
	    lower_32_bits(copy->address));
	if (IS_REACHABLE(CONFIG_ZLIB_DEFLATE) && w->zlib.workspace && w->out) {
		put(w, ":");
		error_put_compressed(w, copy);
	} else {
		put(w, "~");
		list_for_each_entry(page, &copy->pages, lru)
			error_put_dwords(w, page_address(page), PAGE_SIZE / sizeof(u32));
	}
	put(w, "\n");
}

static void error_put_u64(struct writer *w, const char *name, u64 value)
{
	put(w, "  %s: 0x%08x %08x\n", name, upper_32_bits(value), lower_32_bits(value));
}

static void error_put_registers(struct writer *w, const struct igen_capture_engine *eng)
{
	const struct igen_capture_regs *r = &eng->regs;
	const struct igen_capture_bo *copy;
	unsigned int i;

	put(w, "%s command stream:\n", eng->info->name);
	put(w, "  CCID:  0x%08x\n", r->ccid);
	put(w, "  START: 0x%08x\n", r->start);
	put(w, "  HEAD:  0x%08x [0x%08x]\n", r->head, eng->rq.head);
	put(w, "  TAIL:  0x%08x [0x%08x, 0x%08x]\n", r->tail, eng->rq_postfix, eng->rq.tail);
	put(w, "  CTL:   0x%08x\n", r->ctl);
	put(w, "  MODE:  0x%08x\n", r->mode);
	put(w, "  HWS:   0x%08x\n", r->hws);
	error_put_u64(w, "ACTHD", r->acthd);
	put(w, "  IPEIR: 0x%08x\n", r->ipeir);
	put(w, "  IPEHR: 0x%08x\n", r->ipehr);
	put(w, "  ESR:   0x%08x\n", r->esr);
	put(w, "  EIR:   0x%08x\n", r->eir);
	put(w, "  EMR:   0x%08x\n", r->emr);
	put(w, "  INSTDONE: 0x%08x\n", r->instdone);
	list_for_each_entry(copy, &eng->bos, link) {
		const u64 end = copy->address + copy->size;

		if (!strcmp(copy->name, "batch"))
			put(w, "  batch: [0x%08x_%08x, 0x%08x_%08x]\n", upper_32_bits(copy->address),
			    lower_32_bits(copy->address), upper_32_bits(end), lower_32_bits(end));
	}
	put(w, "  BBADDR: 0x%08x_%08x\n", upper_32_bits(r->bbaddr), lower_32_bits(r->bbaddr));
	put(w, "  BB_STATE: 0x%08x\n", r->bb_state);
	put(w, "  INSTPS: 0x%08x\n", r->instps);
	put(w, "  INSTPM: 0x%08x\n", r->instpm);
	error_put_u64(w, "FADDR", r->faddr);
	put(w, "  RC PSMI: 0x%08x\n", r->rc_psmi);
	if (r->has_pp_dir) {
		put(w, "  PP_DIR_BASE: 0x%08x\n", r->pp_dir);
		return;
	}
	put(w, "  RESET_CTL: 0x%08x\n", r->reset_ctl);
	error_put_u64(w, "EXECLIST_STATUS", r->execlist_status);
	put(w, "  GFX_MODE: 0x%08x\n", r->gfx_mode);
	for (i = 0; i < ARRAY_SIZE(r->pdp); i++)
		put(w, "  PDP%u: 0x%016llx\n", i, r->pdp[i]);
}

static void error_put_engine(struct writer *w, const struct igen_capture_engine *eng)
{
	const struct igen_capture_request *rq;
	const struct igen_capture_bo *copy;
	unsigned int i;

	error_put_registers(w, eng);
	for (i = 0; i < ARRAY_SIZE(eng->given); i++) {
		rq = &eng->given[i];
		if (rq->context)
			put(w, "  ELSP[%u]:  pid %d, seqno %8llx:%08llx%s, prio %d, head %08x, tail %08x\n", i, rq->pid,
			    rq->context, rq->seqno, rq->completed ? "!" : "", rq->priority, rq->head, rq->tail);
	}
	put(w, "  hung: %u\n", eng->hung);
	if (eng->has_request) {
		put(w, "  Active context: %s[%d] prio %d, guilty %d active %d\n", eng->comm, eng->rq.pid,
		    eng->rq.priority, eng->guilty, eng->active);
		put(w, "  Batch starts at: 0x%08x_%08x\n", upper_32_bits(eng->batch_start),
		    lower_32_bits(eng->batch_start));
	}
	if (eng->lost)
		put(w, "  missing: %u objects, not even their names: there is no memory, or they are too many\n",
		    eng->lost);
	list_for_each_entry(copy, &eng->bos, link)
		error_put_bo(w, eng->info->name, copy);
}

static void error_put_time(struct writer *w, const char *name, ktime_t time)
{
	const struct timespec64 ts = ktime_to_timespec64(time);

	put(w, "%s: %lld s %ld us\n", name, (s64)ts.tv_sec, ts.tv_nsec / NSEC_PER_USEC);
}

/* The first line identifies a hang: generation, classes of hung engines, IPEHR ^ INSTDONE and process of one. */
static void error_put_title(struct writer *w, struct igen_device *igen, const struct igen_snapshot *snap)
{
	const struct igen_capture_engine *eng, *first = NULL;
	unsigned int id, classes = 0;

	for (id = 0; id < IGEN_NUM_ENGINES; id++) {
		eng = &snap->engine[id];
		if (!eng->info || !eng->hung)
			continue;
		classes |= BIT(eng->info->class);
		first = first ?: eng;
	}
	put(w, "GPU HANG: ecode %u:%x:%08x", igen->platform->gen, classes,
	    first ? first->regs.ipehr ^ first->regs.instdone : 0);
	if (first && first->has_request)
		put(w, ", in %s [%d]", first->comm, first->rq.pid);
	put(w, "\n");
}

static void error_put_snapshot(struct writer *w, struct igen_device *igen, const struct igen_snapshot *snap)
{
	const struct igen_capture_engine *eng;
	const struct pci_dev *pdev = igen->pdev;
	unsigned int i;

	error_put_title(w, igen, snap);
	put(w, "Kernel: %s %s\n", init_utsname()->release, init_utsname()->machine);
	put(w, "Driver: igen\n");
	put(w, "Reason: %s\n", snap->reason);
	error_put_time(w, "Time", snap->time);
	error_put_time(w, "Boottime", snap->boottime);
	put(w, "Capture: %lu jiffies\n", snap->jiffies);
	for (i = 0; i < IGEN_NUM_ENGINES; i++) {
		eng = &snap->engine[i];
		if (eng->has_request)
			put(w, "Active process (on ring %s): %s [%d]\n", eng->info->name, eng->comm, eng->rq.pid);
	}
	put(w, "Reset count: %u\n", snap->reset_count);
	put(w, "Platform: %s\n", igen->platform->name);
	put(w, "PCI ID: 0x%04x\n", pdev->device);
	put(w, "PCI Revision: 0x%02x\n", pdev->revision);
	put(w, "PCI Subsystem: %04x:%04x\n", pdev->subsystem_vendor, pdev->subsystem_device);
	put(w, "CS timestamp frequency: %u Hz\n", igen->platform->timestamp_hz);
	put(w, "PGTBL_ER: 0x%08x\n", snap->pgtbl_er);
	for (i = 0; i < igen->platform->num_fences; i++)
		put(w, "  fence[%u] = %08llx\n", i, snap->fences[i]);
	put(w, "FAULT_REG: 0x%08x\n", snap->fault);
	put(w, "FAULT_TLB_DATA: 0x%08x 0x%08x\n", snap->fault_data[1], snap->fault_data[0]);

	for (i = 0; i < IGEN_NUM_ENGINES; i++)
		if (snap->engine[i].info)
			error_put_engine(w, &snap->engine[i]);

	/* Readers look for text behind the last object. */
	put(w, "graphics version: %u\n", igen->platform->gen);
	put(w, "ppgtt-size: %u\n", igen->platform->ppgtt_bits);
	put(w, "has_llc: %s\n", igen->platform->has_llc ? "yes" : "no");
}

/* Makes the text if there is none. diag->error_mutex is held. */
static int error_make_text(struct igen_device *igen, struct igen_snapshot *snap)
{
	struct writer w = { .text = &snap->text };
	unsigned long index;
	struct page *page;

	lockdep_assert_held(&igen->diag->error_mutex);

	if (snap->text_size)
		return 0;

	/* Without memory for it, or in a kernel without a compressor, things go uncompressed. */
	if (IS_REACHABLE(CONFIG_ZLIB_DEFLATE))
		w.zlib.workspace = vzalloc(zlib_deflate_workspacesize(MAX_WBITS, MAX_MEM_LEVEL));
	w.out = (u32 *)__get_free_page(GFP_TEXT);
	error_put_snapshot(&w, igen, snap);
	free_page((unsigned long)w.out);
	vfree(w.zlib.workspace);

	if (w.err) {
		xa_for_each(&snap->text, index, page)
			__free_page(page);
		xa_destroy(&snap->text);
		return w.err;
	}
	snap->text_size = w.size;
	return 0;
}

static size_t error_copy_text(struct igen_snapshot *snap, char *buf, size_t offset, size_t count)
{
	size_t done = 0, at, part;
	struct page *page;

	if (offset >= snap->text_size)
		return 0;
	count = min(count, snap->text_size - offset);
	while (done < count) {
		at = offset_in_page(offset + done);
		part = min_t(size_t, count - done, PAGE_SIZE - at);
		page = xa_load(&snap->text, (offset + done) >> PAGE_SHIFT);
		memcpy(buf + done, page_address(page) + at, part);
		done += part;
	}
	return done;
}

/* As a read of the error state; buf in kernel memory. */
static ssize_t error_read_text(struct igen_device *igen, char *buf, loff_t offset, size_t count)
{
	static const char none[] = "No error state collected\n";
	static const char lost[] = "An error was not collected, since there was no memory\n";
	struct igen_snapshot *snap = igen_capture_first(igen);
	ssize_t ret;

	if (!snap)
		return memory_read_from_buffer(buf, count, &offset, none, sizeof(none) - 1);
	if (IS_ERR(snap))
		return memory_read_from_buffer(buf, count, &offset, lost, sizeof(lost) - 1);

	mutex_lock(&igen->diag->error_mutex);
	ret = error_make_text(igen, snap);
	mutex_unlock(&igen->diag->error_mutex);
	if (!ret)
		ret = error_copy_text(snap, buf, offset, count);
	igen_snapshot_put(snap);
	return ret;
}

static struct igen_device *kobj_to_igen(struct kobject *kobj)
{
	struct drm_minor *minor = dev_get_drvdata(kobj_to_dev(kobj));

	return to_igen(minor->dev);
}

static ssize_t error_read(struct file *file, struct kobject *kobj, IGEN_BIN_ATTRIBUTE *attr, char *buf, loff_t offset,
			  size_t count)
{
	return error_read_text(kobj_to_igen(kobj), buf, offset, count);
}

static ssize_t error_write(struct file *file, struct kobject *kobj, IGEN_BIN_ATTRIBUTE *attr, char *buf, loff_t offset,
			   size_t count)
{
	igen_capture_clear(kobj_to_igen(kobj));
	return count;
}

static const struct bin_attribute error_attr = {
	.attr = { .name = "error", .mode = 0600 },
	.read = error_read,
	.write = error_write,
};

static ssize_t debugfs_error_read(struct file *file, char __user *ubuf, size_t count, loff_t *pos)
{
	char *buf;
	ssize_t n;

	count = min_t(size_t, count, PAGE_SIZE);
	buf = kmalloc(count, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	n = error_read_text(file->private_data, buf, *pos, count);
	if (n > 0 && copy_to_user(ubuf, buf, n))
		n = -EFAULT;
	else if (n > 0)
		*pos += n;
	kfree(buf);
	return n;
}

static ssize_t debugfs_error_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	igen_capture_clear(file->private_data);
	return count;
}

static const struct file_operations error_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = debugfs_error_read,
	.write = debugfs_error_write,
	.llseek = default_llseek,
};

/**
 * igen_error_debugfs - i915_error_state
 * @igen: the device
 * @root: its directory
 */
void igen_error_debugfs(struct igen_device *igen, struct dentry *root)
{
	debugfs_create_file("i915_error_state", 0600, root, igen, &error_fops);
}

/* Gives a text of the new error to devcoredump, which frees the text after a while or when userspace asks for it. */
static void error_work(struct work_struct *work)
{
	struct igen_device *igen = container_of(work, struct igen_device, error.work);
	struct igen_snapshot *snap = igen_capture_first(igen);
	void *text = NULL;
	int err, idx;

	if (IS_ERR_OR_NULL(snap))
		return;

	mutex_lock(&igen->diag->error_mutex);
	err = error_make_text(igen, snap);
	mutex_unlock(&igen->diag->error_mutex);
	if (!err) {
		text = vmalloc(snap->text_size);
		err = text ? 0 : -ENOMEM;
	}
	if (!err)
		error_copy_text(snap, text, 0, snap->text_size);

	if (err) {
		dev_notice_ratelimited(igen->drm.dev, "no memory to make the error state a device core dump\n");
	} else if (drm_dev_enter(&igen->drm, &idx)) {
		dev_coredumpv(igen->drm.dev, text, snap->text_size, GFP_KERNEL);
		drm_dev_exit(idx);
	} else {
		vfree(text);
	}
	igen_snapshot_put(snap);
}

static void error_fini(struct drm_device *drm, void *data)
{
	struct igen_device *igen = to_igen(drm);

	cancel_work_sync(&igen->error.work);
	igen_capture_clear(igen);
	mutex_destroy(&igen->diag->error_mutex);
}

/**
 * igen_error_init - before anything can be captured
 * @igen: the device, with its igen_diag
 *
 * Return: 0 or -ENOMEM.
 */
int igen_error_init(struct igen_device *igen)
{
	spin_lock_init(&igen->error.lock);
	INIT_WORK(&igen->error.work, error_work);
	mutex_init(&igen->diag->error_mutex);
	return drmm_add_action_or_reset(&igen->drm, error_fini, NULL);
}

/**
 * igen_error_register - the file next to the card
 * @igen: the device, registered
 */
void igen_error_register(struct igen_device *igen)
{
	if (sysfs_create_bin_file(&igen->drm.primary->kdev->kobj, &error_attr))
		drm_warn(&igen->drm, "no error state in sysfs\n");
}

/**
 * igen_error_unregister - takes it away
 * @igen: the device, still registered
 */
void igen_error_unregister(struct igen_device *igen)
{
	sysfs_remove_bin_file(&igen->drm.primary->kdev->kobj, &error_attr);
	flush_work(&igen->error.work);
}
