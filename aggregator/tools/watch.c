/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slabstack --watch: a reading of slab caches and memory each minute, for weeks. What changed goes
 * into a bounded file (record/history_file.c), figures that nothing reclaims into the table of
 * growth (rates/growth.c), and what that finds to watch_alarm.c. A problem of the file is one line,
 * and the watch goes on.
 */
#include "config.h"

#include "tools/watch.h"

#include "base/clock.h"
#include "collect/facts/memory_facts.h"
#include "collect/tasks/cgroup_paths.h"
#include "names/host_state.h"
#include "names/slabinfo.h"
#include "record/batch_reader.h"
#include "record/batch_writer.h"
#include "record/format.h"
#include "record/history_file.h"
#include "record/run_text.h"
#include "report/slab_readings.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* 2,000 readings of a host with 300 caches take some MB. */
static const HistoryBound bound = { .readings_max = 2000, .bytes_max = 32 << 20 };

enum {
	FOLDER_MODE = 0700,
	CGROUPS_MAX_NS = 20 * NS_PER_MS, /* of a reading: 0.03 % of a CPU at one each minute */
};

/* Two tables of growth: of the last readings, and of every 30th, where slow leaks are found, of
   five hours with the default. */
enum { SCALES = 2 };

static const struct {
	guint every;     /* of the readings */
	double noises;   /* so much more than the noise is growth */
	double of_files; /* ... and than this part of the growth of reclaimable caches */
} scales[SCALES] = { { 1, 1, 0 }, { 30, 5, 1.0 / 16 } };

typedef struct {
	Growth *growth;
	double reclaimable[GROWTH_READINGS]; /* bytes of such caches, the newest last */
} Scale;

typedef struct {
	char *path;
	HistoryFile *file;
	Scale scales[SCALES];
	guint readings; /* so far */
	WatchAlarm *alarm;
	MemoryLayout layout;
	Reclaimable *reclaimable; /* NULL: not read yet */
	Slabinfo *known;          /* the caches when names were read, with their sheaves */
	bool has_new;             /* the last reading has others */
	char *boot;               /* NULL: unknown */
	bool is_failing;          /* the last reading was not written */
	sigset_t signals;
} Watch;

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t cpus(void)
{
	return (uint64_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
}

sigset_t watch_block_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signals;
}

bool watch_wait(double seconds, const sigset_t *signals)
{
	double end_s = (double)g_get_monotonic_time() / G_USEC_PER_SEC + seconds;
	double left_s = seconds;

	while (left_s > 0) {
		const struct timespec left = {
			.tv_sec = (time_t)left_s,
			.tv_nsec = (long)((left_s - (double)(time_t)left_s) * 1e9),
		};

		if (sigtimedwait(signals, NULL, &left) >= 0)
			return true;
		left_s = end_s - (double)g_get_monotonic_time() / G_USEC_PER_SEC;
	}
	return false;
}

/* The file. */

static void append_facts(GByteArray *out, const Options *options)
{
	struct utsname names = { 0 };
	const InfoField fields[] = {
		{ KMT_FIELD_RELEASE, 0, names.release },
		{ KMT_FIELD_VERSION, 0, names.version },
		{ KMT_FIELD_HOST, 0, names.nodename },
		{ KMT_FIELD_ARCH, 0, names.machine },
		{ KMT_FIELD_PAGE_BYTES, page_bytes(), NULL },
		{ KMT_FIELD_CPUS_ONLINE, cpus(), NULL },
		{ KMT_FIELD_PROGRAM, 0, PACKAGE_NAME " " PACKAGE_VERSION },
		{ KMT_FIELD_COMMAND_LINE, 0, options->live.request.labels.command_line },
		/* Whatever comes last, it is whole. */
		{ KMT_FIELD_COMPLETE, 1, NULL },
	};

	uname(&names);
	batch_write_info(out, fields, G_N_ELEMENTS(fields));
}

/* Returns the file's name: that of --record, else where systemd or the system keeps states. */
static char *path_of(const Options *options)
{
	const char *folder = g_getenv("STATE_DIRECTORY");

	if (options->live.request.record.path)
		return g_strdup(options->live.request.record.path);
	folder = folder && *folder ? folder : "/var/lib/slabstack";
	g_mkdir_with_parents(folder, FOLDER_MODE);
	return g_build_filename(folder, "watch.kmr", NULL);
}

/* A reading. */

static void compare_text(const Watch *watch, const RunText *texts, uint8_t kind, uint32_t reading,
			 HistoryLines *changes)
{
	const GString *text = run_text_of(texts, kind, reading);

	if (text)
		history_lines_compare(history_file_state(watch->file), kind,
				      (TextPart){ text->str, text->len }, changes);
}

static void compare_facts(const Watch *watch, HistoryLines *changes)
{
	g_autofree char *facts =
		g_strdup_printf(HISTORY_REALTIME " %" G_GUINT64_FORMAT "\n" HISTORY_BOOT " %s\n",
				clock_ns(CLOCK_REALTIME), watch->boot ? watch->boot : "");

	history_lines_compare(history_file_state(watch->file), KMT_BATCH_INFO,
			      (TextPart){ facts, strlen(facts) }, changes);
}

static void compare_slabs(const Watch *watch, const Slabinfo *slabs, HistoryLines *changes)
{
	g_autoptr(GString) text = g_string_new(NULL);

	slabinfo_append(text, slabs, page_bytes());
	history_lines_compare(history_file_state(watch->file), KMT_BATCH_SLABINFO,
			      (TextPart){ text->str, text->len }, changes);
}

/* Says once that the file has a problem, and once that it has none any more. */
static void note_file(Watch *watch, const GError *error)
{
	if (error && !watch->is_failing)
		watch_say(true, "%s; the watch goes on without its file until that works again",
			  error->message);
	else if (!error && watch->is_failing)
		watch_say(false, "%s is written again", watch->path);
	watch->is_failing = error;
}

static void save_reading(Watch *watch, const RunText *texts, const Slabinfo *slabs,
			 uint64_t time_ns)
{
	g_autoptr(HistoryLines) changes = history_lines_new();
	g_autoptr(GError) error = NULL;

	compare_facts(watch, changes);
	compare_text(watch, texts, KMT_BATCH_CACHE_NAMES, 0, changes);
	compare_text(watch, texts, KMT_BATCH_RECLAIMABLE, 0, changes);
	compare_text(watch, texts, KMT_BATCH_MEMORY, KMT_READING_END, changes);
	compare_text(watch, texts, KMT_BATCH_CGROUP_MEMORY, KMT_READING_END, changes);
	compare_slabs(watch, slabs, changes);
	history_file_add(watch->file, changes, time_ns, &error);
	note_file(watch, error);
}

/* Caches whose objects end with an inode, which the kernel shrinks, though they have no flag that
   says so. */
static bool ends_with_inode(const char *cache)
{
	static const char *const caches[] = { "iint_cache", "lsm_inode_cache",
					      "selinux_inode_security", NULL };

	return g_strv_contains(caches, cache);
}

/* How much a cache may grow in the readings that are compared: what CPUs hold ready, and what
   builds add to it for hours. kmalloc caches also have what belongs to files in memory, some
   objects a second. */
static double noise_of(const Watch *watch, const SlabinfoCache *cache)
{
	enum { BYTES = 64 << 10, BYTES_OF_A_CPU = 16 << 10, SLABS_OF_A_CPU = 4 };
	enum { OBJECTS_OF_FILES = 20000, BYTES_OF_FILES_MAX = 8 << 20 };
	const SlabinfoCache *known = slabinfo_find(watch->known, cache->name);
	double object_bytes = (double)cache->object_bytes;
	double of_files = MIN(OBJECTS_OF_FILES * object_bytes, BYTES_OF_FILES_MAX);
	double ready = (double)cache->objects_of_a_slab * SLABS_OF_A_CPU * (double)cpus() +
		       (double)(known ? known->sheaf_objects : 0);

	return MAX(MAX(of_files, ready * object_bytes), BYTES + BYTES_OF_A_CPU * (double)cpus());
}

/* Files in memory have objects in other caches, too: returns how much of the growth is theirs. */
static double noise_of_files(const Watch *watch, gsize index)
{
	const double *reclaimable = watch->scales[index].reclaimable;
	double grown = reclaimable[GROWTH_READINGS - 1] - reclaimable[0];

	return MAX(grown, 0) * scales[index].of_files;
}

static void set_caches(const Watch *watch, gsize index, const Slabinfo *slabs)
{
	double of_files = noise_of_files(watch, index);

	for (guint i = 0; i < slabinfo_count(slabs); i++) {
		const SlabinfoCache *cache = slabinfo_at(slabs, i);

		if (reclaimable_has(watch->reclaimable, cache->name) ||
		    ends_with_inode(cache->name))
			continue;
		growth_set(watch->scales[index].growth, cache->name,
			   (double)cache->objects_in_use * (double)cache->object_bytes,
			   MAX(noise_of(watch, cache) * scales[index].noises, of_files));
	}
}

/* Builds on two CPUs move it by up to 100 MB, some minutes in one direction. */
static void set_rest(const Watch *watch, gsize index, const HostState *state)
{
	enum { BYTES = 128 << 20, BYTES_OF_A_CPU = 8 << 20 };
	const SlabTable slabs = { .memory = { *state, *state, 0 }, .cpus = (unsigned)cpus() };
	double noise = BYTES + BYTES_OF_A_CPU * (double)cpus();
	g_autoptr(Table) table = balance_table_new(&slabs, TABLE_JSON);

	for (guint i = 0; i < table->rows->len; i++) {
		const BalanceRow *row = &g_array_index(table->rows, BalanceRow, i);

		if (g_str_equal(row->part, "in_no_counter"))
			growth_set(watch->scales[index].growth, WATCH_NO_COUNTER,
				   (double)row->bytes, noise * scales[index].noises);
	}
}

/* A BatchVisitor. */
static void take_text(const Batch *batch, void *user_data)
{
	run_text_read_batch(user_data, batch);
}

static RunText *texts_of(const GByteArray *batches)
{
	RunText *texts = run_text_new();
	g_autoptr(BatchReader) reader = batch_reader_new(take_text, texts);

	batch_reader_feed(reader, batches->data, batches->len);
	return texts;
}

/* Reads names and flags of the caches, too. */
static void learn_caches(Watch *watch, const RunText *texts, Slabinfo *slabs)
{
	reclaimable_free(watch->reclaimable);
	watch->reclaimable = reclaimable_new(run_text_of(texts, KMT_BATCH_RECLAIMABLE, 0));
	slabinfo_free(watch->known);
	watch->known = slabs;
}

/* Whether the last reading is one of that scale. */
static bool is_due(const Watch *watch, gsize index)
{
	return watch->readings % scales[index].every == 0;
}

static void find_growth(Watch *watch, const RunText *texts, const Slabinfo *slabs, double now_s)
{
	const HostState state =
		host_state_parse(run_text_of(texts, KMT_BATCH_MEMORY, KMT_READING_END));

	for (gsize i = 0; i < SCALES; i++) {
		Scale *scale = &watch->scales[i];

		if (!is_due(watch, i))
			continue;
		memmove(scale->reclaimable, scale->reclaimable + 1,
			sizeof(scale->reclaimable) - sizeof(*scale->reclaimable));
		scale->reclaimable[GROWTH_READINGS - 1] =
			(double)state.numbers[HOST_SLAB_RECLAIMABLE];
		growth_begin(scale->growth, now_s);
		set_caches(watch, i, slabs);
		set_rest(watch, i, &state);
		growth_end(scale->growth);
	}
}

/* Returns whether the watch goes on. */
static bool tell_growth(const Watch *watch, double now_s)
{
	for (gsize i = 0; i < SCALES; i++) {
		g_autoptr(GArray) found = NULL;

		if (!is_due(watch, i))
			continue;
		found = growth_found(watch->scales[i].growth);
		if (!watch_alarm_tell(watch->alarm, found, now_s))
			return false;
	}
	return true;
}

/* Returns whether names and flags of caches have to be read: a cache is new. */
static bool are_known(const Watch *watch, const Slabinfo *slabs)
{
	for (guint i = 0; i < slabinfo_count(slabs); i++)
		if (!slabinfo_find(watch->known, slabinfo_at(slabs, i)->name))
			return false;
	return true;
}

static void read_once(Watch *watch, bool with_names, double now_s)
{
	const uint32_t reading = with_names ? KMT_READING_START : KMT_READING_END;
	g_autoptr(GByteArray) facts = g_byte_array_new();
	g_autoptr(RunText) texts = NULL;
	Slabinfo *slabs;

	if (with_names)
		slab_facts_append_reclaimable(facts, "");
	memory_facts_append_balance(facts, "", KMT_READING_END, &watch->layout);
	slab_facts_append(facts, "", reading);
	cgroup_memory_append_reading(facts, "", KMT_READING_END, CGROUPS_MAX_NS);
	texts = texts_of(facts);
	slabs = slabinfo_new(run_text_of(texts, KMT_BATCH_SLABINFO, reading), page_bytes());
	save_reading(watch, texts, slabs, clock_monotonic_ns());
	if (with_names)
		learn_caches(watch, texts, slabs);
	find_growth(watch, texts, slabs, now_s);
	watch->has_new = !are_known(watch, slabs);
	if (!with_names)
		slabinfo_free(slabs);
}

/* The loop. */

static void watch_clear(Watch *watch)
{
	history_file_free(watch->file);
	for (gsize i = 0; i < SCALES; i++)
		growth_free(watch->scales[i].growth);
	watch_alarm_free(watch->alarm);
	reclaimable_free(watch->reclaimable);
	slabinfo_free(watch->known);
	g_free(watch->path);
	g_free(watch->boot);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Watch, watch_clear)

static double now_seconds(void)
{
	return (double)clock_monotonic_ns() / NS_PER_SECOND;
}

/* Readings are taken at whole intervals after the first one: a recording that takes long moves
   none. */
static void run_loop(Watch *watch, double interval_s, double duration_s)
{
	double start_s = now_seconds(), next_s = start_s, end_s = start_s + duration_s;
	bool with_names = true;

	for (;;) {
		double now_s = now_seconds();

		read_once(watch, with_names, now_s);
		with_names = watch->has_new;
		if (!tell_growth(watch, now_s))
			return;
		watch->readings++;
		now_s = now_seconds();
		while (next_s <= now_s)
			next_s += interval_s;
		if (duration_s > 0 && next_s > end_s)
			return;
		if (watch_wait(next_s - now_s, &watch->signals))
			return;
	}
}

static char *boot_id(void)
{
	char *text = NULL;

	if (g_file_get_contents("/proc/sys/kernel/random/boot_id", &text, NULL, NULL))
		g_strstrip(text);
	return text;
}

bool watch_run(const Options *options, GError **error)
{
	g_autoptr(GByteArray) facts = g_byte_array_new();
	g_auto(Watch) watch = { .path = path_of(options),
				.boot = boot_id(),
				.layout = memory_layout_read("") };

	append_facts(facts, options);
	watch.file = history_file_open(watch.path, bound, facts, error);
	if (!watch.file)
		return false;
	watch.signals = watch_block_signals();
	for (gsize i = 0; i < SCALES; i++)
		watch.scales[i].growth = growth_new();
	watch.alarm = watch_alarm_new(watch.path, &watch.signals);
	if (!options->output.quiet)
		watch_say(
			false,
			"reads all slab caches and memory each %g s into %s, which has %u readings",
			options->watch_s, watch.path, history_file_readings(watch.file));
	run_loop(&watch, options->watch_s, options->live.request.bounds.duration_seconds);
	return true;
}
