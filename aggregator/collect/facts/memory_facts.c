/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what the host's memory is used for into batches. Of all memory: the table of figures says
 * which line of which file is which figure; all files are read before one is parsed. Of slab
 * caches, from /sys/kernel/slab and /proc/slabinfo: names of merged caches, objects in use, and how
 * many objects sheaves may hold. No state. live_run.c appends a reading at both ends of the window.
 */
#include "collect/facts/memory_facts.h"

#include "base/clock.h"
#include "base/sorted.h"
#include "names/host_state.h"
#include "record/batch_writer.h"
#include "record/format.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 1024 };

/* Free memory first, without a pause. In front of a number: */
static const struct {
	const char *path;
	const char *before;
} files[HOST_FILES] = {
	[IN_MEMINFO] = { "/proc/meminfo", ":" },
	[IN_ZONEINFO] = { "/proc/zoneinfo", ":" },
	[IN_VMSTAT] = { "/proc/vmstat", " " },
	[IN_PRESSURE] = { "/proc/pressure/memory", "total=" },
	[IN_SOCKSTAT] = { "/proc/net/sockstat", " mem " },
};

static void take_number(HostState *state, HostFigure figure, const HostPlace *place,
			const char *text)
{
	uint64_t unit = place->unit ? place->unit : (uint64_t)sysconf(_SC_PAGESIZE);
	char *end;
	uint64_t number = g_ascii_strtoull(text, &end, 10);

	g_assert(figure < HOST_FIGURES);
	if (end == text || number > INT64_MAX / unit)
		return;
	state->known[figure] = true;
	state->numbers[figure] += place->is_less ? -(number * unit) : number * unit;
}

static void take_line(HostState *state, HostFile file, const char *line)
{
	const char *number;

	line += strspn(line, " ");
	number = strstr(line, files[file].before);
	for (HostFigure figure = 0; number && figure < HOST_FIGURES; figure++) {
		const HostPlace *place = host_figures[figure].places;

		for (int i = 0; i < HOST_PLACES && place[i].line; i++)
			if (place[i].file == file && g_str_has_prefix(line, place[i].line))
				take_number(state, figure, &place[i],
					    number + strlen(files[file].before));
	}
}

/* The kernel's own figure is that of all drivers. Counters of CPUs are not read at once, so for a
   moment more pages may have been given back than taken. */
static void find_balloon(HostState *state)
{
	uint64_t by_events = state->numbers[HOST_BALLOON_BY_EVENTS];

	if (!state->known[HOST_BALLOON] && state->known[HOST_BALLOON_BY_EVENTS]) {
		state->known[HOST_BALLOON] = true;
		state->numbers[HOST_BALLOON] = by_events <= INT64_MAX ? by_events : 0;
	}
	state->known[HOST_BALLOON_BY_EVENTS] = false;
}

/* Memory changes by some GB/s, so all files are read before any is parsed. A kernel without
   pressure information has no file; one that was started with psi=0 refuses to read it. */
static HostState read_state(const char *root)
{
	char *texts[HOST_FILES] = { NULL };
	HostState state = { 0 };

	for (HostFile i = 0; i < HOST_FILES; i++) {
		g_autofree char *path = g_strconcat(root, files[i].path, NULL);

		if (!g_file_get_contents(path, &texts[i], NULL, NULL))
			texts[i] = NULL;
	}
	for (HostFile i = 0; i < HOST_FILES; i++) {
		g_auto(GStrv) lines = g_strsplit(texts[i] ? texts[i] : "", "\n", -1);

		for (char **line = lines; *line; line++)
			take_line(&state, i, *line);
		g_free(texts[i]);
	}
	find_balloon(&state);
	return state;
}

static FILE *open_below(const char *root, const char *name)
{
	g_autofree char *path = g_strconcat(root, name, NULL);

	return fopen(path, "re");
}

/* Returns whether the kernel allocates its stacks in the vmalloc area: only then it has this
   function (kernel/fork.c). It is among the first ones: that takes some ms. */
static bool has_stacks_in_vmalloc(const char *root)
{
	FILE *symbols = open_below(root, "/proc/kallsyms");
	char line[LINE_BYTES];
	bool found = false;

	while (symbols && !found && fgets(line, sizeof(line), symbols))
		found = strstr(line, " free_vm_stack_cache\n");
	if (symbols)
		fclose(symbols);
	return found;
}

/* Returns the bytes of all ranges "00100000-bfffffff : System RAM"; others than root read 0. */
static uint64_t ram_bytes(const char *root)
{
	FILE *ranges = open_below(root, "/proc/iomem");
	char line[LINE_BYTES];
	uint64_t bytes = 0;

	while (ranges && fgets(line, sizeof(line), ranges)) {
		char *end;
		uint64_t first = g_ascii_strtoull(line, &end, 16), last;

		if (*end != '-' || !strstr(end, " : System RAM\n"))
			continue;
		last = g_ascii_strtoull(end + 1, NULL, 16);
		bytes += last > first ? last - first + 1 : 0;
	}
	if (ranges)
		fclose(ranges);
	return bytes;
}

/* Returns whether a balloon's pages stay in MemTotal: those of VMware's driver do, and those of
   virtio if they may be given back when memory is short, VIRTIO_BALLOON_F_DEFLATE_ON_OOM: a digit
   for each feature. Hyper-V's and Xen's do not. */
static bool is_balloon_in_total(const char *root)
{
	enum { DEFLATE_ON_OOM = 2 };
	g_autofree char *vmware = g_strconcat(root, "/sys/module/vmw_balloon", NULL);
	g_autofree char *virtio = g_strconcat(root, "/sys/bus/virtio/drivers/virtio_balloon", NULL);
	g_autoptr(GDir) folder = g_dir_open(virtio, 0, NULL);
	bool found = g_file_test(vmware, G_FILE_TEST_IS_DIR);
	const char *name;

	while (!found && folder && (name = g_dir_read_name(folder))) {
		g_autofree char *path = g_build_filename(virtio, name, "features", NULL);
		g_autofree char *features = NULL;

		found = g_file_get_contents(path, &features, NULL, NULL) &&
			strlen(features) > DEFLATE_ON_OOM && features[DEFLATE_ON_OOM] == '1';
	}
	return found;
}

static void append_state(GByteArray *out, const HostState *state, uint32_t reading)
{
	g_autoptr(GString) text = g_string_new(NULL);

	host_state_append(text, state);
	if (text->len)
		batch_write_reading(out, KMT_BATCH_MEMORY, reading, clock_monotonic_ns(), text->str,
				    text->len);
}

void memory_facts_append(GByteArray *out, const char *root, uint32_t reading)
{
	HostState state = read_state(root);

	append_state(out, &state, reading);
}

MemoryLayout memory_layout_read(const char *root)
{
	return (MemoryLayout){ .stacks_in_vmalloc = has_stacks_in_vmalloc(root),
			       .ram_bytes = ram_bytes(root),
			       .balloon_in_total = is_balloon_in_total(root) };
}

void memory_facts_append_balance(GByteArray *out, const char *root, uint32_t reading,
				 const MemoryLayout *layout)
{
	HostState state = read_state(root);

	state.known[HOST_STACKS_IN_VMALLOC] = state.known[HOST_KERNEL_STACKS];
	if (layout->stacks_in_vmalloc)
		state.numbers[HOST_STACKS_IN_VMALLOC] = state.numbers[HOST_KERNEL_STACKS];
	state.known[HOST_RAM] = layout->ram_bytes;
	state.numbers[HOST_RAM] = layout->ram_bytes;
	state.known[HOST_BALLOON_IN_TOTAL] = layout->balloon_in_total;
	if (layout->balloon_in_total)
		state.numbers[HOST_BALLOON_IN_TOTAL] = state.numbers[HOST_BALLOON];
	append_state(out, &state, reading);
}

/* A large host has about 500; an old kernel adds copies for each cgroup. */
enum { ENTRIES_MAX = 100000, SLABINFO_BYTES_MAX = 4 << 20, CHUNK_BYTES = 64 << 10 };
enum { NUMBER_BYTES = 24, SHEAF_OBJECTS_MAX = 1 << 20 };

/* Copies the last component of a link's target. Returns false if the link cannot be read. */
static bool read_target(int folder, const char *link, char target[NAME_MAX + 1])
{
	char path[PATH_MAX];
	ssize_t length = readlinkat(folder, link, path, sizeof(path) - 1);
	const char *slash;

	if (length <= 0)
		return false;
	path[length] = '\0';
	slash = strrchr(path, '/');
	return g_strlcpy(target, slash ? slash + 1 : path, NAME_MAX + 1) <= NAME_MAX;
}

/* Merged caches are links to one folder, ":0000192", whose own name is not used. Other folders are
   caches that were not merged. Adds "FOLDER\tNAME", to be sorted. */
static void add_entry(int folder, const struct dirent *entry, GPtrArray *entries)
{
	char target[NAME_MAX + 1];

	if (strpbrk(entry->d_name, "\t\n"))
		return;
	if (entry->d_type != DT_LNK && (*entry->d_name == ':' || *entry->d_name == '.'))
		return;
	if (entry->d_type != DT_LNK)
		g_strlcpy(target, entry->d_name, sizeof(target));
	else if (!read_target(folder, entry->d_name, target) || strpbrk(target, "\t\n"))
		return;
	g_ptr_array_add(entries, g_strconcat(target, "\t", entry->d_name, NULL));
}

/* Joins the names of each folder to a line. */
static GString *lines_of(GPtrArray *entries)
{
	GString *text = g_string_new(NULL);
	const char *folder = NULL;

	g_ptr_array_sort(entries, sorted_compare_texts);
	for (guint i = 0; i < entries->len; i++) {
		char *entry = g_ptr_array_index(entries, i);
		char *name = strchr(entry, '\t');

		*name++ = '\0';
		if (folder)
			g_string_append_c(text, g_str_equal(folder, entry) ? '\t' : '\n');
		g_string_append(text, name);
		folder = entry;
	}
	g_string_append(text, folder ? "\n" : "");
	return text;
}

GString *slab_facts_names(const char *root)
{
	g_autofree char *path = g_strconcat(root, "/sys/kernel/slab", NULL);
	g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func(g_free);
	DIR *folder = opendir(path);
	struct dirent *entry;

	if (!folder)
		return NULL;
	while (entries->len < ENTRIES_MAX && (entry = readdir(folder)))
		add_entry(dirfd(folder), entry, entries);
	closedir(folder);
	return entries->len ? lines_of(entries) : NULL;
}

/* Reads a file up to a bound; omits lines that cross it. */
static GString *read_lines(FILE *file)
{
	GString *text = g_string_new(NULL);
	g_autofree char *chunk = g_malloc(CHUNK_BYTES);
	size_t bytes = 1;

	while (bytes && text->len < SLABINFO_BYTES_MAX) {
		bytes = fread(chunk, 1, CHUNK_BYTES, file);
		g_string_append_len(text, chunk, (gssize)bytes);
	}
	while (text->len && text->str[text->len - 1] != '\n')
		g_string_truncate(text, text->len - 1);
	return text;
}

/* Returns the number in a file of a cache's folder; 0: the kernel has no such file. */
static uint64_t slab_facts_attribute(int folder, const char *cache, const char *name)
{
	g_autofree char *path = g_strconcat(cache, "/", name, NULL);
	int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
	char text[NUMBER_BYTES] = "";

	if (file < 0)
		return 0;
	if (read(file, text, sizeof(text) - 1) < 0)
		*text = '\0';
	close(file);
	return g_ascii_strtoull(text, NULL, 10);
}

/* Appends the name of each cache whose file of that name has a number other than 0, if factor is
   not 0 behind "# sheaves: " and that multiple of the number. Returns false if the kernel does not
   show its caches. */
static bool append_caches(GString *text, const char *root, const char *name, uint64_t factor)
{
	g_autofree char *path = g_strconcat(root, "/sys/kernel/slab", NULL);
	DIR *folder = opendir(path);
	struct dirent *entry;
	guint entries = 0;

	if (!folder)
		return false;
	while (entries++ < ENTRIES_MAX && (entry = readdir(folder))) {
		uint64_t number = 0;

		if (!strpbrk(entry->d_name, "\t\n") && *entry->d_name != '.')
			number = slab_facts_attribute(dirfd(folder), entry->d_name, name);
		if (number && factor)
			g_string_append_printf(text, "# sheaves: %" G_GUINT64_FORMAT " ",
					       MIN(number, SHEAF_OBJECTS_MAX) * factor);
		if (number)
			g_string_append_printf(text, "%s\n", entry->d_name);
	}
	closedir(folder);
	return true;
}

/* Appends how many objects the sheaves of each cache hold at most (mm/slub.c): each CPU has a main,
   a spare and a filling sheaf for kfree_rcu(); each node keeps MAX_FULL_SHEAVES. */
static void append_sheaves(GString *text, const char *root)
{
	enum { SHEAVES_OF_A_CPU = 3, SHEAVES_OF_A_NODE = 10 };
	uint64_t cpus = (uint64_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1), nodes = 0;
	g_autofree char *path = g_strconcat(root, "/sys/devices/system/node", NULL);
	g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
	const char *name;

	while (folder && (name = g_dir_read_name(folder)))
		nodes += g_str_has_prefix(name, "node") && g_ascii_isdigit(name[strlen("node")]);
	append_caches(text, root, "sheaf_capacity",
		      SHEAVES_OF_A_CPU * cpus + SHEAVES_OF_A_NODE * MAX(nodes, 1));
}

void slab_facts_append(GByteArray *out, const char *root, uint32_t reading)
{
	g_autoptr(GString) sheaves = g_string_new(NULL);
	GString *slabinfo;

	if (reading == KMT_READING_START) {
		g_autoptr(GString) names = slab_facts_names(root);

		if (names)
			batch_write_text(out, KMT_BATCH_CACHE_NAMES, 0, names->str, names->len);
		append_sheaves(sheaves, root);
	}
	slabinfo = slab_facts_slabinfo(root);
	if (!slabinfo)
		return;
	g_string_append_len(slabinfo, sheaves->str, (gssize)sheaves->len);
	batch_write_reading(out, KMT_BATCH_SLABINFO, reading, clock_monotonic_ns(), slabinfo->str,
			    slabinfo->len);
	g_string_free(slabinfo, TRUE);
}

GString *slab_facts_slabinfo(const char *root)
{
	g_autofree char *path = g_strconcat(root, "/proc/slabinfo", NULL);
	FILE *file = fopen(path, "re");
	GString *text;

	if (!file)
		return NULL;
	text = read_lines(file);
	fclose(file);
	if (text->len)
		return text;
	g_string_free(text, TRUE);
	return NULL;
}

void slab_facts_append_reclaimable(GByteArray *out, const char *root)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (!append_caches(text, root, "reclaim_account", 0))
		return;
	batch_write_text(out, KMT_BATCH_RECLAIMABLE, 0, text->str, text->len);
}
