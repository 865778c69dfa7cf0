// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of closed objects that serve again
 *
 * Handles are counted here, but in no file's table.
 */
#include <kunit/test.h>
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/sizes.h>
#include <uapi/drm/i915_drm.h>

#include "../mm/igen_bo_cache.h"
#include "../mm/igen_budget.h"
#include "igen_mock.h"

#define MOST	4u
#define PATTERN	0xa5

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
	struct igen_mock *mock = test->priv;

	return atomic_read(&mock->igen->bo_count);
}

static void drop_client(struct kunit *test, struct igen_client *client)
{
	igen_bo_cache_close(&client->closed_bos);
	igen_client_put(client);
}

/* The next object of the same size is the one that was closed last: zero, and with the state of a new one. */
static void closed_object_is_as_new(struct kunit *test)
{
	static const u64 sizes[] = { SZ_4K, SZ_64K };
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

		KUNIT_EXPECT_NULL(test, igen_bo_cache_get(&client->closed_bos, sizes[n] / 2));
		bo = igen_bo_cache_get(&client->closed_bos, sizes[n]);
		KUNIT_ASSERT_PTR_EQ(test, bo, old);
		KUNIT_EXPECT_NULL(test, igen_bo_cache_get(&client->closed_bos, sizes[n]));
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
		bo = used_object(test, how == BY_CLIENT ? other : client, how == IS_LARGE ? SZ_128K : SZ_4K);
		if (how == BY_REQUEST)
			add_fence(test, bo, fence);
		set_known(bo, how, true);
		igen_bo_cache_put(&client->closed_bos, bo, client->budget);
		KUNIT_EXPECT_EQ_MSG(test, client->closed_bos.num, 0u, "known in way %u", how);
		set_known(bo, how, false);
		if (how == BY_REQUEST)
			dma_fence_signal(fence);
		/* The same object is kept once that is over. */
		if (how != BY_CLIENT && how != IS_LARGE) {
			igen_bo_cache_put(&client->closed_bos, bo, client->budget);
			KUNIT_EXPECT_EQ_MSG(test, client->closed_bos.num, 1u, "unknown in way %u", how);
			igen_bo_cache_drain(&client->closed_bos);
		}
		bo->base.handle_count = 0;
		igen_bo_put(bo);
	}
	KUNIT_EXPECT_EQ(test, num_objects(test), before);
	drop_client(test, client);
	drop_client(test, other);
}

/* The shrinker takes the pages of a kept object. The next object has new ones. */
static void pages_can_be_taken(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	struct igen_mock *mock = test->priv;
	struct igen_bo *bo = used_object(test, client, SZ_16K);
	long counted = atomic_long_read(&client->budget->pages);

	KUNIT_EXPECT_EQ(test, counted, 4l);
	close_handle(client, bo);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&client->budget->pages), counted);
	/* Purgeable objects alone are taken without swap. */
	KUNIT_EXPECT_EQ(test, igen_shrink(mock->igen, 4, 0), 4ul);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&client->budget->pages), 0l);
	KUNIT_EXPECT_PTR_EQ(test, igen_bo_cache_get(&client->closed_bos, SZ_16K), bo);
	KUNIT_EXPECT_NULL(test, bo->pages);
	KUNIT_EXPECT_EQ(test, dirty_bytes(bo), 0);
	KUNIT_EXPECT_EQ(test, mock->igen->mm.shrink_pages, 4ul);
	igen_bo_put(bo);
	KUNIT_EXPECT_EQ(test, mock->igen->mm.shrink_pages, 0ul);
	drop_client(test, client);
}

/* Content that is in the file alone, as in swap, is not that of the next object. */
static void content_in_the_file_goes(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	struct igen_bo *bo = used_object(test, client, SZ_8K);

	igen_bo_lock(bo);
	igen_bo_put_pages(bo);
	igen_bo_unlock(bo);
	close_handle(client, bo);
	KUNIT_EXPECT_PTR_EQ(test, igen_bo_cache_get(&client->closed_bos, SZ_8K), bo);
	KUNIT_EXPECT_EQ(test, dirty_bytes(bo), 0);
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
	KUNIT_EXPECT_PTR_EQ(test, igen_bo_cache_get(&client->closed_bos, SZ_4K), bo);
	KUNIT_EXPECT_TRUE(test, list_empty(&mock->igen->mm.purge_list));
	KUNIT_EXPECT_FALSE(test, list_empty(&mock->igen->mm.shrink_list));
	igen_bo_put(bo);
	drop_client(test, client);
}

/* As long as a TLB may know the pages the object serves nobody; then it does. */
static void tlbs_forget_first(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	struct igen_mock *mock = test->priv;
	struct igen_bo *bo = used_object(test, client, SZ_4K);
	u64 completed = atomic64_read(&mock->igen->mm.tlb.completed);

	bo->tlb_mark = igen_tlb_mark(mock->igen);
	atomic64_set(&mock->igen->mm.tlb.completed, bo->tlb_mark - 1);
	close_handle(client, bo);
	KUNIT_EXPECT_NULL(test, igen_bo_cache_get(&client->closed_bos, SZ_4K));
	atomic64_set(&mock->igen->mm.tlb.completed, bo->tlb_mark);
	KUNIT_EXPECT_PTR_EQ(test, igen_bo_cache_get(&client->closed_bos, SZ_4K), bo);
	atomic64_set(&mock->igen->mm.tlb.completed, completed);
	igen_bo_put(bo);
	drop_client(test, client);
}

/* A client keeps so many and no more, those that were closed last. */
static void few_are_kept(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	unsigned int before = num_objects(test), n;
	struct igen_bo *bo[MOST + 2];

	for (n = 0; n < ARRAY_SIZE(bo); n++)
		bo[n] = used_object(test, client, SZ_4K);
	for (n = 0; n < ARRAY_SIZE(bo); n++)
		close_handle(client, bo[n]);
	KUNIT_EXPECT_EQ(test, num_objects(test), before + MOST);
	for (n = ARRAY_SIZE(bo); n-- > ARRAY_SIZE(bo) - MOST;) {
		KUNIT_EXPECT_PTR_EQ(test, igen_bo_cache_get(&client->closed_bos, SZ_4K), bo[n]);
		igen_bo_put(bo[n]);
	}
	KUNIT_EXPECT_NULL(test, igen_bo_cache_get(&client->closed_bos, SZ_4K));
	KUNIT_EXPECT_EQ(test, num_objects(test), before);
	drop_client(test, client);
}

/* A kept object is charged to its client. One that was refused memory, or is idle, or whose file is closed has none. */
static void kept_objects_are_given_back(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	struct igen_mock *mock = test->priv;
	long used = atomic_long_read(&client->budget->used), charged;
	unsigned int before = num_objects(test);

	igen_client_open(mock->igen, client);
	close_handle(client, used_object(test, client, SZ_4K));
	charged = atomic_long_read(&client->budget->used) - used;
	KUNIT_EXPECT_EQ(test, charged, (long)igen_bo_charged_bytes(true));
	igen_clients_free_idle(mock->igen);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&client->budget->used), used);
	KUNIT_EXPECT_EQ(test, num_objects(test), before);

	close_handle(client, used_object(test, client, SZ_4K));
	KUNIT_EXPECT_EQ(test, num_objects(test), before + 1);
	igen_client_close(mock->igen, client);
	KUNIT_EXPECT_EQ(test, num_objects(test), before);
	close_handle(client, used_object(test, client, SZ_4K));
	KUNIT_EXPECT_EQ(test, num_objects(test), before);
	igen_client_put(client);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(closed_object_is_as_new),
	KUNIT_CASE(known_object_is_not_kept),
	KUNIT_CASE(pages_can_be_taken),
	KUNIT_CASE(content_in_the_file_goes),
	KUNIT_CASE(object_in_use_is_not_purgeable),
	KUNIT_CASE(tlbs_forget_first),
	KUNIT_CASE(few_are_kept),
	KUNIT_CASE(kept_objects_are_given_back),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_bo_cache",
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
