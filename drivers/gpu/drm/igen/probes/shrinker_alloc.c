// SPDX-License-Identifier: MIT
/* Since 6.7 the kernel allocates shrinkers; before, a shrinker was part of its user's structure. */
#include <linux/mm.h>
#include <linux/shrinker.h>

static int probe(struct shrinker *shrinker)
{
#ifdef IGEN_PROBE
	shrinker = shrinker_alloc(0, "probe");
	shrinker_register(shrinker);
	shrinker_free(shrinker);
	return 0;
#else
	unregister_shrinker(shrinker);
	return register_shrinker(shrinker, "probe");
#endif
}
