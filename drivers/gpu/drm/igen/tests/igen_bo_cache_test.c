// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of closed objects that serve again
 *
 * The source is part of this file. Handles are counted here, but in no file's table.
 */
#include "../mm/igen_bo_cache.c"

#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>

#include "../mm/igen_budget.h"
#include "igen_mock.h"

#define MOST	4u	/* pages that a client keeps */
#define PATTERN	0xa5

static struct igen_device *igen_of(struct kunit *test)
{
	struct igen_mock *mock = test->priv;

	return mock->igen;
}

static void nothing(struct work_struct *work)
{
}

/* No clock takes part: objects do not age by themselves. */
static int init(struct kunit *test)
{
	int err = igen_mock_init(test);

	if (!err)
		INIT_DELAYED_WORK(&igen_of(test)->mm.closed_work, nothing);
	return err;
}

/* A client that keeps closed objects, with KASAN, too. */
static struct igen_client *keeping_client(struct kunit *test)
{
	struct igen_client *client = igen_mock_client(test);

	client->closed_bos.most = MOST;
	return client;
}

/* An object of a client's with one handle and with pages, which are full of a pattern. */
static struct igen_bo *used_object(struct kunit *test, struct igen_client *client, u64 size)
{
	struct igen_mock *mock = test->priv;
	struct igen_bo *bo = igen_bo_create_shmem(mock->igen, size);
	void *at;

	KUNIT_ASSERT_FALSE(test, IS_ERR(bo));
	KUNIT_ASSERT_EQ(test, igen_bo_charge(bo, client->budget), 0);
	bo->base.handle_count = 1;
	igen_bo_lock(bo);
	at = igen_bo_vmap(bo);
	KUNIT_ASSERT_FALSE(test, IS_ERR(at));
	memset(at, PATTERN, size);
	igen_bo_vunmap(bo);
	igen_bo_unlock(bo);
	return bo;
}

/* Closes the handle, as the DRM core does. */
static void close_handle(struct igen_client *client, struct igen_bo *bo)
{
	igen_bo_cache_put(&client->closed_bos, bo, client->budget);
	bo->base.handle_count--;
	igen_bo_put(bo);
}

/* How many bytes of an object are not zero; -1 when it has no pages. */
static int dirty_bytes(struct igen_bo *bo)
{
	int n = 0;
	size_t i;
	u8 *at;

	igen_bo_lock(bo);
	at = igen_bo_vmap(bo);
	if (!IS_ERR(at)) {
		for (i = 0; i < bo->base.size; i++)
			n += at[i] != 0;
		igen_bo_vunmap(bo);
	} else {
		n = -1;
	}
	igen_bo_unlock(bo);
	return n;
}

static unsigned int num_objects(struct kunit *test)
{
	return atomic_read(&igen_of(test)->bo_count);
}

static void drop_client(struct kunit *test, struct igen_client *client)
{
	igen_bo_cache_close(igen_of(test), &client->closed_bos);
	igen_client_put(client);
}

/* The next object of the same size is the one that was closed last: zero, and with the state of a new one. */
static void closed_object_is_as_new(struct kunit *test)
{
	static const u64 sizes[] = { SZ_4K, SZ_16K };
	struct igen_client *client = keeping_client(test);
	struct igen_mock *mock = test->priv;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(sizes); n++) {
		struct igen_bo *old = used_object(test, client, sizes[n]);
		struct igen_bo *fresh = igen_bo_create_shmem(mock->igen, sizes[n]), *bo;

		KUNIT_ASSERT_FALSE(test, IS_ERR(fresh));
		old->tiling = I915_TILING_Y;
		old->stride = 512;
		old->cache_level = IGEN_CACHE_DISPLAY;
		old->read_domains = I915_GEM_DOMAIN_WC;
		old->write_domain = I915_GEM_DOMAIN_WC;
		old->cpu_dirty = false;
		close_handle(client, old);

		KUNIT_EXPECT_NULL(test, igen_bo_cache_get(igen_of(test), &client->closed_bos, sizes[n] / 2));
		bo = igen_bo_cache_get(igen_of(test), &client->closed_bos, sizes[n]);
		KUNIT_ASSERT_PTR_EQ(test, bo, old);
		KUNIT_EXPECT_NULL(test, igen_bo_cache_get(igen_of(test), &client->closed_bos, sizes[n]));
		KUNIT_EXPECT_EQ(test, kref_read(&bo->base.refcount), 1u);
		KUNIT_EXPECT_NOT_NULL(test, bo->pages);
		KUNIT_EXPECT_TRUE(test, bo->cpu_dirty);
		KUNIT_EXPECT_EQ(test, bo->tiling, fresh->tiling);
		KUNIT_EXPECT_EQ(test, bo->stride, fresh->stride);
		KUNIT_EXPECT_EQ(test, bo->cache_level, fresh->cache_level);
		KUNIT_EXPECT_EQ(test, bo->read_domains, fresh->read_domains);
		KUNIT_EXPECT_EQ(test, bo->write_domain, fresh->write_domain);
		KUNIT_EXPECT_EQ(test, bo->madv, fresh->madv);
		KUNIT_EXPECT_EQ(test, bo->purged, fresh->purged);
		KUNIT_EXPECT_EQ(test, dirty_bytes(bo), 0);
		igen_bo_put(bo);
		igen_bo_put(fresh);
	}
	drop_client(test, client);
}

/* The ways in which an object can be something else than its handle's alone, or not as a new one is. */
enum known {
	BY_REFERENCE,
	BY_HANDLE,
	BY_NAME,
	BY_DMABUF,
	BY_MAPPING,
	BY_PIN,
	BY_LOCK,
	BY_GGTT,
	BY_SWAP,
	BY_REQUEST,
	BY_CLIENT,
	IS_LARGE,
	NUM_KNOWN,
};

/* Makes an object known or unknown in one of the ways that need no preparation. */
static void set_known(struct igen_bo *bo, enum known how, bool known)
{
	static struct dma_buf some_buffer;
	static struct igen_vma some_vma;

	switch (how) {
	case BY_REFERENCE:
		known ? igen_bo_get(bo) : igen_bo_put(bo);
		break;
	case BY_HANDLE:
		bo->base.handle_count += known ? 1 : -1;
		break;
	case BY_NAME:
		bo->base.name = known;
		break;
	case BY_DMABUF:
		bo->base.dma_buf = known ? &some_buffer : NULL;
		break;
	case BY_MAPPING:
		bo->file_mapped = known;
		break;
	case BY_PIN:
		bo->pages_pin += known ? 1 : -1;
		break;
	case BY_LOCK:
		known ? igen_bo_lock(bo) : igen_bo_unlock(bo);
		break;
	case BY_SWAP:
		/* What the shrinker does; its pages come back. */
		igen_bo_lock(bo);
		if (known) {
			igen_bo_put_pages(bo);
		} else {
			igen_bo_pin_pages(bo);
			igen_bo_unpin_pages(bo);
		}
		igen_bo_unlock(bo);
		break;
	case BY_GGTT:
		bo->ggtt_vmas = known ? &some_vma : NULL;
		break;
	default:
		break;
	}
}

static void add_fence(struct kunit *test, struct igen_bo *bo, struct dma_fence *fence)
{
	igen_bo_lock(bo);
	KUNIT_ASSERT_EQ(test, dma_resv_reserve_fences(bo->base.resv, 1), 0);
	dma_resv_add_fence(bo->base.resv, fence, DMA_RESV_USAGE_READ);
	igen_bo_unlock(bo);
}

/* What has the object beside its handle goes on having it: the next object is another one. */
static void known_object_is_not_kept(struct kunit *test)
{
	struct igen_client *client = keeping_client(test), *other = keeping_client(test);
	struct igen_mock_foreign *foreign = kunit_kzalloc(test, sizeof(*foreign), GFP_KERNEL);
	unsigned int before = num_objects(test);
	struct dma_fence *fence;
	struct igen_bo *bo;
	enum known how;

	KUNIT_ASSERT_NOT_NULL(test, foreign);
	fence = igen_mock_foreign_init(foreign, dma_fence_context_alloc(1), 1);
	for (how = 0; how < NUM_KNOWN; how++) {
		bo = used_object(test, how == BY_CLIENT ? other : client, how == IS_LARGE ? SZ_32K : SZ_4K);
		if (how == BY_REQUEST)
			add_fence(test, bo, fence);
		set_known(bo, how, true);
		igen_bo_cache_put(&client->closed_bos, bo, client->budget);
		KUNIT_EXPECT_EQ_MSG(test, client->closed_bos.pages, 0u, "known in way %u", how);
		set_known(bo, how, false);
		if (how == BY_REQUEST)
			dma_fence_signal(fence);
		/* The same object is kept once that is over. */
		if (how != BY_CLIENT && how != IS_LARGE) {
			igen_bo_cache_put(&client->closed_bos, bo, client->budget);
			KUNIT_EXPECT_EQ_MSG(test, client->closed_bos.pages, 1u, "unknown in way %u", how);
			KUNIT_EXPECT_EQ(test, igen_bo_caches_drain(igen_of(test), ULONG_MAX), 1ul);
		}
		bo->base.handle_count = 0;
		igen_bo_put(bo);
	}
	KUNIT_EXPECT_EQ(test, num_objects(test), before);
	drop_client(test, client);
	drop_client(test, other);
}

/* The shrinker takes kept objects, without swap, too. Their pages do not count for the client meanwhile. */
static void shrinker_takes_kept_objects(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	unsigned int before = num_objects(test);
	struct igen_bo *bo[2];
	unsigned int n;

	for (n = 0; n < 2; n++)
		bo[n] = used_object(test, client, SZ_8K);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&client->budget->pages), 4l);
	for (n = 0; n < 2; n++)
		close_handle(client, bo[n]);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&client->budget->pages), 0l);
	KUNIT_EXPECT_EQ(test, igen_of(test)->mm.shrink_pages, 4ul);
	KUNIT_EXPECT_EQ(test, igen_shrink(igen_of(test), 1, 0), 4ul);
	KUNIT_EXPECT_EQ(test, igen_of(test)->mm.shrink_pages, 0ul);
	KUNIT_EXPECT_EQ(test, num_objects(test), before);
	KUNIT_EXPECT_NULL(test, igen_bo_cache_get(igen_of(test), &client->closed_bos, SZ_8K));
	drop_client(test, client);
}

/* As many caches are emptied as it takes, with or without pages in their objects. */
static void caches_are_emptied_as_needed(struct kunit *test)
{
	struct igen_client *client[3];
	unsigned int n, left = 0;
	struct igen_bo *bo;

	for (n = 0; n < ARRAY_SIZE(client); n++) {
		client[n] = keeping_client(test);
		bo = igen_bo_create_shmem(igen_of(test), SZ_8K);
		KUNIT_ASSERT_FALSE(test, IS_ERR(bo));
		KUNIT_ASSERT_EQ(test, igen_bo_charge(bo, client[n]->budget), 0);
		bo->base.handle_count = 1;
		close_handle(client[n], bo);
	}
	KUNIT_EXPECT_EQ(test, igen_bo_caches_drain(igen_of(test), 3), 0ul);
	for (n = 0; n < ARRAY_SIZE(client); n++)
		left += client[n]->closed_bos.pages;
	KUNIT_EXPECT_EQ(test, left, 2u);
	for (n = 0; n < ARRAY_SIZE(client); n++) {
		KUNIT_EXPECT_EQ(test, igen_bo_cache_empty(igen_of(test), &client[n]->closed_bos), n == 2);
		drop_client(test, client[n]);
	}
}

/* A walk of the shrinker's may take the pages of an object just before it was kept. The next object gets new ones. */
static void pages_can_be_taken(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	struct igen_bo *bo = used_object(test, client, SZ_16K);

	close_handle(client, bo);
	igen_bo_lock(bo);
	igen_bo_put_pages(bo);
	bo->ops->truncate(bo);
	bo->purged = true;
	igen_bo_unlock(bo);
	KUNIT_EXPECT_PTR_EQ(test, igen_bo_cache_get(igen_of(test), &client->closed_bos, SZ_16K), bo);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&client->budget->pages), 0l);
	KUNIT_EXPECT_EQ(test, dirty_bytes(bo), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&client->budget->pages), 4l);
	igen_bo_put(bo);
	drop_client(test, client);
}

/* A kept object is not the shrinker's first choice any more when it is in use again. */
static void object_in_use_is_not_purgeable(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	struct igen_mock *mock = test->priv;
	struct igen_bo *bo = used_object(test, client, SZ_4K);

	close_handle(client, bo);
	KUNIT_EXPECT_FALSE(test, list_empty(&mock->igen->mm.purge_list));
	KUNIT_EXPECT_PTR_EQ(test, igen_bo_cache_get(igen_of(test), &client->closed_bos, SZ_4K), bo);
	KUNIT_EXPECT_TRUE(test, list_empty(&mock->igen->mm.purge_list));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&client->budget->pages), 1l);
	KUNIT_EXPECT_FALSE(test, list_empty(&mock->igen->mm.shrink_list));
	igen_bo_put(bo);
	drop_client(test, client);
}

/* As long as a TLB may know the pages the object is no client's next one; then it can be. */
static void tlbs_forget_first(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	struct igen_mock *mock = test->priv;
	struct igen_bo *bo = used_object(test, client, SZ_4K);
	u64 completed = atomic64_read(&mock->igen->mm.tlb.completed);

	bo->tlb_mark = igen_tlb_mark(mock->igen);
	atomic64_set(&mock->igen->mm.tlb.completed, bo->tlb_mark - 1);
	close_handle(client, bo);
	KUNIT_EXPECT_NULL(test, igen_bo_cache_get(igen_of(test), &client->closed_bos, SZ_4K));
	atomic64_set(&mock->igen->mm.tlb.completed, bo->tlb_mark);
	KUNIT_EXPECT_PTR_EQ(test, igen_bo_cache_get(igen_of(test), &client->closed_bos, SZ_4K), bo);
	atomic64_set(&mock->igen->mm.tlb.completed, completed);
	igen_bo_put(bo);
	drop_client(test, client);
}

/* A client keeps so many pages and no more, those of the objects that were closed last. */
static void few_are_kept(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	unsigned int before = num_objects(test), n;
	struct igen_bo *bo[MOST + 2], *large;

	for (n = 0; n < ARRAY_SIZE(bo); n++)
		bo[n] = used_object(test, client, SZ_4K);
	for (n = 0; n < ARRAY_SIZE(bo); n++)
		close_handle(client, bo[n]);
	KUNIT_EXPECT_EQ(test, num_objects(test), before + MOST);
	for (n = ARRAY_SIZE(bo); n-- > ARRAY_SIZE(bo) - 2;) {
		KUNIT_EXPECT_PTR_EQ(test, igen_bo_cache_get(igen_of(test), &client->closed_bos, SZ_4K), bo[n]);
		igen_bo_put(bo[n]);
	}
	/* Two are left, and one of them has to go for three pages. */
	KUNIT_EXPECT_EQ(test, client->closed_bos.pages, MOST - 2);
	large = used_object(test, client, 3 * SZ_4K);
	close_handle(client, large);
	KUNIT_EXPECT_EQ(test, client->closed_bos.pages, MOST);
	KUNIT_EXPECT_EQ(test, num_objects(test), before + 2);
	KUNIT_EXPECT_PTR_EQ(test, igen_bo_cache_get(igen_of(test), &client->closed_bos, 3 * SZ_4K), large);
	igen_bo_put(large);
	drop_client(test, client);
	KUNIT_EXPECT_EQ(test, num_objects(test), before);
}

/* A kept object is charged to its client; when the file is closed none is kept, also of what is closed later. */
static void closed_client_keeps_nothing(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	long used = atomic_long_read(&client->budget->used), charged;
	unsigned int before = num_objects(test);

	igen_client_open(igen_of(test), client);
	close_handle(client, used_object(test, client, SZ_4K));
	charged = atomic_long_read(&client->budget->used) - used;
	KUNIT_EXPECT_EQ(test, charged, (long)igen_bo_charged_bytes(true));
	KUNIT_EXPECT_EQ(test, num_objects(test), before + 1);
	igen_client_close(igen_of(test), client);
	KUNIT_EXPECT_EQ(test, num_objects(test), before);
	close_handle(client, used_object(test, client, SZ_4K));
	KUNIT_EXPECT_EQ(test, num_objects(test), before);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&client->budget->used), used);
	igen_client_put(client);
}

/* A client that has not made or closed any small object between two looks keeps none; one that has, does. */
static void only_busy_clients_keep_objects(struct kunit *test)
{
	struct igen_client *idle = keeping_client(test), *busy = keeping_client(test);
	struct delayed_work *work = &igen_of(test)->mm.closed_work;
	unsigned int before = num_objects(test);
	struct igen_bo *bo;

	close_handle(idle, used_object(test, idle, SZ_4K));
	close_handle(busy, used_object(test, busy, SZ_4K));
	close_handle(busy, used_object(test, busy, SZ_4K));
	cache_age(&work->work);
	KUNIT_EXPECT_EQ(test, num_objects(test), before + 3);
	bo = igen_bo_cache_get(igen_of(test), &busy->closed_bos, SZ_4K);
	KUNIT_EXPECT_NOT_NULL(test, bo);
	igen_bo_put(bo);
	cache_age(&work->work);
	KUNIT_EXPECT_EQ(test, idle->closed_bos.pages, 0u);
	KUNIT_EXPECT_EQ(test, busy->closed_bos.pages, 1u);
	KUNIT_EXPECT_EQ(test, num_objects(test), before + 1);
	cache_age(&work->work);
	KUNIT_EXPECT_EQ(test, num_objects(test), before);
	drop_client(test, idle);
	drop_client(test, busy);
}

/* The driver looks by itself, as long as there are any. */
static void idle_clients_keep_nothing(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	unsigned int before = num_objects(test), round, ms;

	INIT_DELAYED_WORK(&igen_of(test)->mm.closed_work, cache_age);
	for (round = 0; round < 2; round++) {
		close_handle(client, used_object(test, client, SZ_4K));
		for (ms = 0; ms < 60000 && num_objects(test) > before; ms += 20)
			msleep(20);
		KUNIT_EXPECT_EQ(test, num_objects(test), before);
	}
	drop_client(test, client);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(closed_object_is_as_new),
	KUNIT_CASE(known_object_is_not_kept),
	KUNIT_CASE(shrinker_takes_kept_objects),
	KUNIT_CASE(caches_are_emptied_as_needed),
	KUNIT_CASE(pages_can_be_taken),
	KUNIT_CASE(object_in_use_is_not_purgeable),
	KUNIT_CASE(tlbs_forget_first),
	KUNIT_CASE(few_are_kept),
	KUNIT_CASE(closed_client_keeps_nothing),
	KUNIT_CASE(only_busy_clients_keep_objects),
	KUNIT_CASE(idle_clients_keep_nothing),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_bo_cache",
	.init = init,
	.exit = igen_mock_exit,
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
