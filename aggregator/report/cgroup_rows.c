/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cgroups have and take kernel memory. The kernel's figures contain those of all cgroups
 * below, so the deepest are judged first: one that is worth a row takes its memory out of those
 * above, whose rows are what is left. Made of two readings, for the overview and JSON.
 */
#include "report/slab_readings.h"

#include "base/clock.h"
#include "base/saturate.h"
#include "base/unconst.h"
#include "names/cgroup_names.h"

#include <math.h>
#include <string.h>

/* A cgroup of the later reading, and what the rows of those below have of its memory. */
typedef struct {
	const CgroupMemory *cgroup;
	size_t path_bytes;
	uint64_t covered_bytes;
	double covered_change;
	bool is_rest;
} Node;

typedef struct {
	const SlabTable *slabs;
	GArray *nodes;  /* (element-type Node), by the length of the path, longest first */
	GHashTable *at; /* (element-type CgroupMemory Node), borrowed */
	GArray *rows;   /* (element-type CgroupRow) */
	uint64_t large; /* memory that is worth a row */
	double noise;   /* change that is worth none, in bytes */
} Judge;

static int compare_depth(const void *a, const void *b)
{
	const Node *of_a = a, *of_b = b;

	if (of_a->path_bytes != of_b->path_bytes)
		return of_a->path_bytes > of_b->path_bytes ? -1 : 1;
	return strcmp(of_a->cgroup->path, of_b->cgroup->path);
}

/* Returns the next cgroup above that was read, or NULL. */
static Node *node_above(const Judge *judge, const Node *node)
{
	g_autofree char *path = g_strdup(node->cgroup->path);
	const CgroupMemory *above = NULL;
	char *slash;

	while (!above && path[1] && (slash = strrchr(path, '/'))) {
		slash[slash == path] = '\0';
		above = cgroup_reading_find(judge->slabs->cgroups.end, path);
	}
	return above ? g_hash_table_lookup(judge->at, above) : NULL;
}

/* A cgroup that the first reading lacks is new, unless that one is not whole. */
static CgroupRow row_of(const Judge *judge, const Node *node)
{
	const CgroupSpan *span = &judge->slabs->cgroups;
	const CgroupMemory *start = cgroup_reading_find(span->start, node->cgroup->path);
	uint64_t bytes = cgroup_kernel_bytes(node->cgroup);
	CgroupRow row = {
		.cgroup = node->cgroup,
		.is_rest = node->is_rest,
		.start = start ? cgroup_kernel_bytes(start) : 0,
		.own_bytes = bytes - MIN(bytes, node->covered_bytes),
		.has_change = span->span_ns && (start || !span->start->totals.unread),
	};

	if (row.has_change)
		row.grown_bytes = (double)bytes - (double)row.start - node->covered_change;
	row.change_bytes = row.grown_bytes * NS_PER_SECOND / (double)MAX(span->span_ns, 1);
	row.has_grown = row.grown_bytes > judge->noise;
	return row;
}

/* Adds a row if the cgroup is worth one, and tells the one above what rows have of its memory. */
static void judge_node(Judge *judge, const Node *node)
{
	const CgroupSpan *span = &judge->slabs->cgroups;
	CgroupRow row = row_of(judge, node);
	Node *above = span->end->totals.is_flat ? NULL : node_above(judge, node);
	bool is_worth = fabs(row.grown_bytes) > judge->noise || row.own_bytes >= judge->large;

	if (above) {
		bool has_all = is_worth && row.has_change;

		above->is_rest |= is_worth || node->is_rest;
		saturate_add(&above->covered_bytes,
			     is_worth ? cgroup_kernel_bytes(node->cgroup) : node->covered_bytes);
		above->covered_change +=
			has_all ? row.grown_bytes + node->covered_change : node->covered_change;
	}
	if (is_worth)
		g_array_append_val(judge->rows, row);
}

/* Of equal growth, the larger one comes first. */
static int compare_rows(const void *a, const void *b)
{
	const CgroupRow *of_a = a, *of_b = b;
	double growth_a = of_a->has_grown ? of_a->change_bytes : 0;
	double growth_b = of_b->has_grown ? of_b->change_bytes : 0;

	if (growth_a != growth_b)
		return growth_a > growth_b ? -1 : 1;
	if (of_a->own_bytes != of_b->own_bytes)
		return of_a->own_bytes > of_b->own_bytes ? -1 : 1;
	return strcmp(of_a->cgroup->path, of_b->cgroup->path);
}

static void add_nodes(Judge *judge)
{
	const GArray *cgroups = judge->slabs->cgroups.end->cgroups;
	uint64_t most = 0;

	for (guint i = 0; i < cgroups->len; i++) {
		const CgroupMemory *cgroup = &g_array_index(cgroups, CgroupMemory, i);
		const Node node = { .cgroup = cgroup, .path_bytes = strlen(cgroup->path) };

		most = MAX(most, cgroup_kernel_bytes(cgroup));
		g_array_append_val(judge->nodes, node);
	}
	g_array_sort(judge->nodes, compare_depth);
	for (guint i = 0; i < judge->nodes->len; i++) {
		Node *node = &g_array_index(judge->nodes, Node, i);

		g_hash_table_insert(judge->at, unconst(node->cgroup), node);
	}
	/* At most 20 have so much of their own. */
	judge->large = MAX(most / 20, 1);
}

static GArray *cgroup_rows_new(const SlabTable *slabs)
{
	/* The kernel counts pages for each CPU apart, 64 of them, and allocates ahead. */
	enum { NOISE_BYTES = 256 << 10, NOISE_BYTES_OF_A_CPU = 64 << 10 };
	Judge judge = {
		.slabs = slabs,
		.nodes = g_array_new(FALSE, FALSE, sizeof(Node)),
		.at = g_hash_table_new(NULL, NULL),
		.rows = g_array_new(FALSE, FALSE, sizeof(CgroupRow)),
		.noise = NOISE_BYTES + slabs->cpus * (double)NOISE_BYTES_OF_A_CPU,
	};

	if (slabs->cgroups.end)
		add_nodes(&judge);
	for (guint i = 0; i < judge.nodes->len; i++)
		judge_node(&judge, &g_array_index(judge.nodes, Node, i));
	g_array_sort(judge.rows, compare_rows);
	g_hash_table_unref(judge.at);
	g_array_unref(judge.nodes);
	return judge.rows;
}

const char *cgroup_of_most_dying(const CgroupReading *reading)
{
	const char *most = NULL;

	for (guint i = 0; i < reading->cgroups->len; i++) {
		const CgroupMemory *cgroup = &g_array_index(reading->cgroups, CgroupMemory, i);

		/* Of those with more than half, each is below the others. */
		if (cgroup->numbers[CGROUP_DYING] > reading->totals.dying / 2 &&
		    (!most || strlen(cgroup->path) > strlen(most)))
			most = cgroup->path;
	}
	return most;
}

static const CgroupRow *cgroup_row(const Table *table, guint row)
{
	return &g_array_index(table->rows, CgroupRow, row);
}

/* For people: the container or unit; all rows have the whole path. */
static Value label_of(Table *table, const TableColumn *column, guint row)
{
	const SlabTable *slabs = table->source;
	const CgroupRow *cgroup = cgroup_row(table, row);

	(void)column;
	cgroup_label_append(table->text, cgroup->cgroup->path, slabs->rows_max == UINT32_MAX);
	if (cgroup->is_rest)
		g_string_append(table->text, " (others)");
	return table_text(table->text);
}

static Value path_of(Table *table, const TableColumn *column, guint row)
{
	(void)column;
	return (Value){ .known = true, .text = cgroup_row(table, row)->cgroup->path };
}

static Value bytes_of(Table *table, const TableColumn *column, guint row)
{
	(void)column;
	return (Value){ .known = true,
			.number = cgroup_kernel_bytes(cgroup_row(table, row)->cgroup) };
}

static Value figure_of(Table *table, const TableColumn *column, guint row)
{
	const CgroupMemory *cgroup = cgroup_row(table, row)->cgroup;

	return (Value){ .known = cgroup->known[column->at], .number = cgroup->numbers[column->at] };
}

#define MEMBER(name, type, member) TABLE_MEMBER(name, type, CgroupRow, member)
#define FIGURE(name, value_type, figure)                                                           \
	.id = (name), .type = (value_type), .at = (figure), .read = figure_of, .uses = TABLE_JSON

static const TableColumn columns[] = {
	{ .id = "cgroup", .type = VALUE_TEXT, .uses = TABLE_JSON, .read = path_of },
	{ .title = "CGROUP",
	  .type = VALUE_LABEL,
	  .uses = TABLE_TEXT,
	  .is_cut = true,
	  .read = label_of },
	{ MEMBER("kernel_bytes_start", VALUE_BYTES, start),
	  .known_at = offsetof(CgroupRow, has_change), .uses = TABLE_JSON },
	{ .id = "kernel_bytes", .type = VALUE_BYTES, .uses = TABLE_JSON, .read = bytes_of },
	{ MEMBER("is_rest", VALUE_FLAG, is_rest), .uses = TABLE_JSON },
	{ MEMBER("own_bytes", VALUE_BYTES, own_bytes), .title = "KERNEL-BYTES",
	  .title_human = "KERNEL" },
	{ MEMBER("own_change_bytes_per_second", VALUE_CHANGE, change_bytes),
	  .known_at = offsetof(CgroupRow, has_change), .title = "CHANGE-BYTES/s",
	  .title_human = "CHANGE/s" },
	{ MEMBER("own_change_bytes", VALUE_CHANGE, grown_bytes),
	  .known_at = offsetof(CgroupRow, has_change), .uses = TABLE_JSON },
	{ FIGURE("sockets_bytes", VALUE_BYTES, CGROUP_SOCKETS) },
	{ FIGURE("slab_unreclaimable_bytes", VALUE_BYTES, CGROUP_SLAB_UNRECLAIMABLE) },
	{ FIGURE("slab_reclaimable_bytes", VALUE_BYTES, CGROUP_SLAB_RECLAIMABLE) },
	{ FIGURE("per_cpu_bytes", VALUE_BYTES, CGROUP_PER_CPU) },
	{ FIGURE("kernel_stacks_bytes", VALUE_BYTES, CGROUP_KERNEL_STACKS) },
	{ FIGURE("page_tables_bytes", VALUE_BYTES, CGROUP_PAGE_TABLES) },
	{ FIGURE("vmalloc_bytes", VALUE_BYTES, CGROUP_VMALLOC) },
	{ FIGURE("dying", VALUE_COUNT, CGROUP_DYING) },
};

Table *cgroup_table_new(const SlabTable *slabs, TableUse use)
{
	Table *table = table_new(slabs, cgroup_rows_new(slabs));

	table_add(table, columns, G_N_ELEMENTS(columns), use);
	return table;
}
