/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel module whose allocations are known: run builds it twice, as vmtest_first and
 * vmtest_second, so that both have the same functions at the same offsets.
 *
 * A COUNT written to /sys/module/vmtest_first/parameters/task allocates so often in the writer's
 * context, one written to .../hardirq in that of an interrupt. A COUNT written to .../stacks
 * allocates once at each of so many stacks, the same ones each time. A NAME written to .../cache
 * makes a slab cache of that name, allocates VMTEST_CACHE_COUNT objects from it, and destroys it;
 * read, it says how often such a cache was at the address of the one before.
 */
#include <linux/completion.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/slab.h>

enum {
	VMTEST_BYTES = 300,
	VMTEST_COUNT_MAX = 100000,
	VMTEST_STEPS = 17,
	VMTEST_CACHE_BYTES = 400,
	VMTEST_CACHE_COUNT = 100,
};

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

static void vmtest_left(unsigned int path, unsigned int steps);
static void vmtest_right(unsigned int path, unsigned int steps);

/* Each bit of a path is a call of one of two functions: 2^VMTEST_STEPS paths are as many stacks. */
static __always_inline void vmtest_step(unsigned int path, unsigned int steps)
{
	if (!steps)
		vmtest_allocate(1, GFP_KERNEL);
	else if (path & 1)
		vmtest_right(path >> 1, steps - 1);
	else
		vmtest_left(path >> 1, steps - 1);
	/* No call is the last thing done: it would be a jump. */
	barrier();
}

static noinline void vmtest_left(unsigned int path, unsigned int steps)
{
	vmtest_step(path, steps);
}

static noinline void vmtest_right(unsigned int path, unsigned int steps)
{
	vmtest_step(path, steps);
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

static int set_stacks(const char *text, const struct kernel_param *parameter)
{
	unsigned int count, path;
	int failure = read_count(text, &count);

	for (path = 0; !failure && path < count; path++)
		vmtest_step(path, VMTEST_STEPS);
	return failure;
}

/* A cache with a constructor is merged with no other. */
static void vmtest_construct(void *object)
{
	memset(object, 0, VMTEST_CACHE_BYTES);
}

static unsigned int reused;

static int set_cache(const char *text, const struct kernel_param *parameter)
{
	static struct kmem_cache *before;
	struct kmem_cache *cache;
	char name[32];
	int i;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "\n"), text);
	cache = kmem_cache_create(name, VMTEST_CACHE_BYTES, 0, 0, vmtest_construct);
	if (!cache)
		return -ENOMEM;
	reused += cache == before;
	before = cache;
	for (i = 0; i < VMTEST_CACHE_COUNT; i++) {
		void *object = kmem_cache_alloc(cache, GFP_KERNEL);

		if (object)
			kmem_cache_free(cache, object);
	}
	kmem_cache_destroy(cache);
	return 0;
}

static int get_cache(char *page, const struct kernel_param *parameter)
{
	return scnprintf(page, PAGE_SIZE, "%u\n", reused);
}

static const struct kernel_param_ops task_ops = { .set = set_task };
static const struct kernel_param_ops stacks_ops = { .set = set_stacks };
static const struct kernel_param_ops hardirq_ops = { .set = set_hardirq };
static const struct kernel_param_ops cache_ops = { .set = set_cache, .get = get_cache };

module_param_cb(task, &task_ops, NULL, 0200);
module_param_cb(stacks, &stacks_ops, NULL, 0200);
module_param_cb(hardirq, &hardirq_ops, NULL, 0200);
module_param_cb(cache, &cache_ops, NULL, 0600);

MODULE_DESCRIPTION("known allocations for check-vm");
MODULE_LICENSE("GPL");
