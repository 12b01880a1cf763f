/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Defines, counts and removes kprobes in tracefs, as one group with a name made of our pid. The
 * group is registered with the watchdog before its first probe. Removing allocates nothing, because
 * the watchdog calls it; groups that were left behind are removed at the next start.
 */
#include "collect/tracefs/kprobe_group.h"

#include "collect/facts/host_facts.h"
#include "collect/tracefs/tracefs.h"
#include "process/watchdog.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GROUP_PREFIX "kmalloc_top_"
#define DEFINITIONS "../../kprobe_events" /* from events/kmem */
#define PROFILE "../../kprobe_profile"

enum {
	GROUP_BYTES = 64,
	PROBE_BYTES = 96,
};

struct KprobeGroup {
	int kmem_folder_fd;
	int profile_fd;     /* -1: not open */
	bool is_registered; /* with the watchdog */
	char name[GROUP_BYTES];
};

static const char *const functions[KPROBE_FUNCTIONS] = {
	[KPROBE_CACHE_ALLOC] = "kmem_cache_alloc",
	[KPROBE_CACHE_ALLOC_LRU] = "kmem_cache_alloc_lru",
	[KPROBE_CACHE_ALLOC_NODE] = "kmem_cache_alloc_node",
	[KPROBE_CACHE_ALLOC_NOPROF] = "kmem_cache_alloc_noprof",
	[KPROBE_CACHE_ALLOC_LRU_NOPROF] = "kmem_cache_alloc_lru_noprof",
	[KPROBE_CACHE_ALLOC_NODE_NOPROF] = "kmem_cache_alloc_node_noprof",
	[KPROBE_KVFREE_CALL_RCU] = "kvfree_call_rcu",
	[KPROBE_CACHE_FREE_BULK] = "kmem_cache_free_bulk",
	[KPROBE_CACHE_ALLOC_BULK] = "kmem_cache_alloc_bulk",
	[KPROBE_CACHE_ALLOC_BULK_NOPROF] = "kmem_cache_alloc_bulk_noprof",
	[KPROBE_FREE_SLAB] = "__free_slab",
};

static const KprobeRegisters machines[] = {
	{ "x86_64", { "%di", "%si", "%dx" }, "$stack0" },
	{ "aarch64", { "%x0", "%x1", "%x2" }, "%x30" },
	{ "ppc64le", { "%gpr3", "%gpr4", "%gpr5" }, "%link" },
	{ "s390x", { "%r2", "%r3", "%r4" }, "%r14" },
};

const KprobeRegisters *kprobe_registers(const char *machine)
{
	for (size_t i = 0; i < G_N_ELEMENTS(machines); i++)
		if (g_str_equal(machines[i].machine, machine))
			return &machines[i];
	return NULL;
}

/* Returns the bit of the function in a line "ADDRESS TYPE NAME"; 0: none. */
static unsigned function_of_line(const char *line)
{
	const char *name = strrchr(line, ' ');
	size_t length = name ? strcspn(++name, "\t\n") : 0;

	for (unsigned i = 0; name && i < KPROBE_FUNCTIONS; i++)
		if (length == strlen(functions[i]) && !strncmp(name, functions[i], length))
			return 1U << i;
	return 0;
}

unsigned kprobe_functions_there(const char *root)
{
	g_autofree char *path = g_strconcat(root, "/proc/kallsyms", NULL);
	FILE *file = fopen(path, "re");
	char line[256];
	unsigned found = 0;

	while (file && fgets(line, sizeof(line), file))
		found |= function_of_line(line);
	if (file)
		fclose(file);
	return found;
}

/* Removing. Nothing here allocates, because the watchdog calls it, too. */

/* Writes a line to kprobe_events, without O_TRUNC, which would remove all probes of the host.
   Returns 0 or an errno. */
static int define(int kmem_folder_fd, const char *line, size_t length)
{
	int fd = openat(kmem_folder_fd, DEFINITIONS, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	int problem = 0;

	if (fd < 0)
		return errno;
	errno = 0;
	if (write(fd, line, length) != (ssize_t)length)
		problem = errno ? errno : EIO;
	close(fd);
	return problem;
}

/* The kernel's counts are listed without the group. So a probe's name also has the number of its
   group. */
static void name_probe(char name[PROBE_BYTES], const char *group, KprobeFunction function)
{
	g_assert(function < G_N_ELEMENTS(functions));
	snprintf(name, PROBE_BYTES, "%s_%s", functions[function], group + strlen(GROUP_PREFIX));
}

enum { REMOVE_TRIES = 100 }; /* two seconds */

static void remove_group(int kmem_folder_fd, const char *group, int tries)
{
	static const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	char probe[PROBE_BYTES], path[GROUP_BYTES + PROBE_BYTES], line[GROUP_BYTES + PROBE_BYTES];
	int length;

	for (unsigned function = 0; function < KPROBE_FUNCTIONS; function++) {
		name_probe(probe, group, (KprobeFunction)function);
		snprintf(path, sizeof(path), "../%s/%s", group, probe);
		if (faccessat(kmem_folder_fd, path, F_OK, 0))
			continue;
		length = snprintf(line, sizeof(line), "-:%s/%s\n", group, probe);
		/* A probe cannot be removed while its event is open. */
		for (int i = 0; i < tries; i++) {
			if (define(kmem_folder_fd, line, (size_t)length) != EBUSY)
				break;
			nanosleep(&pause, NULL);
		}
	}
}

void kprobe_group_undo(const char *name)
{
	int fd = tracefs_open_kmem_alone();

	if (fd < 0)
		return;
	remove_group(fd, name, REMOVE_TRIES);
	close(fd);
}

/* Probes left by other processes. */

static bool is_gone(const char *root, const char *group)
{
	g_autofree char *path = NULL;
	const char *pid;
	guint64 number;
	char *end;

	if (!g_str_has_prefix(group, GROUP_PREFIX))
		return false;
	pid = group + strlen(GROUP_PREFIX);
	number = g_ascii_isdigit(*pid) ? g_ascii_strtoull(pid, &end, 10) : 0;
	if (!number || *end)
		return false;
	path = g_strconcat(root, "/proc/", pid, NULL);
	/* A group with our own pid is of an earlier process. */
	return access(path, F_OK) || number == (guint64)getpid();
}

void kprobe_groups_clean(int kmem_folder_fd, const char *root)
{
	int fd = openat(kmem_folder_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *events = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	/* In another namespace, we cannot see the pids of other processes. */
	while (events && pid_namespace_is_first(root) && (entry = readdir(events)))
		if (is_gone(root, entry->d_name))
			remove_group(kmem_folder_fd, entry->d_name, 1);
	if (events)
		closedir(events);
}

/* A group. */

KprobeGroup *kprobe_group_new(int kmem_folder_fd)
{
	KprobeGroup *group = g_new0(KprobeGroup, 1);
	uint64_t container = pid_namespace_is_first("") ? 0 : pid_namespace_number("");
	int length = snprintf(group->name, GROUP_BYTES, GROUP_PREFIX "%d", (int)getpid());

	group->kmem_folder_fd = kmem_folder_fd;
	group->profile_fd = -1;
	/* Processes in two containers may have the same pid, so their groups are also named by
	   namespace. Other processes do not remove such a group, because they cannot see whether
	   its process has ended. */
	if (container)
		snprintf(group->name + length, GROUP_BYTES - (size_t)length, "_%" G_GUINT64_FORMAT,
			 container);
	return group;
}

void kprobe_group_free(KprobeGroup *group)
{
	const WatchdogItem item = { .kind = WATCHDOG_PROBES, .path = group ? group->name : NULL };

	if (group && group->is_registered) {
		remove_group(group->kmem_folder_fd, group->name, REMOVE_TRIES);
		watchdog_withdraw(&item);
	}
	if (group && group->profile_fd >= 0)
		close(group->profile_fd);
	g_free(group);
}

int kprobe_group_define(KprobeGroup *group, const char *type, KprobeFunction function,
			const char *arguments)
{
	const WatchdogItem item = { .kind = WATCHDOG_PROBES, .path = group->name };
	char probe[PROBE_BYTES];
	g_autofree char *line = NULL;

	g_assert(function < G_N_ELEMENTS(functions));
	name_probe(probe, group->name, function);
	line = g_strdup_printf("%s:%s/%s %s %s\n", type, group->name, probe, functions[function],
			       arguments);
	if (!group->is_registered)
		watchdog_add(&item);
	group->is_registered = true;
	return define(group->kmem_folder_fd, line, strlen(line));
}

TracepointFormat *kprobe_group_read_format(const KprobeGroup *group, KprobeFunction function)
{
	g_autofree char *text = g_malloc(TRACEPOINT_FORMAT_BYTES_MAX);
	g_autofree char *path = NULL;
	char probe[PROBE_BYTES];
	ssize_t length;

	name_probe(probe, group->name, function);
	path = g_strdup_printf("../%s/%s", group->name, probe);
	length = tracepoint_format_read(group->kmem_folder_fd, path, text,
					TRACEPOINT_FORMAT_BYTES_MAX);
	return length > 0 ? tracepoint_format_parse(text, (size_t)length, NULL) : NULL;
}

/* Adds the counts of a line "NAME HITS MISSES". Returns false if it is of another probe. */
static bool add_line(KprobeCounts *counts, const char *line, const char *probe)
{
	const char *name = line + strspn(line, " ");
	size_t length = strcspn(name, " ");
	char *rest;

	if (length != strlen(probe) || strncmp(name, probe, length))
		return false;
	counts->hits += g_ascii_strtoull(name + length, &rest, 10);
	counts->missed += g_ascii_strtoull(rest, NULL, 10);
	return true;
}

/* Returns the bit of the probe that the line is of; 0: of none of the wanted ones. */
static unsigned add_probe(KprobeCounts *counts, const char *line, const char *group,
			  unsigned wanted)
{
	char probe[PROBE_BYTES];

	for (unsigned i = 0; i < KPROBE_FUNCTIONS; i++) {
		if (!(wanted >> i & 1))
			continue;
		name_probe(probe, group, (KprobeFunction)i);
		if (add_line(counts, line, probe))
			return 1U << i;
	}
	return 0;
}

bool kprobe_group_count(KprobeGroup *group, unsigned wanted, KprobeCounts *counts)
{
	char text[4096];
	size_t kept = 0;
	off_t offset = 0;
	ssize_t length;
	unsigned left = wanted;

	*counts = (KprobeCounts){ 0 };
	/* It is read for every new slab, so it stays open. */
	if (group->profile_fd < 0)
		group->profile_fd =
			openat(group->kmem_folder_fd, PROFILE, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	/* Each read costs, also the one that only finds the end of the file. */
	while (left && (length = pread(group->profile_fd, text + kept, sizeof(text) - 1 - kept,
				       offset)) > 0) {
		char *line = text, *end;

		offset += length;
		text[kept + (size_t)length] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			left &= ~add_probe(counts, line, group->name, left);
		}
		kept = strlen(line);
		memmove(text, line, kept);
	}
	return left != wanted;
}

#define NO_KPROBES "this kernel has no kprobes (CONFIG_KPROBE_EVENTS)"
#define LOCKED_DOWN "the kernel refuses kprobes; it may be locked down"

const char *kprobe_refusal(int problem)
{
	if (problem == ENOENT)
		return NO_KPROBES;
	if (problem == EOPNOTSUPP)
		return "probes cannot read the arguments on this architecture";
	return problem == EPERM || problem == EACCES ? LOCKED_DOWN
						     : "the kernel refuses the probes for them";
}

const char *kprobe_problem(const char *root, const char *kmem_folder)
{
	g_autofree char *definitions = g_build_filename(kmem_folder, DEFINITIONS, NULL);
	g_autofree char *lockdown = g_strconcat(root, "/sys/kernel/security/lockdown", NULL);
	g_autofree char *state = NULL;

	if (!g_file_test(definitions, G_FILE_TEST_EXISTS))
		return NO_KPROBES;
	if (g_file_get_contents(lockdown, &state, NULL, NULL) && strstr(state, "[confidentiality]"))
		return LOCKED_DOWN;
	return NULL;
}
