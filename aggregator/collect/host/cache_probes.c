/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/host/cache_probes.h"

#include "collect/host/cache_layout.h"
#include "collect/host/kmem_points.h"
#include "collect/host/pid_namespace.h"
#include "collect/host/tracepoint_format.h"
#include "collect/host/watchdog.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define GROUP_PREFIX "kmalloc_top_"
#define DEFINITIONS "../../kprobe_events" /* or an errno. */

/* Functions that some kernels have; a probe has the name of its function. Each passes its return
   address to the tracepoint. */
static const char *const functions[] = {
	"kmem_cache_alloc",        "kmem_cache_alloc_lru",        "kmem_cache_alloc_node",
	"kmem_cache_alloc_noprof", "kmem_cache_alloc_lru_noprof", "kmem_cache_alloc_node_noprof",
};

static const CacheProbeRegisters machines[] = {
	{ "x86_64", "%di", "$stack0" },
	{ "aarch64", "%x0", "%x30" },
};

/* A defined probe. */
typedef struct {
	TracepointFormat *format; /* owned */
	const TracepointField *flags, *name, *call_site;
} Probe;

struct CacheProbes {
	int kmem_folder_fd;
	char group[CACHE_PROBES_GROUP_BYTES];
	GArray *probes; /* (element-type Probe), owned */
	GArray *ids;    /* (element-type guint16), owned */
};

const CacheProbeRegisters *cache_probe_registers(const char *machine)
{
	for (size_t i = 0; i < G_N_ELEMENTS(machines); i++)
		if (g_str_equal(machines[i].machine, machine))
			return &machines[i];
	return NULL;
}

void cache_probe_append(GString *out, const CacheProbeRegisters *registers, const char *group,
			const char *function, unsigned name_offset)
{
	g_string_append_printf(out, "p:%s/%s %s name=+0(+%u(%s)):string call_site=%s:u64\n", group,
			       function, function, name_offset, registers->first_argument,
			       registers->return_address);
}

/* Removing. Nothing here allocates, because the watchdog calls it, too. */

/* Writes a line to kprobe_events, without O_TRUNC, which would remove all probes of the host.
   Returns */
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

/* A probe cannot be removed while its event is open. */
static void remove_probe(int kmem_folder_fd, const char *group, const char *function, int tries)
{
	static const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	char line[128];
	int length = snprintf(line, sizeof(line), "-:%s/%s\n", group, function);

	for (int i = 0; i < tries; i++) {
		if (define(kmem_folder_fd, line, (size_t)length) != EBUSY)
			return;
		nanosleep(&pause, NULL);
	}
}

static bool has_probe(int kmem_folder_fd, const char *group, const char *function)
{
	char path[128];

	snprintf(path, sizeof(path), "../%s/%s", group, function);
	return !faccessat(kmem_folder_fd, path, F_OK, 0);
}

static void remove_group(int kmem_folder_fd, const char *group, int tries)
{
	for (size_t i = 0; i < G_N_ELEMENTS(functions); i++)
		if (has_probe(kmem_folder_fd, group, functions[i]))
			remove_probe(kmem_folder_fd, group, functions[i], tries);
}

void cache_probes_remove_group(int kmem_folder_fd, const char *group)
{
	enum { TRIES = 100 }; /* two seconds */

	remove_group(kmem_folder_fd, group, TRIES);
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

void cache_probes_clean(int kmem_folder_fd, const char *root)
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

/* Defining. */

/* Returns the bit of the function in a line "ADDRESS TYPE NAME" (by its index); 0: none. */
static unsigned function_of_line(const char *line)
{
	const char *name = strstr(line, " kmem_cache_alloc");
	size_t length = name ? strcspn(++name, " \t\n") : 0;

	for (size_t i = 0; name && i < G_N_ELEMENTS(functions); i++)
		if (length == strlen(functions[i]) && !strncmp(name, functions[i], length))
			return 1U << i;
	return 0;
}

/* Returns the functions that this kernel has, as bits by their index. /proc/kallsyms has a line for
   each. */
static unsigned functions_there(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[256];
	unsigned found = 0;

	while (file && fgets(line, sizeof(line), file))
		found |= function_of_line(line);
	if (file)
		fclose(file);
	return found;
}

static TracepointFormat *read_format(const CacheProbes *probes, const char *function)
{
	g_autofree char *path = g_strdup_printf("../%s/%s", probes->group, function);
	g_autofree char *text = g_malloc(TRACEPOINT_FORMAT_BYTES_MAX);
	ssize_t length = tracepoint_format_read(probes->kmem_folder_fd, path, text,
						TRACEPOINT_FORMAT_BYTES_MAX);

	return length > 0 ? tracepoint_format_parse(text, (size_t)length, NULL) : NULL;
}

static void add_defined(CacheProbes *probes, const char *function)
{
	Probe probe = { .format = read_format(probes, function) };

	if (!probe.format)
		return;
	probe.flags = tracepoint_format_lookup(probe.format, "common_flags");
	probe.name = tracepoint_format_lookup(probe.format, "name");
	probe.call_site = tracepoint_format_lookup(probe.format, "call_site");
	if (!probe.flags || !probe.name || !probe.call_site) {
		tracepoint_format_free(probe.format);
		return;
	}
	g_array_append_val(probes->probes, probe);
	g_array_append_val(probes->ids, probe.format->id);
}

#define NO_KPROBES "this kernel has no kprobes (CONFIG_KPROBE_EVENTS)"
#define LOCKED_DOWN "the kernel refuses kprobes; it may be locked down"

static bool refuse(int problem, GError **error)
{
	const char *why = problem == ENOENT ? NO_KPROBES
			  : problem == EPERM || problem == EACCES
				  ? LOCKED_DOWN
				  : "the kernel refuses the probes for them";

	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(problem), "%s: %s", why,
		    g_strerror(problem));
	return false;
}

static bool define_all(CacheProbes *probes, const CacheProbeRegisters *registers,
		       unsigned name_offset, GError **error)
{
	unsigned there = functions_there();
	int problem = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(functions); i++) {
		g_autoptr(GString) line = g_string_new(NULL);
		int failure;

		if (!(there >> i & 1))
			continue;
		cache_probe_append(line, registers, probes->group, functions[i], name_offset);
		failure = define(probes->kmem_folder_fd, line->str, line->len);
		if (failure)
			problem = failure;
		else
			add_defined(probes, functions[i]);
	}
	/* If a probe is refused, only the caches of its function's calls stay unknown. */
	return probes->ids->len || refuse(problem ? problem : EINVAL, error);
}

static void probe_clear(gpointer data)
{
	tracepoint_format_free(((Probe *)data)->format);
}

/* Processes in two containers may have the same pid, so their groups are also named by namespace.
   Other processes do not remove such a group, because they cannot see whether its process has
   ended. */
static void name_group(char group[CACHE_PROBES_GROUP_BYTES])
{
	uint64_t container = pid_namespace_is_first("") ? 0 : pid_namespace_number("");
	int length = snprintf(group, CACHE_PROBES_GROUP_BYTES, GROUP_PREFIX "%d", (int)getpid());

	if (container)
		snprintf(group + length, CACHE_PROBES_GROUP_BYTES - (size_t)length,
			 "_%" G_GUINT64_FORMAT, container);
}

static CacheProbes *probes_new(int kmem_folder_fd)
{
	CacheProbes *probes = g_new0(CacheProbes, 1);

	probes->kmem_folder_fd = kmem_folder_fd;
	name_group(probes->group);
	probes->probes = g_array_new(FALSE, FALSE, sizeof(Probe));
	g_array_set_clear_func(probes->probes, probe_clear);
	probes->ids = g_array_new(FALSE, FALSE, sizeof(guint16));
	watchdog_add(&(WatchdogItem){ .kind = WATCHDOG_PROBES, .path = probes->group });
	return probes;
}

/* Returns why no probe can read a name; NULL: possible. */
static const char *reading_problem(const CacheProbeRegisters *registers, const CacheLayout *layout)
{
	if (!registers)
		return "probes cannot read them on this architecture";
	if (layout->name == CACHE_LAYOUT_UNKNOWN)
		return "the offset of a cache's name is not known: the kernel has no BTF "
		       "(CONFIG_DEBUG_INFO_BTF) and no debuginfo, or this build does not read them";
	return NULL;
}

const char *cache_probes_problem(const CacheProbeHost *host)
{
	g_autofree char *definitions = g_build_filename(host->kmem_folder, DEFINITIONS, NULL);
	g_autofree char *lockdown = g_strconcat(host->root, "/sys/kernel/security/lockdown", NULL);
	g_autofree char *state = NULL;
	CacheLayout layout;

	if (!g_file_test(definitions, G_FILE_TEST_EXISTS))
		return NO_KPROBES;
	if (g_file_get_contents(lockdown, &state, NULL, NULL) && strstr(state, "[confidentiality]"))
		return LOCKED_DOWN;
	cache_layout_find_below(&layout, host->root, host->release);
	return reading_problem(cache_probe_registers(host->machine), &layout);
}

CacheProbes *cache_probes_new(int kmem_folder_fd, GError **error)
{
	const CacheProbeRegisters *registers;
	CacheLayout layout;
	CacheProbes *probes;
	struct utsname host;
	const char *problem;

	cache_layout_find(&layout);
	registers = uname(&host) ? NULL : cache_probe_registers(host.machine);
	problem = reading_problem(registers, &layout);
	if (problem) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, problem);
		return NULL;
	}
	probes = probes_new(kmem_folder_fd);
	if (define_all(probes, registers, (unsigned)layout.name, error))
		return probes;
	cache_probes_free(probes);
	return NULL;
}

void cache_probes_free(CacheProbes *probes)
{
	if (!probes)
		return;
	cache_probes_remove_group(probes->kmem_folder_fd, probes->group);
	watchdog_withdraw(&(WatchdogItem){ .kind = WATCHDOG_PROBES, .path = probes->group });
	g_array_unref(probes->probes);
	g_array_unref(probes->ids);
	g_free(probes);
}

const GArray *cache_probes_ids(const CacheProbes *probes)
{
	return probes->ids;
}

/* Reading. */

static const Probe *probe_of(const CacheProbes *probes, const uint8_t *raw)
{
	for (guint i = 0; i < probes->ids->len; i++)
		if (g_array_index(probes->ids, guint16, i) == kmem_raw_common_type(raw))
			return &g_array_index(probes->probes, Probe, i);
	return NULL;
}

bool cache_probes_read(const CacheProbes *probes, const uint8_t *raw, uint32_t raw_bytes,
		       CacheProbeCall *call)
{
	const Probe *probe = probe_of(probes, raw);
	const char *name;
	uint64_t flags;
	uint32_t length;

	*call = (CacheProbeCall){ 0 };
	if (!probe || !tracepoint_field_number(probe->flags, raw, raw_bytes, &flags) ||
	    !tracepoint_field_number(probe->call_site, raw, raw_bytes, &call->call.call_site))
		return false;
	call->call.context = kmem_context_of_probe(flags);
	name = tracepoint_field_text(probe->name, raw, raw_bytes, &length);
	call->has_cache = name && kmem_cache_named(&call->cache, name, length);
	return true;
}
