// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of what fdinfo tells
 *
 * The source is part of this file. A file has a table of handles here, and nothing else.
 */
#include "../uapi/igen_file.c"

#include <kunit/test.h>

#include "igen_mock.h"

#define HANDLES	(3 * HANDLES_AT_ONCE + 1)

/** struct handles - a file with many handles of one object without pages */
struct handles {
	/** @file: the file */
	struct drm_file file;
	/** @bo: the object */
	struct igen_bo bo;
	/** @m: what was told */
	struct seq_file m;
	/** @text: the same */
	char text[1024];
};

static struct handles *make_handles(struct kunit *test)
{
	struct handles *handles = kunit_kzalloc(test, sizeof(*handles), GFP_KERNEL);
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, handles);
	spin_lock_init(&handles->file.table_lock);
	idr_init(&handles->file.object_idr);
	handles->bo.base.size = SZ_1K;
	for (n = 0; n < HANDLES; n++)
		KUNIT_ASSERT_EQ(test, idr_alloc(&handles->file.object_idr, &handles->bo.base, n + 1, 0, GFP_KERNEL),
				(int)n + 1);
	return handles;
}

/* How many KiB fdinfo tells, which is one for each handle that was counted. */
static unsigned int counted(struct kunit *test, struct handles *handles)
{
	unsigned int kib = 0;
	int found;

	memset(handles->text, 0, sizeof(handles->text));
	handles->m = (struct seq_file){ .buf = handles->text, .size = sizeof(handles->text) };
	fdinfo_show_memory(&handles->m, &handles->file);
	found = sscanf(handles->text, "drm-total-system0:\t%u KiB", &kib);
	KUNIT_EXPECT_EQ(test, found, 1);
	return kib;
}

/* The count goes over all handles, and after the first piece of them when the reader is being killed, no further. */
static void killed_reader_stops(struct kunit *test)
{
	struct handles *handles = make_handles(test);
	unsigned int all, some;

	all = counted(test, handles);
	igen_mock_set_killed(true);
	some = counted(test, handles);
	igen_mock_set_killed(false);
	idr_destroy(&handles->file.object_idr);
	KUNIT_EXPECT_EQ(test, all, (unsigned int)HANDLES);
	KUNIT_EXPECT_EQ(test, some, (unsigned int)HANDLES_AT_ONCE);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(killed_reader_stops),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_file",
	.test_cases = cases,
};

kunit_test_suite(suite);
