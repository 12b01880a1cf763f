/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sandbox of a process that the program forks (child.c): a user id of its own, capabilities,
 * limits, and a filter of system calls (call_filter.c), in this order.
 */
#include "config.h"

#include "process/child_sandbox.h"

#include "base/text_part.h"

#include <dirent.h>
#include <errno.h>
#include <glib.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	FILES_MAX = 64,
	STATM_DATA = 5,
	STATM_FIELDS = 7,
	CHOICES_MAX = 64,
};

/* Capabilities that openers keep: to read all files, to look into other processes, and to follow
   links in /proc/PID/map_files (CAP_CHECKPOINT_RESTORE, since Linux 5.9; before, CAP_SYS_ADMIN).
   For perf events, CAP_SYS_ADMIN is enough everywhere. */
static const unsigned opener_capabilities[] = { CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE,
						CAP_SYS_ADMIN };

/*
 * Ranges that nobody has ids of: https://systemd.io/UIDS-GIDS lists both as unused. The first one
 * is above all that containers and directory services hand out; the second one is for a container
 * with 65536 ids.
 */
typedef struct {
	uint32_t first, count;
} IdRange;

static const IdRange ranges[] = { { 0x78000000, 1 << 27 }, { 65520, 14 } };

static uid_t private_user; /* 0: not chosen */

/* The user id. */

static bool is_capable(unsigned capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capget, &header, sets) &&
	       sets[capability / 32].effective & 1U << capability % 32;
}

/* Whether this user namespace has the id: lines "INSIDE OUTSIDE COUNT". */
static bool is_mapped(uint32_t id)
{
	g_autofree char *text = NULL;
	TextPart rest = { 0 }, line;
	uint64_t first, outside, count;

	if (!g_file_get_contents("/proc/self/uid_map", &text, &rest.length, NULL))
		return true;
	rest.text = text;
	while (text_part_next_line(&rest, &line))
		if (text_part_decimal(text_part_next_word(&line), &first) &&
		    text_part_decimal(text_part_next_word(&line), &outside) &&
		    text_part_decimal(text_part_next_word(&line), &count) && id - first < count)
			return true;
	return false;
}

static bool has_process(uint32_t id)
{
	DIR *folder = opendir("/proc");
	const struct dirent *entry;
	struct stat status;
	bool found = false;

	while (folder && !found && (entry = readdir(folder)))
		found = g_ascii_isdigit(*entry->d_name) &&
			!fstatat(dirfd(folder), entry->d_name, &status, 0) && status.st_uid == id;
	if (folder)
		closedir(folder);
	return found;
}

void child_sandbox_choose_user(void)
{
	for (size_t i = 0; !private_user && i < G_N_ELEMENTS(ranges) * CHOICES_MAX; i++) {
		const IdRange *range = &ranges[i / CHOICES_MAX];
		uint32_t id = range->first + g_random_int() % range->count;

		if (is_mapped(id) && !has_process(id))
			private_user = id;
	}
}

/* Rights. */

/* Whether the user namespace forbids to change groups; then they are those of an unprivileged
   user. */
static bool are_groups_fixed(void)
{
	g_autofree char *text = NULL;

	return g_file_get_contents("/proc/self/setgroups", &text, NULL, NULL) &&
	       g_str_has_prefix(text, "deny");
}

/* A program that may not change its ids is not root: its user stays. */
static const char *leave_user(void)
{
	if (!is_capable(CAP_SETUID) || !is_capable(CAP_SETGID))
		return NULL;
	errno = ENOENT;
	if (!private_user)
		return "finding a user id that nobody has";
	if (setgroups(0, NULL) && !are_groups_fixed())
		return "setgroups()";
	if (setresgid(private_user, private_user, private_user))
		return "setresgid()";
	return setresuid(private_user, private_user, private_user) ? "setresuid()" : NULL;
}

/* Keeps those that the program has. */
static const char *keep_capabilities(const unsigned *kept, size_t count)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { 0 };

	for (size_t i = 0; i < count; i++)
		if (is_capable(kept[i])) {
			sets[kept[i] / 32].effective |= 1U << kept[i] % 32;
			sets[kept[i] / 32].permitted |= 1U << kept[i] % 32;
		}
	return syscall(SYS_capset, &header, sets) ? "capset()" : NULL;
}

const char *child_sandbox_drop_privileges(ChildRights rights)
{
	bool opens = rights != CHILD_READS;
	size_t kept = opens ? G_N_ELEMENTS(opener_capabilities) : 0;
	const char *problem;

	/* Paths that an opener is asked for may begin in the folder of the program. */
	if (!opens && chdir("/"))
		return "chdir(\"/\")";
	problem = opens ? NULL : leave_user();
	if (!problem)
		problem = keep_capabilities(opener_capabilities, kept);
	if (problem)
		return problem;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return "PR_SET_NO_NEW_PRIVS";
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ? "PR_SET_DUMPABLE" : NULL;
}

/* Limits. */

/* A limit of the host that is lower stays. */
static bool child_sandbox_limit(int resource, rlim_t max)
{
	struct rlimit both;

	if (getrlimit(resource, &both))
		return false;
	both.rlim_max = MIN(both.rlim_max, max);
	both.rlim_cur = both.rlim_max;
	return !setrlimit(resource, &both);
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

static bool limit_memory(const ChildLimits *limits)
{
	/* AddressSanitizer needs terabytes of addresses. */
#if !defined(__SANITIZE_ADDRESS__)
	ChildLimits used = memory_in_use();

	return child_sandbox_limit(RLIMIT_AS,
				   used.address_space_bytes + limits->address_space_bytes) &&
	       child_sandbox_limit(RLIMIT_DATA, used.data_bytes + limits->data_bytes);
#else
	(void)limits, (void)memory_in_use;
	return true;
#endif
}

const char *child_sandbox_close(ChildRights rights, const ChildLimits *limits)
{
	/* Descriptors in flight count for the one who sends them (too_many_unix_fds()). */
	bool sends_files = rights != CHILD_READS;

	if (!child_sandbox_limit(RLIMIT_NPROC, 0) || !child_sandbox_limit(RLIMIT_FSIZE, 0) ||
	    !child_sandbox_limit(RLIMIT_CORE, 0) ||
	    (!sends_files && !child_sandbox_limit(RLIMIT_NOFILE, FILES_MAX)) ||
	    !limit_memory(limits))
		return "setrlimit()";
	return call_filter_set(rights) ? NULL : "the filter of system calls";
}
