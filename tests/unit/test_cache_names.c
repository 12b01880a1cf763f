/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "names/cache_names.h"

#include "cache_hosts.h"
#include "event_batch.h"
#include "made_session.h"
#include "leaks.h"
#include "table/cell_filter.h"
#include "table/view.h"
#include "record/batch_writer.h"
#include "render/text/render_text.h"
#include "session/session.h"

TEST_SUITE_WITHOUT_LEAKS(cache_names);

enum { PLENTY = 16 << 20, DMA = 1, RECLAIMABLE = 2, ACCOUNT = 4 };

static const uint32_t frames[] = { 0x81000210, 0x81000310 };

static const InfoField gfp_bits[] = {
	{ KMT_FIELD_GFP_DMA, DMA, NULL },
	{ KMT_FIELD_GFP_RECLAIMABLE, RECLAIMABLE, NULL },
	{ KMT_FIELD_GFP_ACCOUNT, ACCOUNT, NULL },
};

static void feed_text(Session *session, uint8_t kind, GString *text)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	if (text)
		batch_write_text(bytes, kind, 0, text->str, text->len);
	made_session_feed(session, bytes);
	cache_hosts_free_text(text);
}

static void feed_info(Session *session, const char *release)
{
	const InfoField field = { KMT_FIELD_RELEASE, 0, release };
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	batch_write_info(bytes, gfp_bits, G_N_ELEMENTS(gfp_bits));
	if (release)
		batch_write_info(bytes, &field, 1);
	made_session_feed(session, bytes);
}

static Session *session_of(const char *host)
{
	Session *session = session_new(PLENTY);

	feed_info(session, *host == '-' ? host + 1 : NULL);
	feed_text(session, KMT_BATCH_CACHE_NAMES, cache_hosts_text(host, ".names"));
	feed_text(session, KMT_BATCH_SLABINFO, cache_hosts_text(host, ".slabinfo"));
	return session;
}

/* So many allocations from a cache of that name. */
static void feed_cache(Session *session, const char *name, unsigned allocations)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	EventBatch batch = event_batch_begin(bytes, 0, 0, 1000);
	uint16_t origin;

	if (name)
		event_batch_cache(&batch, name, 100, 128);
	origin = event_batch_origin(&batch, frames, 2, 100, 128);
	event_batch_allocate(&batch, origin, allocations, KMT_CONTEXT_TASK);
	event_batch_end(&batch, allocations);
	made_session_feed(session, bytes);
}

static CacheNames *names_of(const Session *session)
{
	return cache_names_new(session->profile, session->info, session->text);
}

/* The label of the newest counter. */
static CacheLabel newest_label(const Session *session, CacheNames *names)
{
	uint32_t cells = profile_cell_count(session->profile);
	const ProfileCell *cell = profile_cell(session->profile, cells - 1);

	return cache_names_of(names, profile_origin(session->profile, cell->origin));
}

typedef struct {
	const char *host;
	const char *recorded;
	const char *label;
	const char *name;
} LabelCase;

static const LabelCase labels[] = {
	{ "6.18", "kmalloc-192", "kmalloc-192", "kmalloc-192" },
	{ "6.18", "trace_event_file", "trace_event_file (also: nf_conncount_rb)",
	  "trace_event_file" },
	{ "6.18", "file_lock_cache",
	  "file_lock_cache (also: aio_kiocb, inet_peer, mfc6_cache, 4 more)", "file_lock_cache" },
	{ "6.18", "created_since", "created_since", "created_since" },
	{ "6.18", "kmalloc-large", "kmalloc-large", "kmalloc-large" },
	{ "3.10-rhel7", "dentry(3:user.slice)", "dentry", "dentry" },
	{ "3.10-rhel7", "kmalloc-256(3:user.slice)",
	  "kmalloc-256 (also: sgpool-8, skbuff_head_cache)", "kmalloc-256" },
	{ "3.10-rhel7", "dentry(3:cut_by_the_lim", "dentry", "dentry" },
	{ "2.6.32-rhel6", "size-128(DMA)", "size-128(DMA)", "size-128(DMA)" },
	{ "-", "odd(name)", "odd(name)", "odd(name)" },
	{ "-", "\033[2Jx", "\\x1b[2Jx", "\\x1b[2Jx" },
};

Test(cache_names, a_cache_is_shown_by_its_names)
{
	for (size_t i = 0; i < G_N_ELEMENTS(labels); i++) {
		const LabelCase *row = &labels[i];
		g_autoptr(Session) session = session_of(row->host);
		g_autoptr(CacheNames) names = NULL;
		CacheLabel label;

		feed_cache(session, row->recorded, 1);
		names = names_of(session);
		label = newest_label(session, names);
		cr_expect_str_eq(label.label, row->label);
		cr_expect_str_eq(label.name, row->name);
		cr_expect_eq(label.origin, CACHE_RECORDED);
	}
}

Test(cache_names, copies_for_cgroups_are_one_cache)
{
	g_autoptr(Session) session = session_of("3.10-rhel7");
	g_autoptr(CacheNames) names = names_of(session);
	CacheLabel one, other;

	feed_cache(session, "dentry(3:user.slice)", 1);
	one = newest_label(session, names);
	feed_cache(session, "dentry(4:system.slice)", 1);
	other = newest_label(session, names);
	cr_expect_eq(one.label, other.label);
	cr_expect_eq(one.name, other.name);
}

static uint32_t gfp_flags_of(const char *letters)
{
	return (strchr(letters, 'd') ? DMA : 0) | (strchr(letters, 'r') ? RECLAIMABLE : 0) |
	       (strchr(letters, 'a') ? ACCOUNT : 0);
}

static void check_derived(char **row)
{
	g_autoptr(Session) session = session_of(row[0]);
	g_autoptr(CacheNames) names = names_of(session);
	g_autofree char *wanted = g_strconcat(row[4], " (by size)", NULL);
	const ProfileOrigin origin = {
		.bytes_requested = g_ascii_strtoull(row[1], NULL, 10),
		.bytes_allocated = g_ascii_strtoull(row[2], NULL, 10),
		.gfp_flags = gfp_flags_of(row[3]),
		.source = KMT_SOURCE_KMALLOC,
	};
	CacheLabel label = cache_names_of(names, &origin);

	cr_expect_str_eq(label.label, wanted, "%s, %s -> %s, %s: %s", row[0], row[1], row[2],
			 row[3], label.label);
	cr_expect_str_eq(label.name, row[4]);
	cr_expect_eq(label.origin, CACHE_BY_SIZE);
}

Test(cache_names, a_class_is_derived_where_none_was_recorded)
{
	cr_expect_geq(cache_hosts_table("derived", 5, check_derived), 30);
}

Test(cache_names, what_cannot_be_known_says_so)
{
	static const ProfileOrigin unknown[] = {
		{ .source = KMT_SOURCE_CACHE, .bytes_requested = 192, .bytes_allocated = 192 },
		{ .source = KMT_SOURCE_KMALLOC, .free = true },
		{ .source = 0, .bytes_requested = 192, .bytes_allocated = 192 },
		{ .source = KMT_SOURCE_CACHE, .cache = CACHE_ID_OVERFLOW, .bytes_allocated = 8 },
	};
	static const ProfileOrigin pages = { .source = KMT_SOURCE_PAGE, .bytes_allocated = 4096 };
	g_autoptr(Session) session = session_of("6.18");
	g_autoptr(CacheNames) names = names_of(session);

	for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++) {
		CacheLabel label = cache_names_of(names, &unknown[i]);

		cr_expect_str_eq(label.label, "(unknown cache)");
		cr_expect_null(label.name);
		cr_expect_eq(label.origin, CACHE_UNKNOWN);
	}
	cr_expect_str_eq(cache_names_of(names, &pages).label, "(pages)");
	cr_expect_eq(cache_names_of(names, &pages).origin, CACHE_PAGES);
}

static char *names_line(const Session *session)
{
	g_autoptr(CacheNames) names = names_of(session);
	g_autoptr(GString) lines = g_string_new(NULL);
	const ViewSource source = { .profile = session->profile,
				    .symbols = session->symbols,
				    .caches = names };
	ViewOptions options = { .top = UINT64_MAX };
	g_autoptr(View) view = view_new(&source, &options);
	const ReportSource report = {
		.session = session, .view = view, .options = &options, .details = true
	};
	g_autoptr(ReportModel) model = NULL;
	const char *line;

	dimensions_parse("cache", false, options.by, NULL);
	model = report_model_new(REPORT_STACKS, &report);
	append_facts(model, lines);
	line = strstr(lines->str, "Names: ");
	return g_strndup(line ? line : "", line ? strcspn(line, "\n") + 1 : 0);
}

Test(cache_names, the_shares_of_the_sources_of_names_are_shown)
{
	g_autoptr(Session) session = session_of("6.18");
	const InfoField reason = { KMT_FIELD_CACHES_UNKNOWN, 0, "no BTF" };
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autofree char *none = names_line(session), *recorded = NULL, *mixed = NULL, *why = NULL;

	cr_expect_str_eq(none, "");
	feed_cache(session, "dentry", 150);
	recorded = names_line(session);
	cr_expect_str_eq(recorded, "Names: 100 % reported by the kernel\n");
	feed_cache(session, NULL, 50);
	mixed = names_line(session);
	cr_expect_str_eq(mixed, "Names: 75 % reported by the kernel, 25 % by size\n");
	batch_write_info(bytes, &reason, 1);
	made_session_feed(session, bytes);
	why = names_line(session);
	cr_expect_str_eq(
		why, "Names: 75 % reported by the kernel, 25 % by size; not reported: no BTF\n");
}

/* Returns the allocations that a filter keeps. */
static uint64_t kept(const Session *session, const CacheQuery *query)
{
	g_autoptr(CacheNames) names = names_of(session);
	const ViewSource source = { .profile = session->profile,
				    .symbols = session->symbols,
				    .caches = names };
	const CellFilter filter = { &cell_filter_cache, query, NULL };
	g_autoptr(GArray) filters = g_array_new(FALSE, FALSE, sizeof(CellFilter));
	const ViewOptions options = { .cells = filters,
				      .sort = metric_lookup("count", METRIC_RANKS),
				      .top = UINT64_MAX };
	g_autoptr(View) view = NULL;

	g_array_append_val(filters, filter);
	view = view_new(&source, &options);
	return view->before.summary.allocations;
}

Test(cache_names, a_filter_keeps_the_caches_that_are_asked_for)
{
	static const struct {
		const char *argument;
		uint64_t allocations;
	} cases[] = {
		{ "dentry", 5 },
		{ "size-128", 30 },
		{ "nf_conncount_rb", 100 },
		{ "trace_event_file,dentry", 105 },
		{ "*", 135 },
		{ "kmalloc-192", 0 },
	};
	g_autoptr(Session) session = session_of("6.18");
	g_autoptr(CacheList) list = cache_hosts_list("6.18");

	feed_cache(session, "dentry", 2);
	feed_cache(session, "dentry(3:user.slice)", 3);
	feed_cache(session, "kmalloc-128", 10);
	feed_cache(session, NULL, 20);
	feed_cache(session, "trace_event_file", 100);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(CacheQuery) query = cache_query_new(cases[i].argument, NULL);

		cr_assert(cache_query_resolve(query, list, "", NULL));
		cr_expect_eq(kept(session, query), cases[i].allocations, "%s", cases[i].argument);
	}
}
