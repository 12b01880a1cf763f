/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel module whose allocations are known: run builds it twice, as vmtest_first and
 * vmtest_second, so that both have the same functions at the same offsets.
 *
 * A COUNT written to /sys/module/vmtest_first/parameters/task allocates so often in the writer's
 * context, one written to .../hardirq in that of an interrupt. A COUNT written to .../stacks
 * allocates once at each of so many stacks, the same ones each time. A NAME written to .../cache
 * makes a slab cache of that name, allocates VMTEST_CACHE_COUNT objects from it, and destroys it;
 * read, it says how often such a cache was at the address of the one before. A COUNT written to
 * .../large does so many rounds of allocations above two pages, in each way that the kernel has;
 * read, it says for each function how many succeeded, how many bytes these asked for, and how many
 * failed: "vmtest_large_variable 100 2000000 0". A NAME written to .../thread makes a kernel
 * thread of that name, which allocates VMTEST_THREAD_COUNT times and ends.
 *
 * For objects that stay: a COUNT written to .../keep allocates so many and keeps them; one written
 * to .../worker_keeps lets a kworker do so. One written to .../threads makes so many kernel threads
 * that sleep. One written to .../worker lets a kworker free what the writer allocated, one written
 * to .../rcu frees by kfree_rcu, with and without a head. One written to .../bulk allocates so many
 * objects in bulk from the cache vmtest_bulk, VMTEST_BULK at a time, of which a third is freed in
 * bulk, a third is freed one by one, and the rest is kept. Anything written to .../release frees
 * what is kept.
 *
 * For source lines: a COUNT written to .../lines allocates so often in a function that is inlined
 * into one that is inlined at two lines, the second one twice as often, and as often in a function
 * that has a section of its own. Comments with "line:" name those lines.
 */
#include <linux/completion.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

enum {
	VMTEST_BYTES = 300,
	VMTEST_COUNT_MAX = 100000,
	VMTEST_STEPS = 17,
	VMTEST_CACHE_BYTES = 400,
	VMTEST_CACHE_COUNT = 100,
	VMTEST_THREAD_COUNT = 1000,
	VMTEST_KEPT_MAX = 20000,
	VMTEST_THREADS_MAX = 1000,
	VMTEST_BULK = 8,
	VMTEST_BULKS_MAX = 2000,
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

/* Sizes above two pages, of which the kernel makes whole pages. */
enum {
	LARGE_BYTES = 20000,
	LARGE_CONSTANT_BYTES = 24000, /* known to the compiler */
	LARGE_IN_PLACE_BYTES = 20480, /* as many pages as LARGE_BYTES */
	LARGE_TOO_MANY_BYTES = 1 << 30,
	LARGE_FALLBACK_BYTES =
		5 << 20,           /* more than pages in one piece can be, no problem in many */
	LARGE_FALLBACK_EVERY = 16, /* rounds: it takes long */
	LARGE_FIRST_BYTES = 100,   /* of what grows */
};

/* One way to allocate, with what came of it: what was allocated is given back, or NULL. */
typedef struct {
	const char *name;
	void *(*allocate)(size_t bytes);
	size_t bytes;
	unsigned int every;       /* rounds */
	unsigned int allocations; /* kmallocs that succeed beside the large one ... */
	size_t more_bytes;        /* ... and their bytes */
	bool kmalloc_fails;       /* what is returned comes from elsewhere */
	unsigned long succeeded, failed;
	unsigned long long bytes_requested;
} Large;

static char large_source[LARGE_BYTES];

/* Each is a function of its own, with a frame of its own: no call is the last thing done. */
static noinline void *vmtest_large_variable(size_t bytes)
{
	void *object = kmalloc(bytes, GFP_KERNEL);

	barrier_data(object);
	return object;
}

static noinline void *vmtest_large_constant(size_t bytes)
{
	void *object = kmalloc(LARGE_CONSTANT_BYTES, GFP_KERNEL);

	barrier_data(object);
	return object;
}

static noinline void *vmtest_large_node(size_t bytes)
{
	void *object = kmalloc_node(bytes, GFP_KERNEL, 0);

	barrier_data(object);
	return object;
}

static noinline void *vmtest_large_node_constant(size_t bytes)
{
	void *object = kmalloc_node(LARGE_CONSTANT_BYTES, GFP_KERNEL, 0);

	barrier_data(object);
	return object;
}

/* What has room already is no allocation. */
static noinline void *vmtest_large_grown(size_t bytes)
{
	void *small = kmalloc(LARGE_FIRST_BYTES, GFP_KERNEL);
	void *object = krealloc(small, bytes, GFP_KERNEL);

	barrier_data(object);
	return krealloc(object, LARGE_IN_PLACE_BYTES, GFP_KERNEL);
}

static noinline void *vmtest_large_copied(size_t bytes)
{
	void *object = kmemdup(large_source, bytes, GFP_KERNEL);

	barrier_data(object);
	return object;
}

static noinline void *vmtest_large_kvmalloc(size_t bytes)
{
	void *object = kvmalloc(bytes, GFP_KERNEL);

	barrier_data(object);
	return object;
}

static noinline void *vmtest_large_failing(size_t bytes)
{
	void *object = kmalloc(bytes, GFP_KERNEL | __GFP_NOWARN);

	barrier_data(object);
	return object;
}

static Large large[] = {
	{ "vmtest_large_variable", vmtest_large_variable, LARGE_BYTES },
	{ "vmtest_large_constant", vmtest_large_constant, LARGE_CONSTANT_BYTES },
	{ "vmtest_large_node", vmtest_large_node, LARGE_BYTES },
	{ "vmtest_large_node_constant", vmtest_large_node_constant, LARGE_CONSTANT_BYTES },
	{ "vmtest_large_grown", vmtest_large_grown, LARGE_BYTES, 1, 1, LARGE_FIRST_BYTES },
	{ "vmtest_large_copied", vmtest_large_copied, LARGE_BYTES },
	{ "vmtest_large_kvmalloc", vmtest_large_kvmalloc, LARGE_BYTES },
	{ "vmtest_large_failing", vmtest_large_failing, LARGE_TOO_MANY_BYTES },
	{ "vmtest_large_kvmalloc", vmtest_large_kvmalloc, LARGE_FALLBACK_BYTES,
	  LARGE_FALLBACK_EVERY, 0, 0, true },
};

static void vmtest_large(Large *way)
{
	void *object = way->allocate(way->bytes);
	bool succeeded = object && !way->kmalloc_fails;

	kvfree(object);
	way->failed += !succeeded;
	way->succeeded += succeeded + way->allocations;
	way->bytes_requested += (succeeded ? way->bytes : 0) + way->more_bytes;
}

static int set_large(const char *text, const struct kernel_param *parameter)
{
	unsigned int rounds, round, i;
	int failure = read_count(text, &rounds);

	for (i = 0; i < ARRAY_SIZE(large); i++)
		large[i].succeeded = large[i].failed = large[i].bytes_requested = 0;
	for (round = 0; !failure && round < rounds; round++)
		for (i = 0; i < ARRAY_SIZE(large); i++)
			if (large[i].every <= 1 || round % large[i].every == 0)
				vmtest_large(&large[i]);
	return failure;
}

static int get_large(char *page, const struct kernel_param *parameter)
{
	int length = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(large); i++)
		length += scnprintf(page + length, PAGE_SIZE - length, "%s %lu %llu %lu\n",
				    large[i].name, large[i].succeeded, large[i].bytes_requested,
				    large[i].failed);
	return length;
}

static int vmtest_thread(void *unused)
{
	vmtest_allocate(VMTEST_THREAD_COUNT, GFP_KERNEL);
	complete(&done);
	/* Whoever stops it waits until it runs none of this module's code. */
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int set_thread(const char *text, const struct kernel_param *parameter)
{
	struct task_struct *thread;

	reinit_completion(&done);
	thread = kthread_run(vmtest_thread, NULL, "%.*s", (int)strcspn(text, "\n"), text);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	wait_for_completion(&done);
	kthread_stop(thread);
	return 0;
}

/* The objects that were not freed yet. */
static void *kept[VMTEST_KEPT_MAX];
static unsigned int kept_count;

static noinline void vmtest_keep(unsigned int count)
{
	while (count-- && kept_count < VMTEST_KEPT_MAX)
		kept[kept_count++] = kmalloc(VMTEST_BYTES, GFP_KERNEL);
}

static void free_kept(void)
{
	while (kept_count)
		kfree(kept[--kept_count]);
}

static int set_keep(const char *text, const struct kernel_param *parameter)
{
	unsigned int count;
	int failure = read_count(text, &count);

	if (!failure)
		vmtest_keep(count);
	return failure;
}

static unsigned int kept_by_worker;

static void vmtest_keep_later(struct work_struct *work)
{
	vmtest_keep(kept_by_worker);
}

static DECLARE_WORK(keep_later, vmtest_keep_later);

static int set_worker_keeps(const char *text, const struct kernel_param *parameter)
{
	int failure = read_count(text, &kept_by_worker);

	if (failure)
		return failure;
	schedule_work(&keep_later);
	flush_work(&keep_later);
	return 0;
}

static struct task_struct *sleeping[VMTEST_THREADS_MAX];
static unsigned int sleeping_count;

static int vmtest_sleep(void *unused)
{
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

static int set_threads(const char *text, const struct kernel_param *parameter)
{
	unsigned int count;
	int failure = read_count(text, &count);

	while (!failure && count-- && sleeping_count < VMTEST_THREADS_MAX) {
		struct task_struct *thread = kthread_run(vmtest_sleep, NULL, "vmtest_sleeps");

		if (IS_ERR(thread))
			return PTR_ERR(thread);
		sleeping[sleeping_count++] = thread;
	}
	return failure;
}

/* What a kworker frees. */
static void *handed_over[VMTEST_KEPT_MAX];
static unsigned int handed_over_count;

static void vmtest_free_later(struct work_struct *work)
{
	while (handed_over_count)
		kfree(handed_over[--handed_over_count]);
}

static DECLARE_WORK(later, vmtest_free_later);

static noinline void vmtest_hand_over(unsigned int count)
{
	while (handed_over_count < min_t(unsigned int, count, VMTEST_KEPT_MAX))
		handed_over[handed_over_count++] = kmalloc(VMTEST_BYTES, GFP_KERNEL);
	schedule_work(&later);
	flush_work(&later);
}

static int set_worker(const char *text, const struct kernel_param *parameter)
{
	unsigned int count;
	int failure = read_count(text, &count);

	if (!failure)
		vmtest_hand_over(count);
	return failure;
}

typedef struct {
	char before[40];
	struct rcu_head head;
	char after[VMTEST_BYTES];
} FreedByRcu;

/* Without a head it may sleep; from 6.3 on its name says so. */
#ifndef kfree_rcu_mightsleep
#define kfree_rcu_mightsleep(object) kvfree_rcu(object)
#endif

static noinline void vmtest_free_by_rcu(unsigned int count)
{
	while (count--) {
		FreedByRcu *with = kmalloc(sizeof(*with), GFP_KERNEL);
		FreedByRcu *without = kmalloc(sizeof(*without), GFP_KERNEL);

		if (with)
			kfree_rcu(with, head);
		if (without)
			kfree_rcu_mightsleep(without);
	}
}

static int set_rcu(const char *text, const struct kernel_param *parameter)
{
	unsigned int count;
	int failure = read_count(text, &count);

	if (!failure)
		vmtest_free_by_rcu(count);
	return failure;
}

static struct kmem_cache *bulk;
static void *bulk_kept[VMTEST_BULKS_MAX][VMTEST_BULK];
static unsigned int bulk_kept_count;

static noinline bool vmtest_allocate_bulk(void **objects)
{
	bool done = kmem_cache_alloc_bulk(bulk, GFP_KERNEL, VMTEST_BULK, objects);

	barrier_data(objects);
	return done;
}

static void free_one_by_one(void **objects)
{
	int i;

	for (i = 0; i < VMTEST_BULK; i++)
		kmem_cache_free(bulk, objects[i]);
}

/* Returns whether it succeeded. */
static bool vmtest_bulk_round(unsigned int round)
{
	void *objects[VMTEST_BULK];

	if (!vmtest_allocate_bulk(objects))
		return false;
	if (round % 3 == 0)
		kmem_cache_free_bulk(bulk, VMTEST_BULK, objects);
	else if (round % 3 == 1)
		free_one_by_one(objects);
	else
		memcpy(bulk_kept[bulk_kept_count++], objects, sizeof(objects));
	return true;
}

static int set_bulk(const char *text, const struct kernel_param *parameter)
{
	unsigned int count, round;
	int failure = read_count(text, &count);

	if (!bulk)
		bulk = kmem_cache_create("vmtest_bulk", VMTEST_CACHE_BYTES, 0, 0, vmtest_construct);
	if (!bulk)
		return -ENOMEM;
	for (round = 0; !failure && round < count / VMTEST_BULK; round++)
		if (bulk_kept_count == VMTEST_BULKS_MAX || !vmtest_bulk_round(round))
			failure = -ENOMEM;
	return failure;
}

static int set_release(const char *text, const struct kernel_param *parameter)
{
	free_kept();
	while (sleeping_count)
		kthread_stop(sleeping[--sleeping_count]);
	while (bulk_kept_count)
		kmem_cache_free_bulk(bulk, VMTEST_BULK, bulk_kept[--bulk_kept_count]);
	if (bulk)
		kmem_cache_destroy(bulk);
	bulk = NULL;
	return 0;
}

static __always_inline void vmtest_innermost(void)
{
	void *object = kmalloc(VMTEST_BYTES, GFP_KERNEL); /* line: allocation */

	barrier_data(object);
	kfree(object);
}

static __always_inline void vmtest_inner(unsigned int count)
{
	while (count--)
		vmtest_innermost(); /* line: loop */
}

static noinline void vmtest_outer(unsigned int count)
{
	vmtest_inner(count);     /* line: first */
	vmtest_inner(2 * count); /* line: second */
	barrier();
}

/* The linker leaves a section of such a name alone, but not .text.unlikely on 7.2. */
static noinline __attribute__((section(".vmtest.text"))) void vmtest_apart(unsigned int count)
{
	vmtest_allocate(count, GFP_KERNEL); /* line: apart */
	barrier();
}

static int set_lines(const char *text, const struct kernel_param *parameter)
{
	unsigned int count;
	int failure = read_count(text, &count);

	if (failure)
		return failure;
	vmtest_outer(count);
	vmtest_apart(count);
	return 0;
}

static const struct kernel_param_ops keep_ops = { .set = set_keep };
static const struct kernel_param_ops worker_ops = { .set = set_worker };
static const struct kernel_param_ops worker_keeps_ops = { .set = set_worker_keeps };
static const struct kernel_param_ops threads_ops = { .set = set_threads };
static const struct kernel_param_ops rcu_ops = { .set = set_rcu };
static const struct kernel_param_ops bulk_ops = { .set = set_bulk };
static const struct kernel_param_ops release_ops = { .set = set_release };
static const struct kernel_param_ops lines_ops = { .set = set_lines };
static const struct kernel_param_ops task_ops = { .set = set_task };
static const struct kernel_param_ops stacks_ops = { .set = set_stacks };
static const struct kernel_param_ops hardirq_ops = { .set = set_hardirq };
static const struct kernel_param_ops thread_ops = { .set = set_thread };
static const struct kernel_param_ops cache_ops = { .set = set_cache, .get = get_cache };
static const struct kernel_param_ops large_ops = { .set = set_large, .get = get_large };

module_param_cb(task, &task_ops, NULL, 0200);
module_param_cb(stacks, &stacks_ops, NULL, 0200);
module_param_cb(hardirq, &hardirq_ops, NULL, 0200);
module_param_cb(thread, &thread_ops, NULL, 0200);
module_param_cb(cache, &cache_ops, NULL, 0600);
module_param_cb(large, &large_ops, NULL, 0600);
module_param_cb(keep, &keep_ops, NULL, 0200);
module_param_cb(worker, &worker_ops, NULL, 0200);
module_param_cb(worker_keeps, &worker_keeps_ops, NULL, 0200);
module_param_cb(threads, &threads_ops, NULL, 0200);
module_param_cb(rcu, &rcu_ops, NULL, 0200);
module_param_cb(bulk, &bulk_ops, NULL, 0200);
module_param_cb(release, &release_ops, NULL, 0200);
module_param_cb(lines, &lines_ops, NULL, 0200);

MODULE_DESCRIPTION("known allocations for check-vm");
MODULE_LICENSE("GPL");
