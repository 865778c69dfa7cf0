// SPDX-License-Identifier: MIT
/**
 * DOC: Probe and removal
 *
 * Probe brings the floors up from below: registers, fuses, objects, GGTT, engines, interrupts, and publishes the DRM
 * device last. Each step undoes itself by a managed action: what belongs to the PCI device goes with the binding
 * (devm), what open files still need goes with the DRM device (drmm). Removal stops the GPU, unplugs the DRM device,
 * which refuses new ioctls and waits for accesses to the device, and unmaps all memory for DMA, whichever owner it has.
 * Objects and contexts of open files stay allocated after removal; the last close of a file frees them.
 *
 * The DRM driver is called "i915", since that name is how userspace recognises the uAPI; the PCI driver is called
 * "igen". It binds only to devices that no other driver has and that it is asked to drive (igen_force_probe.c). With
 * nomodeset on the kernel's command line the module does not load.
 */
#define pr_fmt(fmt) "igen: " fmt

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_managed.h>
#include <linux/aperture.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/wait_bit.h>

#include "igen_bringup.h"
#include "igen_compat.h"
#include "igen_device.h"
#include "igen_pm.h"
#include "igen_version.h"
#include "diag/igen_diag.h"
#include "engine/igen_lrc.h"
#include "submit/igen_retire.h"
#include "submit/igen_submit.h"
#include "uapi/igen_gem.h"
#include "uapi/igen_uapi.h"

static const char igen_pci_driver_name[] = "igen";

static int inject_probe_error;
module_param(inject_probe_error, int, 0400);
MODULE_PARM_DESC(inject_probe_error, "Make the N-th step of the probe fail, to test its unwinding (default 0: none)");

/*
 * Removal waits for drm_dev_enter() sections. An ioctl as a whole is none: it copies its arguments from the client's
 * memory and waits for fences, both of which last as long as a client likes. Sections are where memory is mapped for
 * DMA, where execbuf submits, and around register accesses; waits within a section end when the device goes. DRM
 * refuses new ioctls with -ENODEV by itself.
 */
static const struct file_operations igen_fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = drm_release,
	.unlocked_ioctl = igen_ioctl,
	.compat_ioctl = igen_compat_ioctl,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.mmap = igen_gem_mmap,
	.show_fdinfo = igen_show_fdinfo,
	IGEN_FOPS_UNSIGNED_OFFSET
};

static struct drm_driver igen_drm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_SYNCOBJ | DRIVER_SYNCOBJ_TIMELINE,
	.open = igen_file_open,
	.postclose = igen_file_postclose,
	.debugfs_init = igen_debugfs_init,
	.fops = &igen_fops,
	.ioctls = igen_ioctls,
	.gem_prime_import = igen_gem_prime_import,
	.dumb_create = igen_gem_dumb_create,
	.dumb_map_offset = igen_gem_dumb_mmap_offset,
	.prime_handle_to_fd = drm_gem_prime_handle_to_fd,
	.prime_fd_to_handle = igen_gem_prime_fd_to_handle,
	.name = "i915",
	.desc = "Intel Gen graphics (igen)",
	IGEN_DRM_DRIVER_DATE("20261120")
	.major = 1,
	.minor = 6,
};

/**
 * igen_inject_probe_error - make the probe fail on request
 * @igen: the device, being probed
 * @step: what the probe has just acquired, for the log
 *
 * For tests of the probe's unwinding. Each step of the probe calls it. The module parameter inject_probe_error=N makes
 * the N-th call fail.
 *
 * Return: 0 or -ENODEV.
 */
int igen_inject_probe_error(struct igen_device *igen, const char *step)
{
	if (!inject_probe_error || ++igen->probe_steps != inject_probe_error)
		return 0;

	drm_info(&igen->drm, "probe step %d (%s) fails on request\n", inject_probe_error, step);
	return -ENODEV;
}

/* DRM devices that are not released: they outlive their PCI device while something holds them. */
static atomic_t live_devices;

static void drv_device_gone(struct drm_device *drm, void *data)
{
	if (atomic_dec_and_test(&live_devices))
		wake_up_var(&live_devices);
}

static int drv_init_device(struct igen_device *igen)
{
	igen_rpm_init(igen);
	atomic_inc(&live_devices);
	return drmm_add_action_or_reset(&igen->drm, drv_device_gone, NULL);
}

static void drv_free_workqueue(struct drm_device *drm, void *data)
{
	cancel_delayed_work_sync(&to_igen(drm)->rpm.linger);
	destroy_workqueue(data);
}

static int drv_init_workqueue(struct igen_device *igen)
{
	/* Memory reclaim may wait for the GPU, and so for the worker that ends a hang. */
	igen->wq = alloc_workqueue("igen", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!igen->wq)
		return -ENOMEM;

	return drmm_add_action_or_reset(&igen->drm, drv_free_workqueue, igen->wq);
}

static void drv_free_urgent_workqueue(struct drm_device *drm, void *data)
{
	destroy_workqueue(data);
}

static int drv_init_urgent_workqueue(struct igen_device *igen)
{
	/* Memory reclaim may also wait for the worker that takes an engine from a context which does not yield. */
	igen->urgent_wq = alloc_workqueue("igen-urgent", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	if (!igen->urgent_wq)
		return -ENOMEM;

	return drmm_add_action_or_reset(&igen->drm, drv_free_urgent_workqueue, igen->urgent_wq);
}

static void drv_mm_fini(struct drm_device *drm, void *data)
{
	igen_mm_fini(to_igen(drm));
}

static void drv_revoke_memory(void *data)
{
	igen_dma_revoke(data);
}

static int drv_init_memory(struct igen_device *igen)
{
	int err;

	err = igen_mm_init(igen);
	if (err)
		return err;
	igen_gem_imports_init(igen);

	err = drmm_add_action_or_reset(&igen->drm, drv_mm_fini, NULL);
	if (err)
		return err;

	return devm_add_action_or_reset(igen->drm.dev, drv_revoke_memory, igen);
}

static int drv_init_diag(struct igen_device *igen)
{
	return igen_diag_init(igen);
}

/*
 * A driver of the firmware's framebuffer would go on drawing through the aperture, where objects of clients are from
 * now on. The kernel's console then has no screen; what the display shows stays (mm/igen_scanout.c).
 */
static int drv_evict_framebuffers(struct igen_device *igen)
{
	return aperture_remove_conflicting_pci_devices(igen->pdev, igen_pci_driver_name);
}

static void drv_ggtt_fini(struct drm_device *drm, void *data)
{
	igen_ggtt_fini(to_igen(drm));
}

static int drv_init_ggtt(struct igen_device *igen)
{
	int err;

	err = igen_ggtt_init(igen);
	if (err)
		return err;

	return drmm_add_action_or_reset(&igen->drm, drv_ggtt_fini, NULL);
}

static void drv_engines_fini(struct drm_device *drm, void *data)
{
	igen_engines_fini(to_igen(drm));
}

static int drv_init_engines(struct igen_device *igen)
{
	int err;

	err = igen_engines_init(igen);
	if (err)
		return err;

	return drmm_add_action_or_reset(&igen->drm, drv_engines_fini, NULL);
}

static void drv_irq_uninstall(void *data)
{
	igen_irq_uninstall(data);
}

static int drv_init_irq(struct igen_device *igen)
{
	int err;

	err = igen_irq_install(igen);
	if (err)
		return err;

	return devm_add_action_or_reset(igen->drm.dev, drv_irq_uninstall, igen);
}

/*
 * Before anything is allocated for it, the GPU is stopped: firmware or a crash kernel's predecessor may have left it
 * running.
 */
static int drv_init_reset(struct igen_device *igen)
{
	igen_engines_probe(igen);
	return igen_reset_hardware(igen, ~0u);
}

/* Before the memory of anything goes: nothing is on the GPU, and nothing comes any more. */
static void drv_submit_fini(struct drm_device *drm, void *data)
{
	struct igen_device *igen = to_igen(drm);

	igen_governor_stop(igen);
	igen_retire_fini(igen);
	igen_reset_fini(igen);
}

static int drv_init_submit(struct igen_device *igen)
{
	igen_reset_init(igen);
	igen_retire_init(igen);
	igen_reclaim_init(igen);
	igen_shadow_owners_init(igen);
	igen_governor_init(igen);
	return drmm_add_action_or_reset(&igen->drm, drv_submit_fini, NULL);
}

static void drv_stop_engines(void *data)
{
	struct igen_device *igen = data;

	igen_submit_stop(igen);
	igen_kernel_contexts_fini(igen);
	igen_gem_imports_revoke(igen);
	igen_reclaim_fini(igen);
	/* Objects without references go before the next probe, and with them the DRM device and its minor. */
	igen_release_drain();
}

static int drv_start_engines(struct igen_device *igen)
{
	int err;

	err = devm_add_action_or_reset(igen->drm.dev, drv_stop_engines, igen);
	if (err)
		return err;

	igen_power_ring_clocks(igen);
	return igen_engines_resume(igen);
}

static const struct igen_probe_step probe_steps[] = {
	{ "device", IGEN_BRINGUP_READ, drv_init_device, igen_bringup_check_device },
	{ "workqueue", IGEN_BRINGUP_READ, drv_init_workqueue },
	{ "urgent workqueue", IGEN_BRINGUP_READ, drv_init_urgent_workqueue },
	{ "registers", IGEN_BRINGUP_READ, igen_mmio_init, igen_bringup_check_registers },
	{ "reset", IGEN_BRINGUP_POLL, drv_init_reset, igen_bringup_check_reset },
	{ "fuses", IGEN_BRINGUP_READ, igen_topology_init, igen_bringup_check_fuses },
	{ "power", IGEN_BRINGUP_READ, igen_power_init, igen_bringup_check_power },
	{ "diagnosis", IGEN_BRINGUP_POLL, drv_init_diag },
	{ "memory management", IGEN_BRINGUP_POLL, drv_init_memory },
	{ "framebuffer drivers", IGEN_BRINGUP_POLL, drv_evict_framebuffers },
	{ "GGTT", IGEN_BRINGUP_POLL, drv_init_ggtt, igen_bringup_check_ggtt },
	{ "engines", IGEN_BRINGUP_POLL, drv_init_engines },
	{ "submission", IGEN_BRINGUP_POLL, drv_init_submit },
	{ "interrupts", IGEN_BRINGUP_IRQ, drv_init_irq, igen_bringup_check_irq },
	{ "start", IGEN_BRINGUP_POLL, drv_start_engines, igen_bringup_check_start },
	{ "contexts", IGEN_BRINGUP_POLL, igen_kernel_contexts_init, igen_bringup_check_contexts },
};

static void drv_announce(struct igen_device *igen)
{
	char names[8 * IGEN_NUM_ENGINES] = "";
	struct igen_engine *engine;
	size_t length = 0;
	unsigned int id;

	for_each_engine(igen, id, engine)
		length += scnprintf(names + length, sizeof(names) - length, " %s", engine->info->name);
	drm_info(&igen->drm, IGEN_VERSION ": %s, revision %u, %u EUs; engines%s; GGTT %llu MiB, aperture %llu MiB\n",
		 igen->platform->name, igen->pdev->revision, igen->topology.eu_total, names,
		 igen->ggtt.vm.total >> 20, igen->ggtt.mappable_end >> 20);
}

/* Behind the steps: clients may come. */
static int drv_register(struct igen_device *igen)
{
	int err;

	err = drm_dev_register(&igen->drm, 0);
	if (err)
		return err;

	igen_diag_register(igen);
	drv_announce(igen);
	igen_rpm_enable(igen);
	return 0;
}

static int igen_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	const struct igen_platform *platform = (const struct igen_platform *)id->driver_data;
	struct igen_device *igen;
	unsigned int i;
	int err;

	err = igen_probe_allowed(pdev, platform);
	if (err)
		return err;

	err = pcim_enable_device(pdev);
	if (err)
		return err;

	igen = devm_drm_dev_alloc(&pdev->dev, &igen_drm_driver, struct igen_device, drm);
	if (IS_ERR(igen))
		return PTR_ERR(igen);

	igen->pdev = pdev;
	igen->platform = platform;
	pci_set_drvdata(pdev, igen);
	if (igen_bringup_stage() != IGEN_BRINGUP_READ)
		pci_set_master(pdev);

	dma_set_max_seg_size(&pdev->dev, UINT_MAX);
	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(platform->dma_bits));
	if (err) {
		drm_err(&igen->drm, "no DMA to %u-bit addresses: %d\n", platform->dma_bits, err);
		return err;
	}

	if (igen_bringup_stage())
		return igen_bringup_start(igen, probe_steps, ARRAY_SIZE(probe_steps), drv_register);

	for (i = 0; i < ARRAY_SIZE(probe_steps); i++) {
		err = probe_steps[i].init(igen);
		if (!err)
			err = igen_inject_probe_error(igen, probe_steps[i].name);
		if (err) {
			drm_err(&igen->drm, "probe failed at %s: %d\n", probe_steps[i].name, err);
			return err;
		}
	}

	return drv_register(igen);
}

static void igen_remove(struct pci_dev *pdev)
{
	struct igen_device *igen = pci_get_drvdata(pdev);

	/* Then the managed actions of the steps undo them, as after a probe that failed. */
	if (igen_bringup_end(igen))
		return;
	igen_rpm_disable(igen);
	igen_diag_unregister(igen);
	/* Stops the engines first: ioctls may wait for requests, and unplugging waits for the ioctls' sections. */
	igen_submit_stop(igen);
	drm_dev_unplug(&igen->drm);
}

static void igen_shutdown(struct pci_dev *pdev)
{
	struct igen_device *igen = pci_get_drvdata(pdev);

	if (igen_bringup_end(igen)) {
		/* Whatever runs by now, it writes no memory any more. */
		pci_clear_master(pdev);
		return;
	}
	/* The PCI core has woken it. */
	igen_rpm_disable(igen);
	/* Stops the engines even if requests run: they must not write to the next kernel's memory. */
	igen_submit_stop(igen);
	igen_irq_disable(igen);
}

static struct pci_driver igen_pci_driver = {
	.name = igen_pci_driver_name,
	.id_table = igen_pci_ids,
	.probe = igen_probe,
	.remove = igen_remove,
	.shutdown = igen_shutdown,
	.driver.pm = pm_ptr(&igen_pm_ops),
};

static int __init igen_init(void)
{
	int err;

	if (drm_firmware_drivers_only()) {
		pr_info("not loaded, since nomodeset is on the kernel's command line\n");
		return -ENODEV;
	}

	igen_drm_driver.num_ioctls = igen_num_ioctls;

	err = igen_bringup_module_init();
	if (err)
		return err;

	err = igen_lrc_module_init();
	if (err)
		return err;

	err = igen_request_module_init();
	if (err)
		goto fail_lrc;

	err = pci_register_driver(&igen_pci_driver);
	if (err)
		goto fail_request;

	return 0;

fail_request:
	igen_request_module_exit();
fail_lrc:
	igen_lrc_module_exit();
	return err;
}
module_init(igen_init);

static void __exit igen_exit(void)
{
	pci_unregister_driver(&igen_pci_driver);
	/* No file is open any more. Contexts that still hold a device are freed within a moment. */
	wait_var_event(&live_devices, !atomic_read(&live_devices));
	igen_pmu_module_exit();
	igen_lrc_module_exit();
	igen_request_module_exit();
}
module_exit(igen_exit);

MODULE_DESCRIPTION("Intel Gen graphics, render and compute");
MODULE_AUTHOR("The igen authors");
MODULE_VERSION(IGEN_VERSION);
MODULE_LICENSE("Dual MIT/GPL");
