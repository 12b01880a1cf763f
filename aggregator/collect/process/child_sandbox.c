/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/process/child_sandbox.h"

#include <errno.h>
#include <glib.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	NOBODY = 65534, /* the kernel's own default for ids that it cannot show (overflowuid) */
	FILES_MAX = 64,
	FILTER_MAX = 256,
	STATM_DATA = 5,
	STATM_FIELDS = 7,
};

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	syscall(SYS_capset, &header, none);
}

void child_sandbox_drop_privileges(void)
{
	(void)!chdir("/");
	(void)!setgroups(0, NULL);
	(void)!setresgid(NOBODY, NOBODY, NOBODY);
	(void)!setresuid(NOBODY, NOBODY, NOBODY);
	drop_capabilities();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static void limit(int resource, rlim_t max)
{
	struct rlimit both = { max, max };

	setrlimit(resource, &both);
}

/* Returns the memory that this process has; 0: unknown. Fields of statm: Linux,
   Documentation/filesystems/proc.rst. */
static ChildLimits memory_in_use(void)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) pages = NULL;
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	if (!g_file_get_contents("/proc/self/statm", &text, NULL, NULL))
		return (ChildLimits){ 0 };
	pages = g_strsplit(text, " ", STATM_FIELDS);
	if (g_strv_length(pages) < STATM_FIELDS)
		return (ChildLimits){ 0 };
	return (ChildLimits){
		.address_space_bytes = g_ascii_strtoull(pages[0], NULL, 10) * page_bytes,
		.data_bytes = g_ascii_strtoull(pages[STATM_DATA], NULL, 10) * page_bytes,
	};
}

static void set_limits(const ChildLimits *limits)
{
	ChildLimits used = memory_in_use();

	limit(RLIMIT_NPROC, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, FILES_MAX);
	/* AddressSanitizer needs terabytes of addresses. */
#if !defined(__SANITIZE_ADDRESS__)
	limit(RLIMIT_AS, used.address_space_bytes + limits->address_space_bytes);
	limit(RLIMIT_DATA, used.data_bytes + limits->data_bytes);
#else
	(void)limits, (void)used;
#endif
}

#if defined(__x86_64__)
#define FILTER_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef FILTER_MACHINE

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
#if defined(__SANITIZE_ADDRESS__)
	SYS_sigaltstack,
#endif
};

/* Memory that cannot be executed: the third argument is its protection. */
static const uint16_t allowed_without_code[] = { SYS_mmap, SYS_mprotect };

typedef struct {
	struct sock_filter code[FILTER_MAX];
	unsigned short length;
} Filter;

static void add(Filter *filter, struct sock_filter instruction)
{
	filter->code[filter->length++] = instruction;
}

static void load(Filter *filter, size_t offset)
{
	add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void answer(Filter *filter, uint32_t action)
{
	add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* Skips so many instructions unless the loaded value is that one. */
static void skip_unless(Filter *filter, uint32_t value, uint8_t instructions)
{
	add(filter,
	    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, instructions));
}

static void refuse_code(Filter *filter, uint16_t number)
{
	skip_unless(filter, number, 4);
	load(filter, offsetof(struct seccomp_data, args[2]));
	add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0));
	answer(filter, SECCOMP_RET_ALLOW);
	answer(filter, SECCOMP_RET_ERRNO | EPERM);
}

static void make_filter(Filter *filter)
{
	load(filter, offsetof(struct seccomp_data, arch));
	/* The numbers of another machine's calls, such as of 32 bits, mean something else. */
	add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_MACHINE, 1, 0));
	answer(filter, SECCOMP_RET_KILL);
	load(filter, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < G_N_ELEMENTS(allowed); i++) {
		skip_unless(filter, allowed[i], 1);
		answer(filter, SECCOMP_RET_ALLOW);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(allowed_without_code); i++)
		refuse_code(filter, allowed_without_code[i]);
	answer(filter, SECCOMP_RET_ERRNO | EPERM);
}

static void filter_calls(void)
{
	Filter filter = { .length = 0 };

	make_filter(&filter);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
	      &(struct sock_fprog){ filter.length, filter.code }, 0, 0);
}

#else

static void filter_calls(void)
{
}

#endif

void child_sandbox_close(const ChildLimits *limits)
{
	set_limits(limits);
	filter_calls();
}
