/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The evidence of a run with pairs of allocations and frees: which calls keep what they allocate.
 * Cells are added up by process, cache and stack; rows that keep steadily are added up again by
 * process and call, because one call fills several caches. verdict.c judges the largest of each
 * kind of memory.
 */
#include "report/verdict.h"

#include "base/clock.h"
#include "callsite_skip.h"
#include "names/slabinfo.h"
#include "record/format.h"
#include "report/stack_paths.h"
#include "table/group_table.h"

#include <string.h>

enum { KEY_PROCESS, KEY_CACHE, KEY_STACK, KEYS };

/* A call, while rows are added. */
typedef struct {
	uint32_t process;  /* group */
	const char *entry; /* the outermost function that says what is done; borrowed */
	uint64_t bytes[MEMORY_KINDS];
	uint64_t objects, allocated, freed;
	GHashTable *caches;       /* objects by the group of their cache + 1; owned */
	guint most[MEMORY_KINDS]; /* by kind: the row that keeps most, and its bytes */
	uint64_t most_bytes[MEMORY_KINDS];
	/* When all rows were added: the kind of the call, its bytes of all kinds, and what it
	   proves. */
	MemoryKind kind;
	uint64_t bytes_kept;
	int rank;
} Call;

/* A row of a process, a cache and a stack. */
typedef struct {
	HeldTimes times;
	uint32_t cell; /* the one that holds most */
	uint64_t cell_held;
	const Call *call; /* NULL: it does not keep what it allocates */
} HeldRow;

/* A cell that counts, and its row. */
typedef struct {
	uint32_t cell;
	uint32_t row;
} HeldCellRow;

typedef struct {
	const View *view;
	const ViewSource *source;
	const GArray *held_check;
	Reclaimable *reclaimable;
	unsigned parts; /* of the run */
	uint64_t span_ns;
	GroupIndex *groups[KEYS + 1]; /* ended by NULL */
	GroupTable table;
	GArray *rows;      /* (element-type HeldRow), as those of the table */
	GArray *cells;     /* (element-type HeldCellRow) */
	GHashTable *calls; /* a set of Call; owned */
} HeldSearch;

static guint call_hash(gconstpointer key)
{
	const Call *call = key;

	return g_str_hash(call->entry) ^ call->process * 2654435761U;
}

static gboolean call_equal(gconstpointer a, gconstpointer b)
{
	const Call *of_a = a, *of_b = b;

	return of_a->process == of_b->process && g_str_equal(of_a->entry, of_b->entry);
}

static void call_free(gpointer data)
{
	Call *call = data;

	g_hash_table_unref(call->caches);
	g_free(call);
}

/* Functions that say what memory is allocated for. */
static const struct {
	const char *function; /* or the beginning of its name, if it ends in '*' */
	MemoryKind kind;
} purposes[] = {
	{ "filemap_*", MEMORY_PAGE_CACHE },
	{ "__filemap_*", MEMORY_PAGE_CACHE },
	{ "page_cache_*", MEMORY_PAGE_CACHE },
	{ "pagecache_get_page", MEMORY_PAGE_CACHE },
	{ "grab_cache_page*", MEMORY_PAGE_CACHE },
	{ "add_to_page_cache*", MEMORY_PAGE_CACHE },
	{ "__page_cache_alloc", MEMORY_PAGE_CACHE },
	{ "__do_page_cache_readahead", MEMORY_PAGE_CACHE },
	{ "grow_dev_folio", MEMORY_PAGE_CACHE },
	{ "do_anonymous_page", MEMORY_OF_PROGRAM },
	{ "do_huge_pmd_anonymous_page", MEMORY_OF_PROGRAM },
	{ "do_wp_page", MEMORY_OF_PROGRAM },
	{ "wp_page_copy", MEMORY_OF_PROGRAM },
	{ "do_cow_fault", MEMORY_OF_PROGRAM },
	{ "vma_alloc_folio*", MEMORY_OF_PROGRAM },
	{ "khugepaged", MEMORY_OF_PROGRAM },
	{ "shmem_*", MEMORY_OF_PROGRAM },
	{ "__pte_alloc*", MEMORY_OF_PROGRAM },
	{ "__pmd_alloc", MEMORY_OF_PROGRAM },
	{ "__pud_alloc", MEMORY_OF_PROGRAM },
	{ "pte_alloc_one", MEMORY_OF_PROGRAM },
	/* Compilers merge functions, so any of them may be what is left. */
	{ "balloon_page_alloc", MEMORY_BALLOON },
	{ "update_balloon_size_func", MEMORY_BALLOON }, /* virtio */
	{ "vmballoon_*", MEMORY_BALLOON },
	{ "balloon_up", MEMORY_BALLOON },           /* Hyper-V */
	{ "decrease_reservation", MEMORY_BALLOON }, /* Xen */
};

static bool is_function(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);

	return pattern[length - 1] == '*' ? !strncmp(pattern, name, length - 1)
					  : g_str_equal(pattern, name);
}

/* Entries of the kernel that say nothing about what is done. */
static bool is_general_entry(const char *function)
{
	static const char *const entries[] = {
		"entry_SYSCALL*",
		"do_syscall_64",
		"x64_sys_call",
		"do_int80*",
		"el0*",
		"invoke_syscall*",
		"do_el0_svc*",
		"ret_from_fork*",
		"kthread",
		"worker_thread",
		"asm_*",
		"exc_page_fault",
		"do_user_addr_fault",
		"do_fast_syscall_32",
		"__do_fast_syscall_32",
		"system_call*",
		"__do_syscall",
		"process_one_work",
		"process_scheduled_works",
		"__x64_sys_*",
		"__se_sys_*",
		"__do_sys_*",
		"__arm64_sys_*",
		"__s390x_sys_*",
		"sys_*",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(entries); i++)
		if (is_function(entries[i], function))
			return true;
	return false;
}

/* Returns the outermost function that says what is done, as "__sys_socketpair"; if there is none,
   the outermost one. */
static const char *entry_of(const StackRows *stacks, uint32_t row)
{
	uint32_t count;
	const FrameId *ids = stack_rows_frames(stacks, row, &count);
	const char *outermost = "";

	for (uint32_t i = count; i-- > 0;) {
		const char *function = stack_rows_frame(stacks, ids[i]).function;

		if (!function)
			continue;
		if (!is_general_entry(function))
			return function;
		outermost = *outermost ? outermost : function;
	}
	return outermost;
}

/* Whether the allocator took the memory for itself, to describe a new slab or to keep free objects
   ready. It stays as long as the slab, whoever called: other processes may keep the objects. */
static bool is_of_allocator(const StackRows *stacks, uint32_t row)
{
	static const char *const functions[] = {
		"alloc_slab_obj_exts",
		"memcg_alloc_page_obj_cgroups",
		"memcg_alloc_slab_cgroups",
		"allocate_slab",
		"new_slab",
		"alloc_empty_sheaf",
		"__alloc_empty_sheaf",
	};
	uint32_t count;
	const FrameId *ids = stack_rows_frames(stacks, row, &count);

	for (uint32_t i = 0; i < count; i++) {
		const char *function = stack_rows_frame(stacks, ids[i]).function;

		for (gsize j = 0; function && j < G_N_ELEMENTS(functions); j++)
			if (g_str_equal(function, functions[j]))
				return true;
	}
	return false;
}

static MemoryKind purpose_of(const StackRows *stacks, uint32_t row)
{
	uint32_t count;
	const FrameId *ids = stack_rows_frames(stacks, row, &count);

	for (uint32_t i = 0; i < count; i++) {
		const char *function = stack_rows_frame(stacks, ids[i]).function;

		for (gsize j = 0; function && j < G_N_ELEMENTS(purposes); j++)
			if (is_function(purposes[j].function, function))
				return purposes[j].kind;
	}
	return MEMORY_KEPT;
}

static const ProfileOrigin *origin_of(const HeldSearch *search, const HeldRow *row)
{
	return profile_origin(search->source->profile,
			      view_source_cell(search->source, row->cell)->origin);
}

static MemoryKind kind_of(const HeldSearch *search, guint number)
{
	const GroupRow *group = group_table_row(&search->table, number);
	const ProfileOrigin *origin =
		origin_of(search, &g_array_index(search->rows, HeldRow, number));
	const char *cache = cache_names_of(search->source->caches, origin).name;
	uint32_t stack = group_index_member(search->groups[KEY_STACK], group->groups[KEY_STACK]);

	if (cache)
		return reclaimable_has(search->reclaimable, cache) ? MEMORY_RECLAIMABLE
								   : MEMORY_KEPT;
	return purpose_of(view_stack_rows(search->view), stack);
}

/* Adds the cells that the view counts, with their times. */
static void add_cells(HeldSearch *search)
{
	const ViewSource *source = search->source;

	for (uint32_t i = 0; i < view_source_cells(source); i++) {
		const ProfileCell *cell = view_source_cell(source, i);
		uint32_t number;
		HeldRow *row;

		if (!cell->events || !view_counts_cell(search->view, i))
			continue;
		number = group_table_add(&search->table, cell);
		if (number >= search->rows->len)
			g_array_set_size(search->rows, number + 1);
		g_array_append_vals(search->cells, &(HeldCellRow){ i, number }, 1);
		row = &g_array_index(search->rows, HeldRow, number);
		held_cells_add_times(source->held_cells, held_cell_of(cell), &row->times);
		if (cell->events > row->cell_held) {
			row->cell_held = cell->events;
			row->cell = i;
		}
	}
}

/* Whether what is held grew in most quarters of the run, and not in one of them alone: a working
   set grows at first, a burst once. What kfree_rcu() frees waits for up to 5 s
   (KFREE_DRAIN_JIFFIES, kernel/rcu/tree.c), so if quarters are not longer, the last one must grow,
   too. */
static bool grows_steadily(const HeldTimes *times, unsigned parts, uint64_t span_ns)
{
	enum { QUARTERS = 4, GROWING_MIN = 3, STEP_PERCENT_MIN = 15, STEP_PERCENT_MAX = 60 };
	enum { LONG_SECONDS = 6, SHRINK_PERCENT_MAX = 5 };
	bool is_long = span_ns / QUARTERS >= LONG_SECONDS * (uint64_t)NS_PER_SECOND;
	double before = 0, step = 0, all = parts ? (double)times->held[parts - 1] : 0;
	unsigned growing = 0;

	for (unsigned i = 1; parts >= QUARTERS && i <= QUARTERS; i++) {
		double now = (double)times->held[i * parts / QUARTERS - 1];

		step = now - before;
		if (step * 100 > all * STEP_PERCENT_MAX)
			return false;
		growing += step * 100 >= all * STEP_PERCENT_MIN;
		before = now;
	}
	return growing >= GROWING_MIN &&
	       step * 100 >= all * (is_long ? -SHRINK_PERCENT_MAX : STEP_PERCENT_MIN);
}

/* Whether a row keeps what it allocates: enough to tell, early objects as well as late ones, and
   all the time. */
static bool keeps(const HeldSearch *search, const HeldTimes *times, const RowSums *sums)
{
	enum { HALF_MIN = 10, KEPT_PERCENT_MIN = 20, HALVES_PERCENT_MIN = 70 };
	double first, second;

	if (times->first_allocated < HALF_MIN || times->second_allocated < HALF_MIN ||
	    (double)sums->summary.allocations * 100 <
		    (double)sums->held.allocated * KEPT_PERCENT_MIN)
		return false;
	first = (double)times->first_kept / (double)times->first_allocated;
	second = (double)times->second_kept / (double)times->second_allocated;
	return first * 100 >= second * HALVES_PERCENT_MIN && times->second_kept >= HALF_MIN &&
	       grows_steadily(times, search->parts, search->span_ns);
}

static Call *call_of(HeldSearch *search, const GroupRow *row)
{
	uint32_t stack = group_index_member(search->groups[KEY_STACK], row->groups[KEY_STACK]);
	const Call key = { .process = row->groups[KEY_PROCESS],
			   .entry = entry_of(view_stack_rows(search->view), stack) };
	Call *call = g_hash_table_lookup(search->calls, &key);

	if (call)
		return call;
	call = g_new(Call, 1);
	*call = key;
	call->caches = g_hash_table_new(NULL, NULL);
	g_hash_table_add(search->calls, call);
	return call;
}

static bool is_contradicted(const HeldSearch *search, const char *cache)
{
	const HeldCheckRow *row = cache ? held_check_find(search->held_check, cache) : NULL;

	return row && (row->contradicted || row->left_out);
}

static uint64_t objects_in_cache(const Call *call, uint32_t cache)
{
	return GPOINTER_TO_SIZE(g_hash_table_lookup(call->caches, GUINT_TO_POINTER(cache + 1)));
}

static void add_to_cache(Call *call, uint32_t cache, uint64_t objects)
{
	saturate_add(&objects, objects_in_cache(call, cache));
	g_hash_table_insert(call->caches, GUINT_TO_POINTER(cache + 1),
			    GSIZE_TO_POINTER((gsize)MIN(objects, G_MAXSIZE)));
}

static void add_row(HeldSearch *search, guint number)
{
	const StackRows *stacks = view_stack_rows(search->view);
	const GroupRow *row = group_table_row(&search->table, number);
	uint32_t stack = group_index_member(search->groups[KEY_STACK], row->groups[KEY_STACK]);
	HeldRow *held = &g_array_index(search->rows, HeldRow, number);
	const char *cache = cache_names_of(search->source->caches, origin_of(search, held)).name;
	uint64_t bytes = row->sums.summary.bytes_allocated;
	Call *call;
	MemoryKind kind;

	if (is_contradicted(search, cache) || !keeps(search, &held->times, &row->sums) ||
	    is_of_allocator(stacks, stack))
		return;
	held->call = call = call_of(search, row);
	kind = kind_of(search, number);
	saturate_add(&call->bytes[kind], bytes);
	saturate_add(&call->objects, row->sums.summary.allocations);
	saturate_add(&call->allocated, row->sums.held.allocated);
	saturate_add(&call->freed, row->sums.held.freed);
	add_to_cache(call, row->groups[KEY_CACHE], row->sums.summary.allocations);
	if (bytes > call->most_bytes[kind]) {
		call->most[kind] = number;
		call->most_bytes[kind] = bytes;
	}
}

/* A file that is read fills some caches that no shrinker empties by itself, as those of security
   modules: they go with the others. */
static MemoryKind kind_of_call(const Call *call, uint64_t *bytes)
{
	enum { KEPT_PERCENT_MIN = 20 };
	MemoryKind most = MEMORY_KEPT;

	*bytes = 0;
	for (MemoryKind kind = 0; kind < MEMORY_KINDS; kind++) {
		saturate_add(bytes, call->bytes[kind]);
		most = call->bytes[kind] > call->bytes[most] ? kind : most;
	}
	return call->bytes[MEMORY_KEPT] >= *bytes / 100 * KEPT_PERCENT_MIN &&
			       call->bytes[MEMORY_KEPT]
		       ? MEMORY_KEPT
		       : most;
}

/* Counts the processes of a call, and finds the one that keeps nearly all. */
static void set_processes(const HeldSearch *search, const Call *call, VerdictCall *out)
{
	enum { SINGLE_PERCENT_MIN = 90 };
	const ViewSource *source = search->source;
	const GroupNaming naming = { .source = source };
	g_autoptr(GroupIndex) pids = group_index_new(dimension_lookup("pid"), &naming);
	GroupTable table;

	group_table_init(&table, source, (GroupIndex *[]){ pids, NULL });
	for (guint i = 0; i < search->cells->len; i++) {
		const HeldCellRow *cell = &g_array_index(search->cells, HeldCellRow, i);

		if (g_array_index(search->rows, HeldRow, cell->row).call == call)
			group_table_add(&table, view_source_cell(source, cell->cell));
	}
	out->processes = table.rows->len;
	for (guint i = 0; i < table.rows->len; i++) {
		const GroupRow *row = group_table_row(&table, i);
		uint32_t task = group_index_member(pids, row->groups[0]);

		if ((double)row->sums.summary.allocations * 100 <
		    (double)out->objects * SINGLE_PERCENT_MIN)
			continue;
		out->is_single = true;
		out->tgid = profile_task(source->profile, task)->tgid;
	}
	group_table_clear(&table);
}

/* Appends the first functions outside of the allocators, innermost first, up to what the call is
   for. */
static void append_path(GString *out, const FrameList *frames)
{
	enum { FUNCTIONS_MAX = 3 };
	unsigned count = 0;

	for (guint i = 0; i < frames->count && count < FUNCTIONS_MAX; i++) {
		const char *function = frames->frames[i].function;

		if (!function ||
		    (!count && i + 1 < frames->count && callsite_skip_has(NULL, function)))
			continue;
		if (count && is_general_entry(function))
			break;
		g_string_append_printf(out, "%s%s", count++ ? " < " : "", function);
	}
	g_string_append(out, count ? "" : "unknown functions");
}

static void set_code(const StackRows *stacks, uint32_t stack, VerdictCall *out)
{
	g_autoptr(FrameList) frames = stack_rows_list(stacks, stack);
	g_autoptr(GString) path = g_string_new(NULL);

	append_path(path, frames);
	out->path = g_strdup(path->str);
	for (guint i = 0; i < frames->count; i++) {
		const Frame *frame = &frames->frames[i];

		if (!out->module && path_kind_of_frame(frame) == PATH_MODULE)
			out->module = g_strdup(frame->module);
		/* kthreadd creates the others. */
		out->is_kernel_thread |= !g_strcmp0(frame->function, "kthread") ||
					 !g_strcmp0(frame->function, "kthreadd");
	}
}

static void set_process(const HeldSearch *search, const Call *call, VerdictCall *out)
{
	GroupIndex *processes = search->groups[KEY_PROCESS];
	const GroupNaming naming = { .source = search->source };
	g_autoptr(GString) text = g_string_new(NULL);

	group_index_append_label(processes, call->process, text);
	out->process = g_strdup(text->str);
	out->is_interrupt = group_index_context(processes, call->process) != KMT_CONTEXT_TASK;
	if (out->is_interrupt)
		return;
	set_processes(search, call, out);
	g_string_truncate(text, 0);
	dimension_lookup("cgroup")->label(&naming, group_index_member(processes, call->process),
					  text);
	out->cgroup = g_strdup(text->str);
}

/* By enum KmtSource. */
static const char *const tracepoints[] = {
	[KMT_SOURCE_KMALLOC] = "kmalloc",
	[KMT_SOURCE_CACHE] = "kmem_cache_alloc",
	[KMT_SOURCE_PAGE] = "mm_page_alloc",
};

static CacheLabel cache_of(const HeldSearch *search, const Call *call)
{
	const HeldRow *row = &g_array_index(search->rows, HeldRow, call->most[call->kind]);

	return cache_names_of(search->source->caches, origin_of(search, row));
}

/* What the call keeps in the cache in which it keeps most, and how many more objects of that are in
   use than at the start. */
static void set_growth(const HeldSearch *search, const Call *call, VerdictCall *out)
{
	const char *name = cache_of(search, call).name;
	const GroupRow *row = group_table_row(&search->table, call->most[call->kind]);
	const HeldCheckRow *check = name ? held_check_find(search->held_check, name) : NULL;

	out->in_cache = objects_in_cache(call, row->groups[KEY_CACHE]);
	out->is_cache_growth_known = check && (check->start || check->end);
	if (out->is_cache_growth_known)
		out->cache_growth = (int64_t)(check->end - check->start);
}

static void set_cache(const HeldSearch *search, const Call *call, VerdictCall *out)
{
	const ProfileOrigin *origin =
		origin_of(search, &g_array_index(search->rows, HeldRow, call->most[call->kind]));
	const CacheLabel label = cache_of(search, call);

	out->cache = g_strdup(label.label);
	out->name = g_strdup(label.name ? label.name : label.label);
	/* A name that had to be escaped is no word for a command. */
	if (label.name && label.origin <= CACHE_BY_SIZE && !strchr(label.name, '\\'))
		out->query = g_strdup(label.name);
	if (origin->source < G_N_ELEMENTS(tracepoints))
		out->tracepoint = tracepoints[origin->source];
	out->slot_bytes = origin->bytes_allocated;
	out->caches = g_hash_table_size(call->caches);
}

static void set_call(const HeldSearch *search, const Call *call, VerdictCall *out)
{
	const GroupRow *row = group_table_row(&search->table, call->most[call->kind]);
	uint32_t stack = group_index_member(search->groups[KEY_STACK], row->groups[KEY_STACK]);

	out->objects = call->objects;
	out->allocated = call->allocated;
	out->freed = call->freed;
	set_code(view_stack_rows(search->view), stack, out);
	set_process(search, call, out);
	set_cache(search, call, out);
	set_growth(search, call, out);
}

static const char *const memory_names[MEMORY_KINDS] = {
	[MEMORY_KEPT] = "kept",
	[MEMORY_RECLAIMABLE] = "reclaimable",
	[MEMORY_PAGE_CACHE] = "page_cache",
	[MEMORY_OF_PROGRAM] = "programs",
	[MEMORY_BALLOON] = "balloon",
};

static void weigh_call(const HeldSearch *search, const VerdictEvidence *evidence, Call *call)
{
	VerdictCall proof = { .objects = call->objects };

	call->kind = kind_of_call(call, &call->bytes_kept);
	proof.bytes = call->bytes_kept;
	set_growth(search, call, &proof);
	call->rank = verdict_call_rank(evidence, &proof);
}

/* The call that proves most, of those the one that keeps most. */
static bool is_before(const Call *a, const Call *b)
{
	if (!b || a->rank != b->rank)
		return !b || a->rank > b->rank;
	if (a->bytes_kept != b->bytes_kept)
		return a->bytes_kept > b->bytes_kept;
	return strcmp(a->entry, b->entry) < 0;
}

static void choose_calls(HeldSearch *search, VerdictEvidence *evidence)
{
	const Call *first[MEMORY_KINDS] = { NULL };
	GHashTableIter iterator;
	gpointer value;

	g_hash_table_iter_init(&iterator, search->calls);
	while (g_hash_table_iter_next(&iterator, &value, NULL)) {
		Call *call = value;

		weigh_call(search, evidence, call);
		if (is_before(call, first[call->kind]))
			first[call->kind] = call;
	}
	for (MemoryKind kind = 0; kind < MEMORY_KINDS; kind++) {
		evidence->calls[kind].memory = memory_names[kind];
		if (!first[kind])
			continue;
		evidence->calls[kind].bytes = first[kind]->bytes_kept;
		set_call(search, first[kind], &evidence->calls[kind]);
	}
}

static void search_clear(HeldSearch *search)
{
	for (int i = 0; i < KEYS; i++)
		group_index_free(search->groups[i]);
	group_table_clear(&search->table);
	g_array_unref(search->rows);
	g_array_unref(search->cells);
	g_hash_table_unref(search->calls);
	reclaimable_free(search->reclaimable);
}

void verdict_find_calls(VerdictEvidence *evidence, const View *view, const Session *session,
			const GArray *held_check)
{
	static const char *const keys[KEYS] = { "process", "cache", "stack" };
	const ViewSource *source = view_source(view);
	const GroupNaming naming = { .source = source, .stacks = view_stack_rows(view) };
	HeldSearch search = {
		.view = view,
		.source = source,
		.held_check = held_check,
		.reclaimable =
			reclaimable_new(run_text_of(session->text, KMT_BATCH_RECLAIMABLE, 0)),
		.parts = held_cells_parts(source->held_cells),
		.span_ns = evidence->span_ns,
		.rows = g_array_new(FALSE, TRUE, sizeof(HeldRow)),
		.cells = g_array_new(FALSE, FALSE, sizeof(HeldCellRow)),
		.calls = g_hash_table_new_full(call_hash, call_equal, call_free, NULL),
	};

	for (int i = 0; i < KEYS; i++)
		search.groups[i] = group_index_new(dimension_lookup(keys[i]), &naming);
	group_table_init(&search.table, source, search.groups);
	add_cells(&search);
	for (guint i = 0; i < search.rows->len; i++)
		add_row(&search, i);
	choose_calls(&search, evidence);
	search_clear(&search);
}
