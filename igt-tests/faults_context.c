// SPDX-License-Identifier: MIT
/*
 * DOC: Contexts, address spaces, queries, and what is read of the device
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "faults.h"

#define DRI		"/sys/kernel/debug/dri/0/"

/* Contexts */

enum {
	WITH_ENGINES = 1,
	WITH_BALANCE = 2,	/* and a bond */
	WITH_VM = 4,
	WITH_FLAGS = 8,
	SINGLE_TIMELINE = 16,
	AND_USE = 32,		/* the call is the first use, which makes the context */
};

/* The structs that the extensions of a CONTEXT_CREATE_EXT point to. */
struct create_memory {
	struct drm_i915_gem_context_create_ext_setparam set[4];
	I915_DEFINE_CONTEXT_PARAM_ENGINES(map, 3);
	I915_DEFINE_CONTEXT_ENGINES_LOAD_BALANCE(balance, 1);
	I915_DEFINE_CONTEXT_ENGINES_BOND(bond, 1);
};

static void add_param(struct create_memory *m, unsigned int n, uint64_t param, uint64_t value, uint32_t size)
{
	m->set[n].base.name = I915_CONTEXT_CREATE_EXT_SETPARAM;
	m->set[n].param.param = param;
	m->set[n].param.value = value;
	m->set[n].param.size = size;
	if (n)
		m->set[n - 1].base.next_extension = (uintptr_t)&m->set[n];
}

static void add_engines(struct fx *fx, struct create_memory *m, bool balanced)
{
	const struct i915_engine_class_instance none = {
		I915_ENGINE_CLASS_INVALID, I915_ENGINE_CLASS_INVALID_NONE,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(m->map.engines); i++) {
		m->map.engines[i].engine_class = fx->dev->engine[i].class;
		m->map.engines[i].engine_instance = fx->dev->engine[i].instance;
	}
	if (!balanced)
		return;
	m->balance.engines[0] = m->map.engines[0];
	m->bond.engines[0] = m->map.engines[2];
	m->map.engines[0] = none;
	m->map.extensions = (uintptr_t)&m->balance;
	m->balance.base.name = I915_CONTEXT_ENGINES_EXT_LOAD_BALANCE;
	m->balance.base.next_extension = (uintptr_t)&m->bond;
	m->balance.num_siblings = 1;
	m->bond.base.name = I915_CONTEXT_ENGINES_EXT_BOND;
	m->bond.master = m->map.engines[1];
	m->bond.num_bonds = 1;
}

static void prepare_create(struct fx *fx)
{
	struct drm_i915_gem_context_create_ext *create = FAULT_ARG(fx, struct drm_i915_gem_context_create_ext);
	struct drm_i915_gem_vm_control vm = { 0 };
	struct create_memory *m = calloc(1, sizeof(*m));
	const unsigned int with = fx->path->arg;
	unsigned int n = 0;

	it_expect(m, "out of memory");
	fx->many = m;
	if (with & WITH_VM) {
		fault_must(fx, DRM_IOCTL_I915_GEM_VM_CREATE, &vm);
		add_param(m, n++, I915_CONTEXT_PARAM_VM, vm.vm_id, 0);
	}
	if (with & WITH_FLAGS) {
		add_param(m, n++, I915_CONTEXT_PARAM_PERSISTENCE, 0, 0);
		add_param(m, n++, I915_CONTEXT_PARAM_PRIORITY, -1, 0);
	}
	if (with & (WITH_ENGINES | WITH_BALANCE)) {
		add_engines(fx, m, with & WITH_BALANCE);
		add_param(m, n++, I915_CONTEXT_PARAM_ENGINES, (uintptr_t)&m->map, sizeof(m->map));
	}
	if (n)
		create->flags |= I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS;
	create->extensions = n ? (uintptr_t)m->set : 0;
	if (with & SINGLE_TIMELINE)
		create->flags |= I915_CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE;
	fx->request = DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT;
}

static void check_create(struct fx *fx)
{
	fault_expect_handle(fx, FAULT_USED(fx, struct drm_i915_gem_context_create_ext)->ctx_id);
}

static void prepare_first_use(struct fx *fx)
{
	struct drm_i915_gem_context_param *arg = FAULT_ARG(fx, struct drm_i915_gem_context_param);
	struct drm_i915_gem_context_create_ext create;

	prepare_create(fx);
	create = *FAULT_ARG(fx, struct drm_i915_gem_context_create_ext);
	fault_must(fx, fx->request, &create);
	memset(&fx->arg, 0, sizeof(fx->arg));
	arg->ctx_id = create.ctx_id;
	arg->param = I915_CONTEXT_PARAM_GTT_SIZE;
	fx->request = DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM;
}

static void check_first_use(struct fx *fx)
{
	it_expect(FAULT_USED(fx, struct drm_i915_gem_context_param)->value == 1ull << 48,
		  "address space of %llx bytes",
		  (unsigned long long)FAULT_USED(fx, struct drm_i915_gem_context_param)->value);
}

static void prepare_destroy(struct fx *fx)
{
	FAULT_ARG(fx, struct drm_i915_gem_context_destroy)->ctx_id = it_ctx_engines(fx->dev);
	fx->request = DRM_IOCTL_I915_GEM_CONTEXT_DESTROY;
}

static void check_destroy(struct fx *fx)
{
	struct drm_i915_gem_context_destroy gone = *FAULT_ARG(fx, struct drm_i915_gem_context_destroy);

	it_expect(it_ioctl(fx->fd, fx->request, &gone) == -ENOENT, "the context is still there");
}

/* Parameters; arg: which. Setting works on a context that is not made yet, where memory is needed for it. */

static void prepare_getparam(struct fx *fx)
{
	struct drm_i915_gem_context_param *arg = FAULT_ARG(fx, struct drm_i915_gem_context_param);

	arg->param = fx->path->arg;
	if (arg->param == I915_CONTEXT_PARAM_SSEU) {
		arg->value = (uintptr_t)fx->data;
		arg->size = sizeof(struct drm_i915_gem_context_param_sseu);
	}
	fx->request = DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM;
}

static void check_getparam_vm(struct fx *fx)
{
	fault_expect_handle(fx, FAULT_USED(fx, struct drm_i915_gem_context_param)->value);
}

static void prepare_setparam(struct fx *fx)
{
	struct drm_i915_gem_context_param *arg = FAULT_ARG(fx, struct drm_i915_gem_context_param);
	struct drm_i915_gem_vm_control vm = { 0 };
	struct create_memory *m = calloc(1, sizeof(*m));

	it_expect(m, "out of memory");
	fx->many = m;
	arg->ctx_id = it_ctx(fx->dev);
	arg->param = fx->path->arg;
	if (arg->param == I915_CONTEXT_PARAM_ENGINES) {
		add_engines(fx, m, true);
		arg->value = (uintptr_t)&m->map;
		arg->size = sizeof(m->map);
	} else if (arg->param == I915_CONTEXT_PARAM_VM) {
		fault_must(fx, DRM_IOCTL_I915_GEM_VM_CREATE, &vm);
		arg->value = vm.vm_id;
	}
	fx->request = DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM;
}

/* Address spaces */

static void prepare_vm_create(struct fx *fx)
{
	fx->request = DRM_IOCTL_I915_GEM_VM_CREATE;
}

static void check_vm_create(struct fx *fx)
{
	fault_expect_handle(fx, FAULT_USED(fx, struct drm_i915_gem_vm_control)->vm_id);
}

static void prepare_vm_destroy(struct fx *fx)
{
	struct drm_i915_gem_vm_control vm = { 0 };

	fault_must(fx, DRM_IOCTL_I915_GEM_VM_CREATE, &vm);
	FAULT_ARG(fx, struct drm_i915_gem_vm_control)->vm_id = vm.vm_id;
	fx->request = DRM_IOCTL_I915_GEM_VM_DESTROY;
}

/* Questions */

static void prepare_query(struct fx *fx)
{
	struct drm_i915_query *query = FAULT_ARG(fx, struct drm_i915_query);

	query->num_items = 1;
	query->items_ptr = (uintptr_t)fx->data;
	fx->request = DRM_IOCTL_I915_QUERY;
}

/* What an item fails with is in its length. */
static int op_query(struct fx *fx)
{
	struct drm_i915_query_item *item = (void *)fx->data;
	int ret;

	memset(fx->more, 0, sizeof(fx->more));
	item->query_id = fx->path->arg;
	item->length = sizeof(fx->more);
	item->data_ptr = (uintptr_t)fx->more;
	ret = fault_ioctl(fx);
	return ret ?: item->length < 0 ? item->length : 0;
}

static void prepare_device_param(struct fx *fx)
{
	struct drm_i915_getparam *arg = FAULT_ARG(fx, struct drm_i915_getparam);

	arg->param = I915_PARAM_CHIPSET_ID;
	arg->value = (void *)fx->data;
	fx->request = DRM_IOCTL_I915_GETPARAM;
}

static void check_device_param(struct fx *fx)
{
	it_expect((uint32_t)fx->data[0], "no chipset id");
}

static void prepare_version(struct fx *fx)
{
	struct drm_version *arg = FAULT_ARG(fx, struct drm_version);

	arg->name = (char *)fx->data;
	arg->name_len = 8;
	fx->request = DRM_IOCTL_VERSION;
}

static void prepare_plain(struct fx *fx)
{
	static const struct {
		unsigned long request;
		uint64_t first;
	} plain[] = {
		{ DRM_IOCTL_I915_GEM_THROTTLE, 0 },
		{ DRM_IOCTL_I915_GET_RESET_STATS, 0 },
		{ DRM_IOCTL_I915_REG_READ, 0x2358 | I915_REG_READ_8B_WA },
	};

	fx->request = plain[fx->path->arg].request;
	fx->arg.align = plain[fx->path->arg].first;
}

/* Files: opened, read to the end, closed; or written */

static const struct {
	const char *file, *text;
} files[] = {
	{ DRI "i915_gem_objects", NULL },
	{ DRI "i915_engine_info", NULL },
	{ DRI "i915_capabilities", NULL },
	{ DRI "i915_wa_registers", NULL },
	{ DRI "i915_wedged", NULL },
	{ DRI "i915_gem_drop_caches", NULL },
	{ DRI "i915_gem_drop_caches", "0x3f" },
	{ DRI "i915_wedged", "1" },
	{ DRI "i915_params/reset", NULL },
	{ "/sys/class/drm/card0/engine/rcs0/capabilities", NULL },
	{ "/sys/class/drm/card0/engine/rcs0/mmio_base", NULL },
	{ "/sys/class/drm/card0/gt_cur_freq_mhz", NULL },
	{ "/sys/class/drm/card0/engine/rcs0/heartbeat_interval_ms", "2500" },
	{ NULL, NULL },		/* fdinfo of the attempt's own file */
};

static int op_file(struct fx *fx)
{
	const char *text = files[fx->path->arg].text;
	const char *file = files[fx->path->arg].file;
	int fd, ret = 0;
	char name[64];
	ssize_t n = 0;

	if (!file) {
		snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fx->fd);
		file = name;
	}
	fd = open(file, (text ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (text && write(fd, text, strlen(text)) < 0)
		ret = -errno;
	while (!text && !ret && (n = read(fd, fx->more, sizeof(fx->more)))) {
		if (n < 0)
			ret = -errno;
	}
	close(fd);
	return ret;
}

#define FILE_PATH(name, n)	FAULT(name, NULL, op_file, NULL, .arg = n, .flags = FAULT_NO_DEVICE)

static const struct fault_path paths[] = {
	FAULT("context-create", prepare_create, fault_ioctl, check_create, .flags = FAULT_COPY_OUT),
	FAULT("context-create-engines", prepare_create, fault_ioctl, check_create, .flags = FAULT_COPY_OUT,
	      .arg = WITH_ENGINES),
	FAULT("context-create-balanced", prepare_create, fault_ioctl, check_create, .flags = FAULT_COPY_OUT,
	      .arg = WITH_BALANCE),
	FAULT("context-create-all", prepare_create, fault_ioctl, check_create, .flags = FAULT_COPY_OUT,
	      .arg = WITH_ENGINES | WITH_VM | WITH_FLAGS | SINGLE_TIMELINE),
	FAULT("context-first-use", prepare_first_use, fault_ioctl, check_first_use),
	FAULT("context-first-use-vm", prepare_first_use, fault_ioctl, check_first_use,
	      .arg = WITH_VM | WITH_ENGINES | SINGLE_TIMELINE),
	FAULT("context-first-use-all", prepare_first_use, fault_ioctl, check_first_use,
	      .arg = WITH_BALANCE | SINGLE_TIMELINE),
	FAULT("context-destroy", prepare_destroy, fault_ioctl, check_destroy),
	FAULT("context-getparam-vm", prepare_getparam, fault_ioctl, check_getparam_vm, .flags = FAULT_COPY_OUT,
	      .arg = I915_CONTEXT_PARAM_VM),
	FAULT("context-getparam-sseu", prepare_getparam, fault_ioctl, NULL, .arg = I915_CONTEXT_PARAM_SSEU),
	FAULT("context-getparam-priority", prepare_getparam, fault_ioctl, NULL, .arg = I915_CONTEXT_PARAM_PRIORITY),
	FAULT("context-setparam-engines", prepare_setparam, fault_ioctl, NULL, .arg = I915_CONTEXT_PARAM_ENGINES,
	      .flags = FAULT_COPY_OUT, .again = EINVAL),
	FAULT("context-setparam-vm", prepare_setparam, fault_ioctl, NULL, .arg = I915_CONTEXT_PARAM_VM),
	FAULT("context-setparam-priority", prepare_setparam, fault_ioctl, NULL, .arg = I915_CONTEXT_PARAM_PRIORITY),
	FAULT("vm-create", prepare_vm_create, fault_ioctl, check_vm_create, .flags = FAULT_COPY_OUT),
	FAULT("vm-destroy", prepare_vm_destroy, fault_ioctl, NULL),
	FAULT("query-topology", prepare_query, op_query, NULL, .arg = DRM_I915_QUERY_TOPOLOGY_INFO),
	FAULT("query-engines", prepare_query, op_query, NULL, .arg = DRM_I915_QUERY_ENGINE_INFO),
	FAULT("query-regions", prepare_query, op_query, NULL, .arg = DRM_I915_QUERY_MEMORY_REGIONS),
	FAULT("getparam", prepare_device_param, fault_ioctl, check_device_param),
	FAULT("version", prepare_version, fault_ioctl, NULL),
	FAULT("throttle", prepare_plain, fault_ioctl, NULL, .arg = 0, .flags = FAULT_NO_FAIL),
	FAULT("reset-stats", prepare_plain, fault_ioctl, NULL, .arg = 1),
	FAULT("reg-read", prepare_plain, fault_ioctl, NULL, .arg = 2),
	FAULT("fdinfo", NULL, op_file, NULL, .arg = 13),
	FILE_PATH("debugfs-gem-objects", 0),
	FILE_PATH("debugfs-engine-info", 1),
	FILE_PATH("debugfs-capabilities", 2),
	FILE_PATH("debugfs-wa-registers", 3),
	FILE_PATH("debugfs-wedged", 4),
	FILE_PATH("debugfs-drop-caches", 5),
	FILE_PATH("debugfs-drop-caches-write", 6),
	FILE_PATH("debugfs-reset", 7),
	FILE_PATH("debugfs-params", 8),
	FILE_PATH("sysfs-capabilities", 9),
	FILE_PATH("sysfs-mmio-base", 10),
	FILE_PATH("sysfs-frequency", 11),
	FILE_PATH("sysfs-heartbeat-write", 12),
};

void faults_context(void)
{
	fault_run(paths, ARRAY_SIZE(paths));
}
