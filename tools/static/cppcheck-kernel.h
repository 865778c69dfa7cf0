/* SPDX-License-Identifier: MIT */
/*
 * What cppcheck has to know of the kernel to read the driver without the kernel's headers: the loops that look like
 * calls, and where a pointer comes from. Given with --include; never compiled.
 */

#ifndef CPPCHECK_KERNEL_H
#define CPPCHECK_KERNEL_H

void *cppcheck_entry(const void *node);
int cppcheck_more(const void *entry);

#define container_of(ptr, type, member)			((type *)cppcheck_entry(ptr))
#define list_first_entry(ptr, type, member)		((type *)cppcheck_entry(ptr))
#define list_last_entry(ptr, type, member)		((type *)cppcheck_entry(ptr))
#define list_first_entry_or_null(ptr, type, member)	((type *)cppcheck_entry(ptr))
#define rb_entry(ptr, type, member)			((type *)cppcheck_entry(ptr))
#define rb_entry_safe(ptr, type, member)		((type *)cppcheck_entry(ptr))

#define cppcheck_each(pos, head)	for (pos = cppcheck_entry(head); cppcheck_more(pos); pos = cppcheck_entry(pos))
#define cppcheck_each_safe(pos, next, head) \
	for (pos = cppcheck_entry(head), next = cppcheck_entry(pos); cppcheck_more(pos); \
	     pos = next, next = cppcheck_entry(pos))

#define list_for_each_entry(pos, head, member)			cppcheck_each(pos, head)
#define list_for_each_entry_reverse(pos, head, member)		cppcheck_each(pos, head)
#define list_for_each_entry_safe(pos, n, head, member)		cppcheck_each_safe(pos, n, head)
#define list_for_each_entry_safe_reverse(pos, n, head, member)	cppcheck_each_safe(pos, n, head)
#define hash_for_each_possible(table, pos, member, key)	cppcheck_each(pos, table)
#define llist_for_each_entry_safe(pos, n, node, member)		cppcheck_each_safe(pos, n, node)
#define xa_for_each(xa, index, entry) \
	for (index = 0, entry = cppcheck_entry(xa); cppcheck_more(entry); index++, entry = cppcheck_entry(entry))
#define for_each_sgtable_dma_page(table, iter, offset)	while (cppcheck_more(iter))
#define for_each_sgtable_dma_sg(table, sg, i)	for (i = 0, sg = cppcheck_entry(table); cppcheck_more(sg); i++)
#define dma_resv_for_each_fence(cursor, obj, usage, fence) \
	for (fence = cppcheck_entry(cursor); cppcheck_more(fence); fence = cppcheck_entry(cursor))
#define dma_resv_for_each_fence_unlocked(cursor, fence) \
	for (fence = cppcheck_entry(cursor); cppcheck_more(fence); fence = cppcheck_entry(cursor))
#define for_each_set_bit(bit, bits, size)	for (bit = cppcheck_more(bits); bit < (size); bit = cppcheck_more(bits))
#define for_each_set_bitrange(from, to, bits, size) \
	for (from = cppcheck_more(bits), to = cppcheck_more(bits); from < (size); \
	     from = cppcheck_more(bits), to = from + 1)

#define drm_mm_for_each_hole(pos, mm, start, end) \
	for (pos = cppcheck_entry(mm), start = cppcheck_more(pos), end = cppcheck_more(pos); cppcheck_more(pos); \
	     pos = cppcheck_entry(pos), start = cppcheck_more(pos), end = cppcheck_more(pos))

#define SYSTEM_SLEEP_PM_OPS(suspend__, resume__)	.suspend = (suspend__), .resume = (resume__),
#define RUNTIME_PM_OPS(suspend__, resume__, idle__) \
	.runtime_suspend = (suspend__), .runtime_resume = (resume__), .runtime_idle = (idle__),

/* Tracepoints: cppcheck does not parse what the kernel makes of them. */
#define TRACE_EVENT(...)
#define DECLARE_EVENT_CLASS(...)
#define DEFINE_EVENT(...)

#endif
