/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel module whose allocations are known: run builds it twice, as vmtest_first and
 * vmtest_second, so that both have the same functions at the same offsets.
 *
 * A COUNT written to /sys/module/vmtest_first/parameters/task allocates so often in the writer's
 * context, one written to .../hardirq in that of an interrupt.
 */
#include <linux/completion.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/slab.h>

enum { VMTEST_BYTES = 300, VMTEST_COUNT_MAX = 100000 };

static unsigned int pending;
static DECLARE_COMPLETION(done);

static noinline void vmtest_allocate(unsigned int count, gfp_t flags)
{
	while (count--) {
		void *object = kmalloc(VMTEST_BYTES, flags);

		barrier_data(object);
		kfree(object);
	}
}

static void vmtest_interrupt(struct irq_work *work)
{
	vmtest_allocate(pending, GFP_ATOMIC);
	complete(&done);
}

static DEFINE_IRQ_WORK(interrupt, vmtest_interrupt);

static int read_count(const char *text, unsigned int *count)
{
	int failure = kstrtouint(text, 10, count);

	return !failure && *count > VMTEST_COUNT_MAX ? -ERANGE : failure;
}

static int set_task(const char *text, const struct kernel_param *parameter)
{
	unsigned int count;
	int failure = read_count(text, &count);

	if (!failure)
		vmtest_allocate(count, GFP_KERNEL);
	return failure;
}

/* Writers take turns: the kernel holds the lock of this module's parameters. */
static int set_hardirq(const char *text, const struct kernel_param *parameter)
{
	int failure = read_count(text, &pending);

	if (failure)
		return failure;
	reinit_completion(&done);
	irq_work_queue(&interrupt);
	wait_for_completion(&done);
	irq_work_sync(&interrupt);
	return 0;
}

static const struct kernel_param_ops task_ops = { .set = set_task };
static const struct kernel_param_ops hardirq_ops = { .set = set_hardirq };

module_param_cb(task, &task_ops, NULL, 0200);
module_param_cb(hardirq, &hardirq_ops, NULL, 0200);

MODULE_DESCRIPTION("known allocations for check-vm");
MODULE_LICENSE("GPL");
