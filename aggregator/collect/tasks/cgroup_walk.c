/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the kernel memory of all cgroups: a walk through the hierarchy of the memory controller,
 * breadth first, so that a bound omits the deepest; what these use stands in the figures of those
 * above. A folder with two links has no folders below, and is not listed. Files that must have 0,
 * as the cgroup above has 0, are not read. slabstack.c appends a reading at both ends of its time.
 */
#include "collect/tasks/cgroup_paths.h"

#include "base/clock.h"
#include "collect/tasks/task_proc.h"
#include "names/cgroup_memory.h"
#include "record/batch_writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CGROUPS_MAX = 20000,
	TEXT_BYTES = 16 << 10, /* memory.stat has 2 KiB, /proc/cgroups a line per controller */
	LINKS_OF_A_LEAF = 2,   /* kernfs_refresh_inode(), fs/kernfs/inode.c: 2 + folders below */
};

/* A cgroup to look at. */
typedef struct {
	char *below; /* its path below the mounted folder: "", "/system.slice" */
	bool dying;  /* of the cgroup above, these figures are not 0 */
	bool sockets;
} Visit;

typedef struct {
	TaskCgroupMount mount;
	bool is_v2;
	GQueue *visits;  /* (element-type Visit), owned */
	unsigned seen;   /* cgroups that were ever in the queue */
	uint64_t end_ns; /* not one more is read then */
	uint64_t folders;
	CgroupTotals totals;
	GString *path; /* of the file being read */
	GString *lines;
	char text[TEXT_BYTES];
} Walk;

static void visit_free(void *data)
{
	Visit *visit = data;

	g_free(visit->below);
	g_free(visit);
}

/* Reads a file whose path is in walk->path, as text. Returns false if that is not possible. */
static bool read_path(Walk *walk)
{
	int file = open(walk->path->str, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t length = -1;

	if (file >= 0) {
		length = read(file, walk->text, sizeof(walk->text) - 1);
		close(file);
	}
	walk->text[MAX(length, 0)] = '\0';
	return length > 0;
}

static bool read_file(Walk *walk, const char *below, const char *name)
{
	g_string_printf(walk->path, "%s%s/%s", walk->mount.folder, below, name);
	return read_path(walk);
}

/* Returns the number behind a word at the start of a line of walk->text. */
static bool number_of(const Walk *walk, const char *word, uint64_t *number)
{
	const char *line = walk->text;
	char *end;

	while (line && !g_str_has_prefix(line, word)) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return false;
	line += strlen(word);
	*number = g_ascii_strtoull(line, &end, 10);
	return end != line;
}

/* Before Linux 5.18. */
static void add_up_kernel(CgroupMemory *cgroup)
{
	for (CgroupFigure part = CGROUP_SLAB_UNRECLAIMABLE; part <= CGROUP_VMALLOC; part++) {
		cgroup->known[CGROUP_KERNEL] |= cgroup->known[part];
		cgroup->numbers[CGROUP_KERNEL] += cgroup->numbers[part];
	}
}

static bool read_dying(const Walk *walk, uint64_t *dying)
{
	/* The first since Linux 6.12: a removed cgroup may have freed its memory controller. */
	return number_of(walk, "nr_dying_subsys_memory ", dying) ||
	       number_of(walk, "nr_dying_descendants ", dying);
}

static void read_v2(Walk *walk, const Visit *visit, CgroupMemory *cgroup)
{
	if (!read_file(walk, visit->below, "memory.stat"))
		*walk->text = '\0';
	for (CgroupFigure figure = 0; figure < CGROUP_FIGURES; figure++)
		if (cgroup_figures[figure].stat)
			cgroup->known[figure] = number_of(walk, cgroup_figures[figure].stat,
							  &cgroup->numbers[figure]);
	if (!cgroup->known[CGROUP_KERNEL])
		add_up_kernel(cgroup);
	cgroup->known[CGROUP_DYING] = !visit->dying;
	if (!visit->dying || !read_file(walk, visit->below, "cgroup.stat"))
		return;
	cgroup->known[CGROUP_DYING] = read_dying(walk, &cgroup->numbers[CGROUP_DYING]);
	if (*visit->below)
		return;
	walk->totals.is_dying_known = cgroup->known[CGROUP_DYING];
	walk->totals.dying = cgroup->numbers[CGROUP_DYING];
	walk->totals.is_visible_known = number_of(walk, "nr_descendants ", &walk->totals.visible);
}

static void read_v1(Walk *walk, const Visit *visit, CgroupMemory *cgroup)
{
	for (CgroupFigure figure = 0; figure < CGROUP_FIGURES; figure++) {
		const char *file = cgroup_figures[figure].file;

		if (!file)
			continue;
		cgroup->known[figure] = figure == CGROUP_SOCKETS && !visit->sockets;
		if (!cgroup->known[figure] && read_file(walk, visit->below, file))
			cgroup->known[figure] = number_of(walk, "", &cgroup->numbers[figure]);
	}
}

static void add_visit(Walk *walk, const char *above, const char *name, const CgroupMemory *cgroup)
{
	Visit *visit;

	if (walk->seen >= CGROUPS_MAX || strpbrk(name, "\t\n")) {
		walk->totals.unread++;
		return;
	}
	walk->seen++;
	visit = g_new(Visit, 1);
	*visit = (Visit){
		.below = g_strconcat(above, "/", name, NULL),
		.dying = cgroup->numbers[CGROUP_DYING] || !cgroup->known[CGROUP_DYING],
		.sockets = walk->totals.is_flat || cgroup->numbers[CGROUP_SOCKETS],
	};
	g_queue_push_tail(walk->visits, visit);
}

static void list_below(Walk *walk, const Visit *visit, const CgroupMemory *cgroup)
{
	const struct dirent *entry;
	DIR *folder;

	g_string_printf(walk->path, "%s%s", walk->mount.folder, visit->below);
	folder = opendir(walk->path->str);
	while (folder && (entry = readdir(folder)))
		if (entry->d_type == DT_DIR && !g_str_equal(entry->d_name, ".") &&
		    !g_str_equal(entry->d_name, ".."))
			add_visit(walk, visit->below, entry->d_name, cgroup);
	if (folder)
		closedir(folder);
}

/* Below a cgroup of v2 without the memory controller, none has it. */
static void look_at(Walk *walk, const Visit *visit)
{
	g_autofree char *path = task_cgroup_path_below(walk->mount, visit->below);
	CgroupMemory cgroup = { .path = path };
	struct stat status;

	g_string_printf(walk->path, "%s%s", walk->mount.folder, visit->below);
	if (lstat(walk->path->str, &status) != 0)
		return;
	walk->folders++;
	(walk->is_v2 ? read_v2 : read_v1)(walk, visit, &cgroup);
	if (cgroup.known[CGROUP_KERNEL])
		cgroup_memory_append(walk->lines, &cgroup);
	if (status.st_nlink != LINKS_OF_A_LEAF &&
	    (!walk->is_v2 || !*visit->below || cgroup.known[CGROUP_KERNEL]))
		list_below(walk, visit, &cgroup);
}

static void walk_all(Walk *walk)
{
	Visit *visit = g_new(Visit, 1);

	*visit = (Visit){ .below = g_strdup(""), .dying = true, .sockets = true };
	g_queue_push_tail(walk->visits, visit);
	while ((visit = g_queue_pop_head(walk->visits))) {
		if (*visit->below && clock_monotonic_ns() >= walk->end_ns)
			walk->totals.unread++;
		else
			look_at(walk, visit);
		visit_free(visit);
	}
}

/* All of the hierarchy, less those with a folder. Only the topmost cgroup has this file. */
static void count_v1(Walk *walk, const char *root)
{
	const char *line;
	uint64_t all;

	walk->totals.visible = walk->folders - MIN(walk->folders, 1);
	walk->totals.is_visible_known = !walk->totals.unread;
	g_string_printf(walk->path, "%s/release_agent", walk->mount.folder);
	if (walk->totals.unread || access(walk->path->str, F_OK) != 0)
		return;
	g_string_printf(walk->path, "%s/proc/cgroups", root);
	line = read_path(walk) ? strstr(walk->text, "\nmemory\t") : NULL;
	if (!line)
		return;
	line += strlen("\nmemory\t");
	all = g_ascii_strtoull(line + strcspn(line, "\t"), NULL, 10);
	walk->totals.dying = all - MIN(all, walk->folders);
	walk->totals.is_dying_known = all;
}

static void start_walk(Walk *walk, const TaskCgroups *cgroups, uint64_t time_max_ns)
{
	walk->mount = task_cgroups_mount(cgroups, TASK_CGROUP_MEMORY);
	walk->is_v2 = !walk->mount.folder;
	if (walk->is_v2)
		walk->mount = task_cgroups_mount(cgroups, TASK_CGROUP_V2);
	walk->visits = g_queue_new();
	walk->end_ns = clock_monotonic_ns() + time_max_ns;
	walk->path = g_string_new(NULL);
	walk->lines = g_string_new(NULL);
	walk->totals.is_flat =
		!walk->is_v2 && read_file(walk, "", "memory.use_hierarchy") && *walk->text == '0';
}

static void end_walk(Walk *walk)
{
	g_queue_free_full(walk->visits, visit_free);
	g_string_free(walk->path, TRUE);
	g_string_free(walk->lines, TRUE);
	g_free(walk);
}

void cgroup_memory_append_reading(GByteArray *out, const char *root, uint32_t reading,
				  uint64_t time_max_ns)
{
	g_autoptr(TaskCgroups) cgroups = task_cgroups_new(root);
	g_autoptr(GString) text = g_string_new(NULL);
	Walk *walk = g_new0(Walk, 1);

	start_walk(walk, cgroups, time_max_ns);
	if (walk->mount.folder) {
		walk_all(walk);
		if (!walk->is_v2)
			count_v1(walk, root);
		cgroup_totals_append(text, &walk->totals);
		g_string_append_len(text, walk->lines->str, (gssize)walk->lines->len);
		batch_write_reading(out, KMT_BATCH_CGROUP_MEMORY, reading, clock_monotonic_ns(),
				    text->str, text->len);
	}
	end_walk(walk);
}
