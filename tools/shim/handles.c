// SPDX-License-Identifier: MIT
/**
 * DOC: Tables of handles
 *
 * A handle is a small number from 1 on, the lowest that is free, as in the kernel.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

int handle_add(struct handles *h, void *object, uint32_t *handle)
{
	uint32_t i = h->hint;

	while (i < h->room && h->entry[i])
		i++;
	if (i == h->room) {
		uint32_t room = h->room ? 2 * h->room : 16;
		void **more = realloc(h->entry, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		memset(more + h->room, 0, (room - h->room) * sizeof(*more));
		h->entry = more;
		h->room = room;
	}
	h->entry[i] = object;
	h->hint = i + 1;
	*handle = i + 1;
	return 0;
}

void *handle_get(const struct handles *h, uint32_t handle)
{
	return handle && handle <= h->room ? h->entry[handle - 1] : NULL;
}

void *handle_remove(struct handles *h, uint32_t handle)
{
	void *object = handle_get(h, handle);

	if (!object)
		return NULL;
	h->entry[handle - 1] = NULL;
	if (handle - 1 < h->hint)
		h->hint = handle - 1;
	return object;
}

void handles_end(struct handles *h, void (*put)(void *object))
{
	for (uint32_t i = 0; i < h->room; i++)
		if (h->entry[i])
			put(h->entry[i]);
	free(h->entry);
	*h = (struct handles){ 0 };
}
