// SPDX-License-Identifier: MIT
/*
 * DOC: provoke
 *
 * Does, when it is loaded, one thing that must not be done, so that a debug kernel reports it: whether kernel and
 * igen-vm would see a fault of igen is itself tested. "insmod provoke.ko kind=KIND"; kinds are in the table at the end.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

#define RACE_S 5

static char *kind = "";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "what to do wrong");

static int where = 9;
module_param(where, int, 0444);
MODULE_PARM_DESC(where, "an index that the compiler does not know");

static DEFINE_MUTEX(mutex_a);
static DEFINE_MUTEX(mutex_b);
static DEFINE_SPINLOCK(spinlock);
static int __rcu *pointer;
static int array[4];
static int sink;
static int shared;

struct with_timer {
	struct timer_list timer;
};

static int use_after_free(void)
{
	int *memory = kmalloc(64, GFP_KERNEL);

	if (!memory)
		return -ENOMEM;
	kfree(memory);
	sink = READ_ONCE(*memory);
	return 0;
}

static int out_of_bounds(void)
{
	/* In this module's data, or in the redzone behind it. */
	sink = array[where];
	return 0;
}

static int sleep_atomic(void)
{
	spin_lock(&spinlock);
	might_sleep();
	spin_unlock(&spinlock);
	return 0;
}

static int rcu_unlocked(void)
{
	sink = !!rcu_dereference(pointer);
	return 0;
}

static int lock_inversion(void)
{
	mutex_lock(&mutex_a);
	mutex_lock(&mutex_b);
	mutex_unlock(&mutex_b);
	mutex_unlock(&mutex_a);

	mutex_lock(&mutex_b);
	mutex_lock(&mutex_a);
	mutex_unlock(&mutex_a);
	mutex_unlock(&mutex_b);
	return 0;
}

static int dma_unmap(void)
{
	struct pci_dev *pdev = pci_get_domain_bus_and_slot(0, 0, PCI_DEVFN(2, 0));

	if (!pdev)
		return -ENODEV;
	dma_unmap_page(&pdev->dev, 0x100000, PAGE_SIZE, DMA_BIDIRECTIONAL);
	pci_dev_put(pdev);
	return 0;
}

static void nothing(struct timer_list *timer)
{
}

static int active_timer(void)
{
	struct with_timer *object = kzalloc(sizeof(*object), GFP_KERNEL);

	if (!object)
		return -ENOMEM;
	timer_setup(&object->timer, nothing, 0);
	mod_timer(&object->timer, jiffies + 3600 * HZ);
	kfree(object);
	return 0;
}

static int leak(void)
{
	return kzalloc(1000, GFP_KERNEL) ? 0 : -ENOMEM;
}

/* By time, so that two of them meet however fast each is. */
static void count_for_a_while(void)
{
	unsigned long end = jiffies + RACE_S * HZ;

	while (time_before(jiffies, end)) {
		int n;

		for (n = 0; n < 256; n++) {
			shared++;
			barrier();
		}
		cond_resched();
	}
}

static int racer(void *unused)
{
	count_for_a_while();
	while (!kthread_should_stop())
		usleep_range(1000, 2000);
	return 0;
}

/* On two processors. */
static int unlocked_counter(void)
{
	unsigned int cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	struct task_struct *other;

	if (cpu >= nr_cpu_ids)
		return -ENXIO;
	other = kthread_create(racer, NULL, "provoke");
	if (IS_ERR(other))
		return PTR_ERR(other);
	kthread_bind(other, cpu);
	wake_up_process(other);
	count_for_a_while();
	kthread_stop(other);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} kinds[] = {
	{ "use-after-free", use_after_free },
	{ "out-of-bounds", out_of_bounds },
	{ "sleep-atomic", sleep_atomic },
	{ "rcu-unlocked", rcu_unlocked },
	{ "lock-inversion", lock_inversion },
	{ "dma-unmap", dma_unmap },
	{ "active-timer", active_timer },
	{ "leak", leak },
	{ "data-race", unlocked_counter },
};

static int __init provoke_init(void)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(kinds); n++) {
		if (!strcmp(kind, kinds[n].name)) {
			pr_info("provoke: %s\n", kind);
			return kinds[n].run();
		}
	}
	pr_err("provoke: no kind '%s'\n", kind);
	return -EINVAL;
}

static void __exit provoke_exit(void)
{
}

module_init(provoke_init);
module_exit(provoke_exit);
MODULE_DESCRIPTION("Faults on purpose, for kernels that report them");
MODULE_LICENSE("Dual MIT/GPL");
