/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the emitter's stack walk uses of a kernel with ORC, in user space. made_kernel.h has the
 * unwinder. System headers come before this one: its macros have short names.
 */
#pragma once

#include "record/batch_build.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CONFIG_UNWINDER_ORC 1
#define CONFIG_X86_64 1
#define CONFIG_TRACEPOINTS 1
#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
#define LINUX_VERSION_CODE KERNEL_VERSION(6, 12, 0)

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t s32;
typedef unsigned long long u64;
typedef long long s64;
typedef struct {
	int value;
} atomic_t;

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __packed __attribute__((packed))
#define noinline __attribute__((noinline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define READ_ONCE_NOCHECK(x) READ_ONCE(x)
#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))
#define container_of(at, type, member) ((type *)((char *)(at)-offsetof(type, member)))
#define U16_MAX UINT16_MAX
#define U32_MAX UINT32_MAX
#define scnprintf snprintf
#define smp_mb() ((void)0)
#define synchronize_rcu() ((void)0)
#define atomic_read(atomic) ((atomic)->value)
#define atomic_set(atomic, to) ((void)((atomic)->value = (to)))
#define atomic_inc(atomic) ((void)(atomic)->value++)
#define atomic_cmpxchg(atomic, old, new) ((atomic)->value ? 1 : ((atomic)->value = (new), (old)))

enum {
	PAGE_SIZE = 4096,
	THREAD_SIZE = 4 * PAGE_SIZE,
	KSYM_SYMBOL_LEN = 64,
	NOTIFY_OK = 1,
	GFP_KERNEL = 0,
	/* As in the emitter. */
	KMT_CPUS = 2,
	KMT_OWN_FRAMES_MAX = 16,
	KMT_WALK_FRAMES_MAX = KMT_STACK_DEPTH_MAX + KMT_OWN_FRAMES_MAX,
};
#define TASK_SIZE_MAX 0x7ffffffff000UL
#define MODULES_VADDR 0xffffffffa0000000UL

/* That of <signal.h> on some machines is of their own registers. */
#define pt_regs shim_pt_regs
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	unsigned long ip, cs, flags, sp, ss;
};

struct task_struct {
	int unused;
};
static struct task_struct init_task, this_task;
#define current (&this_task)
#define next_task(task) (&this_task)

/* Number of allocations that do not fail. */
static unsigned allocations_left = 100;
static inline void *kvzalloc(size_t bytes, int flags)
{
	(void)flags;
	return allocations_left && allocations_left-- ? calloc(1, bytes) : NULL;
}
#define kvzalloc_node(bytes, flags, node) kvzalloc(bytes, flags)
#define kvfree(memory) free(memory)
#define cpu_to_node(cpu) 0
#define for_each_online_cpu(cpu) for ((cpu) = 0; (cpu) < KMT_CPUS; (cpu)++)
#define for_each_possible_cpu(cpu) for_each_online_cpu(cpu)

/* Nobody calls the handlers but the tests. */
struct module;
typedef int (*initcall_t)(void);
struct tracepoint {
	const char *name;
};
struct notifier_block {
	int (*notifier_call)(struct notifier_block *block, unsigned long state, void *module);
};
#define register_module_notifier(block) ((block)->notifier_call ? 0 : -EINVAL)
#define unregister_module_notifier(block) ((void)(block))
#define tracepoint_probe_register(tracepoint, handler, data) ((handler) ? 0 : -EINVAL)
#define tracepoint_probe_unregister(tracepoint, handler, data) ((void)(handler))
#define tracepoint_synchronize_unregister() ((void)0)
static inline void for_each_kernel_tracepoint(void (*see)(struct tracepoint *, void *), void *data)
{
	static struct tracepoint tracepoints[] = { { "module_free" }, { "initcall_finish" } };

	for (unsigned i = 0; i < ARRAY_SIZE(tracepoints); i++)
		see(&tracepoints[i], data);
}

struct kernel_param;
struct kernel_param_ops {
	int (*set)(const char *text, const struct kernel_param *param);
	int (*get)(char *page, const struct kernel_param *param);
	void (*free)(void *unused);
};
#define module_param_cb(name, operations, data, mode)                                              \
	static const struct kernel_param_ops *const name##_parameter = operations
static inline int kstrtouint(const char *text, unsigned base, unsigned *value)
{
	*value = (unsigned)strtoul(text, NULL, (int)base);
	return 0;
}

/* What the emitter has for the stack walk. */
struct kmt_cpu {
	unsigned batch_number;
	unsigned own_frames;
	unsigned long frames[KMT_WALK_FRAMES_MAX];
	struct KmtBuilder *batch, batches[1];
};
static struct {
	unsigned depth;
	u64 frame_base;
} kmt;
