/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter of system calls of a sandbox (seccomp(2)): a program in classic BPF, made from tables
 * of call numbers. It is the last step of child_sandbox.c.
 */
#include "config.h"

#include "process/child_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/net.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { FILTER_MAX = 256 };

#if defined(__x86_64__)
#define FILTER_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_MACHINE AUDIT_ARCH_AARCH64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FILTER_MACHINE AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define FILTER_MACHINE AUDIT_ARCH_S390X
#else
#define FILTER_MACHINE 0
#endif

/* Memory, open files, the socket, and what abort() and signals need. */
static const uint16_t allowed[] = {
	SYS_read,
	SYS_pread64,
	SYS_write,
	SYS_close,
	/* With it, libdw reads files compressed by gzip. */
	SYS_dup,
	SYS_fstat,
	SYS_lseek,
	SYS_fcntl,
	SYS_munmap,
	SYS_mremap,
	SYS_brk,
	SYS_madvise,
	SYS_ppoll,
	SYS_recvmsg,
	SYS_sendto,
	SYS_sendmsg,
	SYS_futex,
	SYS_setitimer,
	SYS_exit,
	SYS_exit_group,
	SYS_rt_sigreturn,
	SYS_rt_sigprocmask,
	SYS_rt_sigaction,
	SYS_getpid,
	SYS_gettid,
	SYS_tgkill,
	SYS_clock_gettime,
	SYS_getrandom,
	SYS_restart_syscall,
	SYS_sched_yield,
	/* What fstat() is in glibc 2.33 to 2.38. */
	SYS_newfstatat,
#ifdef SYS_poll
	SYS_poll,
#endif
#if defined(__s390x__)
	/* Its arguments, with the protection, are in memory, where a filter cannot read them
	   (sys_old_mmap() in arch/s390). mprotect() cannot make them code later. */
	SYS_mmap,
#endif
#if defined(__SANITIZE_ADDRESS__)
	SYS_sigaltstack,
#endif
};

/* To find files and list folders. */
static const uint16_t allowed_to_openers[] = {
	SYS_fstatfs,  SYS_getdents64, SYS_readlinkat,
#ifdef SYS_statx
	SYS_statx,
#endif
#ifdef SYS_readlink
	SYS_readlink,
#endif
#ifdef SYS_stat
	SYS_stat,
#endif
#ifdef SYS_lstat
	SYS_lstat,
#endif
};

/* A call that is allowed if none of some bits is set in an argument. */
typedef struct {
	uint16_t number;
	uint8_t argument;
	uint32_t refused_bits;
} RestrictedCall;

/* Memory that cannot be executed: the third argument is its protection. */
static const RestrictedCall without_code[] = {
#if !defined(__s390x__)
	{ SYS_mmap, 2, PROT_EXEC },
#endif
	{ SYS_mprotect, 2, PROT_EXEC },
};

#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

static const RestrictedCall without_writing[] = {
	{ SYS_openat, 2, WRITING },
#ifdef SYS_open
	{ SYS_open, 1, WRITING },
#endif
};

typedef struct {
	struct sock_filter code[FILTER_MAX];
	unsigned short length;
} Filter;

static void call_filter_add(Filter *filter, struct sock_filter instruction)
{
	if (filter->length < FILTER_MAX)
		filter->code[filter->length++] = instruction;
}

static void call_filter_load(Filter *filter, size_t offset)
{
	call_filter_add(filter,
			(struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* Loads the lower half of an argument. */
static void load_argument(Filter *filter, unsigned number)
{
	size_t half = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(uint32_t) : 0;

	call_filter_load(filter,
			 offsetof(struct seccomp_data, args) + number * sizeof(uint64_t) + half);
}

static void call_filter_answer(Filter *filter, uint32_t action)
{
	call_filter_add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* Skips so many instructions unless the loaded value is that one. */
static void skip_unless(Filter *filter, uint32_t value, uint8_t instructions)
{
	call_filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0,
							     instructions));
}

static void call_filter_allow(Filter *filter, const uint16_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		skip_unless(filter, numbers[i], 1);
		call_filter_answer(filter, SECCOMP_RET_ALLOW);
	}
}

static void allow_restricted(Filter *filter, const RestrictedCall *calls, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		skip_unless(filter, calls[i].number, 4);
		load_argument(filter, calls[i].argument);
		call_filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K,
								     calls[i].refused_bits, 1, 0));
		call_filter_answer(filter, SECCOMP_RET_ALLOW);
		call_filter_answer(filter, SECCOMP_RET_ERRNO | EPERM);
	}
}

#if defined(__s390x__)

/* The calls of sockets that glibc makes where it must run on Linux before 4.3, by their numbers in
   <linux/net.h>. */
static void allow_socketcall(Filter *filter)
{
	static const uint16_t calls[] = { SYS_SEND,     SYS_RECV,    SYS_SENDTO,
					  SYS_RECVFROM, SYS_SENDMSG, SYS_RECVMSG };

	skip_unless(filter, SYS_socketcall, 2 * G_N_ELEMENTS(calls) + 2);
	load_argument(filter, 0);
	call_filter_allow(filter, calls, G_N_ELEMENTS(calls));
	call_filter_answer(filter, SECCOMP_RET_ERRNO | EPERM);
}

#else

static void allow_socketcall(Filter *filter)
{
	(void)filter;
}

#endif

static void make_filter(Filter *filter, ChildRights rights)
{
	call_filter_load(filter, offsetof(struct seccomp_data, arch));
	call_filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							     FILTER_MACHINE, 1, 0));
	call_filter_answer(filter, SECCOMP_RET_KILL);
	call_filter_load(filter, offsetof(struct seccomp_data, nr));
	call_filter_allow(filter, allowed, G_N_ELEMENTS(allowed));
	if (rights == CHILD_PROBES)
		call_filter_allow(filter, (const uint16_t[]){ SYS_perf_event_open }, 1);
	if (rights != CHILD_READS) {
		call_filter_allow(filter, allowed_to_openers, G_N_ELEMENTS(allowed_to_openers));
		allow_restricted(filter, without_writing, G_N_ELEMENTS(without_writing));
	}
	allow_restricted(filter, without_code, G_N_ELEMENTS(without_code));
	allow_socketcall(filter);
	call_filter_answer(filter, SECCOMP_RET_ERRNO | EPERM);
}

bool call_filter_set(ChildRights rights)
{
	Filter filter = { .length = 0 };

	if (!FILTER_MACHINE) {
		errno = ENOSYS;
		return false;
	}
	make_filter(&filter, rights);
	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
		      &(struct sock_fprog){ filter.length, filter.code }, 0, 0);
}
