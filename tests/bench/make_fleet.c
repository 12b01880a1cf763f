/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes recordings of simulated hosts into a folder: several kernel releases, services and
   containers, and a leak on some hosts. The same seed gives the same files. See --help. */
#include "record/format.h"
#include "record/batch_writer.h"
#include "record/event_writer.h"
#include "record/recording.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

enum {
	CPUS = 2,
	FUNCTION_BYTES = 0x400,
	FRAMES_MAX = 16,
	EVENTS_MAX = 24, /* of a row */
	LEAK_EVERY = 25, /* one host of so many has a leak ... */
	LEAK_HOST = 7,   /* ... the first is this one */
	LEAK_EVENTS = 200,
	LOSS_EVERY = 100, /* one host of so many lost events */
	LOSS_HOST = 42,
	LOST_EVENTS = 3,
	KEPT_EVERY = 50, /* with --held: one allocation of so many is not freed */
};
#define NS_PER_S 1000000000ULL
#define START_NS (100 * NS_PER_S)
#define RUN_NS (10 * NS_PER_S)
#define REALTIME_NS (1763700000 * NS_PER_S)
#define DAY_NS (86400 * NS_PER_S)
#define KERNEL_TEXT 0xffffffff81000000ULL
#define OBJECTS 0xffff888100000000ULL

static const struct {
	const char *name;
	unsigned stride; /* orders the functions in memory; no multiple divides FUNCTIONS_PRIME */
	bool noprof;     /* its allocators have this suffix: from 6.10 */
} releases[] = {
	{ "5.10.0-32-amd64", 1, false },
	{ "6.1.0-28-amd64", 5, false },
	{ "6.12.6-cloud-amd64", 11, true },
	{ "6.17.8-200.fc42.x86_64", 23, true },
};

/* What allocates: functions from the allocator on, ended by NULL. */
static const struct {
	const char *cache;
	uint16_t bytes_requested;
	uint16_t bytes_allocated;
	const char *functions[4];
} leaves[] = {
	{ "filp", 232, 256, { "kmem_cache_alloc", "alloc_empty_file", "path_openat" } },
	{ "dentry", 192, 192, { "kmem_cache_alloc_lru", "__d_alloc", "d_alloc_parallel" } },
	{ "names_cache", 4096, 4096, { "kmem_cache_alloc", "getname_flags" } },
	{ "inode_cache", 600, 608, { "kmem_cache_alloc_lru", "alloc_inode", "new_inode" } },
	{ "ext4_inode_cache", 1096, 1096, { "kmem_cache_alloc_lru", "ext4_alloc_inode" } },
	{ "proc_inode_cache", 664, 680, { "kmem_cache_alloc_lru", "proc_alloc_inode" } },
	{ "skbuff_head_cache", 232, 256, { "kmem_cache_alloc_node", "__alloc_skb" } },
	{ "skbuff_fclone_cache", 448, 512, { "kmem_cache_alloc_node", "tcp_stream_alloc_skb" } },
	{ "kmalloc-1k", 640, 1024, { "__kmalloc_node_track_caller", "__alloc_skb" } },
	{ "kmalloc-2k", 1700, 2048, { "__kmalloc_node_track_caller", "pskb_expand_head" } },
	{ "kmalloc-64", 48, 64, { "__kmalloc", "load_elf_phdrs", "load_elf_binary" } },
	{ "kmalloc-512", 392, 512, { "__kmalloc", "alloc_pipe_info", "create_pipe_files" } },
	{ "kmalloc-cg-192", 160, 192, { "__kmalloc", "bpf_map_kmalloc_node" } },
	{ "kmalloc-32", 24, 32, { "__kmalloc", "security_inode_alloc" } },
	{ "kmalloc-8", 8, 8, { "__kmalloc", "kstrdup", "kernfs_new_node" } },
	{ "kmalloc-4k", 4096, 4096, { "__kmalloc", "seq_read_iter" } },
	{ "vm_area_struct", 184, 192, { "kmem_cache_alloc", "vm_area_alloc", "mmap_region" } },
	{ "anon_vma", 104, 104, { "kmem_cache_alloc", "__anon_vma_prepare" } },
	{ "maple_node", 256, 256, { "kmem_cache_alloc", "mas_alloc_nodes" } },
	{ "task_struct", 9600, 9728, { "kmem_cache_alloc_node", "copy_process" } },
	{ "signal_cache", 1152, 1152, { "kmem_cache_alloc", "copy_process" } },
	{ "bio-256", 224, 256, { "kmem_cache_alloc", "mempool_alloc", "bio_alloc_bioset" } },
	{ "jbd2_journal_head", 120, 120, { "kmem_cache_alloc", "jbd2_journal_add_journal_head" } },
	{ "radix_tree_node", 576, 576, { "kmem_cache_alloc_lru", "xas_alloc" } },
};

/* Who called that: functions up to the system call, ended by NULL. */
static const char *const ways[][6] = {
	{ "do_filp_open", "do_sys_openat2", "__x64_sys_openat", "do_syscall_64" },
	{ "vfs_statx", "__do_sys_newfstatat", "do_syscall_64" },
	{ "tcp_sendmsg_locked", "tcp_sendmsg", "sock_sendmsg", "__sys_sendto", "do_syscall_64" },
	{ "unix_stream_sendmsg", "____sys_sendmsg", "__sys_sendmsg", "do_syscall_64" },
	{ "bprm_execve", "do_execveat_common", "__x64_sys_execve", "do_syscall_64" },
	{ "kernel_clone", "__do_sys_clone", "do_syscall_64" },
	{ "vfs_read", "ksys_read", "do_syscall_64" },
	{ "vfs_write", "ksys_write", "do_syscall_64" },
	{ "handle_mm_fault", "do_user_addr_fault", "exc_page_fault", "asm_exc_page_fault" },
	{ "io_submit_sqes", "__do_sys_io_uring_enter", "do_syscall_64" },
};

/* cgroup: "%s" becomes a container's id, which is another on each host. */
static const struct {
	const char *name;
	const char *cgroup;
} processes[] = {
	{ "systemd", "/init.scope" },
	{ "sshd", "/system.slice/ssh.service" },
	{ "systemd-journal", "/system.slice/systemd-journald.service" },
	{ "node_exporter", "/system.slice/prometheus-node-exporter.service" },
	{ "kubelet", "/system.slice/kubelet.service" },
	{ "containerd", "/system.slice/containerd.service" },
	{ "nginx", "/kubepods.slice/kubepods-pod1.slice/cri-containerd-%s.scope" },
	{ "postgres", "/kubepods.slice/kubepods-pod2.slice/cri-containerd-%s.scope" },
	{ "redis-server", "/kubepods.slice/kubepods-pod3.slice/cri-containerd-%s.scope" },
	{ "java", "/kubepods.slice/kubepods-pod4.slice/cri-containerd-%s.scope" },
	{ "python3", "/system.slice/docker-%s.scope" },
	{ "bash", "/user.slice/user-1000.slice/session-1.scope" },
};

enum {
	LEAVES = G_N_ELEMENTS(leaves),
	WAYS = G_N_ELEMENTS(ways),
	PROCESSES = G_N_ELEMENTS(processes),
	ROWS_MAX = LEAVES * WAYS * PROCESSES,
	ROW_STRIDE = 1009, /* a prime that is no part of ROWS_MAX: visits each row once */
	FUNCTIONS_PRIME = 127,
};

typedef struct {
	gint hosts;
	gint runs;
	gint rows;
	gint64 seed;
	gboolean held;
} Options;

/* A run of a host. */
typedef struct {
	const Options *options;
	const GPtrArray *functions; /* (element-type utf8) */
	guint number;               /* of the host */
	guint run;
	guint release;
	uint64_t text_start; /* differs with each boot */
	uint64_t random;
	uint64_t now_ns;
	uint64_t objects; /* so far */
	EventWriter *writer;
	EventCpu cpus[CPUS];
	Recording *recording;
} Host;

static uint64_t next_random(Host *host)
{
	host->random ^= host->random << 13;
	host->random ^= host->random >> 7;
	host->random ^= host->random << 17;
	return host->random;
}

static void add_function(GPtrArray *functions, const char *name)
{
	if (name && !g_ptr_array_find_with_equal_func(functions, name, g_str_equal, NULL))
		g_ptr_array_add(functions, (gpointer)name);
}

static GPtrArray *functions_new(void)
{
	GPtrArray *functions = g_ptr_array_new();

	for (guint i = 0; i < LEAVES; i++)
		for (guint j = 0; j < G_N_ELEMENTS(leaves[i].functions); j++)
			add_function(functions, leaves[i].functions[j]);
	for (guint i = 0; i < WAYS; i++)
		for (guint j = 0; j < G_N_ELEMENTS(ways[i]); j++)
			add_function(functions, ways[i][j]);
	g_assert(functions->len < FUNCTIONS_PRIME);
	return functions;
}

static uint64_t function_start(const Host *host, guint function)
{
	guint place = 1 + function * releases[host->release].stride % FUNCTIONS_PRIME;

	return host->text_start + (uint64_t)place * FUNCTION_BYTES;
}

/* Returns a return address in a function: each build has another one. */
static uint64_t address_in(const Host *host, const char *name)
{
	guint function = 0;

	while (!g_str_equal(host->functions->pdata[function], name))
		function++;
	return function_start(host, function) + 0x40 + function % 16 * 16 + host->release * 5;
}

/* A BatchVisitor's opposite: records the batches of a stream. */
static void record_bytes(const void *bytes, size_t length, void *user_data)
{
	const Host *host = user_data;
	g_autoptr(BatchReader) reader = batch_reader_new(recording_add_batch, host->recording);

	batch_reader_feed(reader, bytes, length);
	batch_reader_finish(reader);
}

static void record_text(Host *host, uint8_t kind, const GString *text)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	batch_write_text(bytes, kind, 0, text->str, text->len);
	record_bytes(bytes->data, bytes->len, host);
}

static void record_fields(Host *host, const InfoField *fields, size_t count)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	batch_write_info(bytes, fields, count);
	record_bytes(bytes->data, bytes->len, host);
}

static void record_host(Host *host)
{
	static const char *const roles[] = { "web", "db", "cache", "batch" };
	g_autofree char *name = g_strdup_printf("%s-%04u", roles[host->number % 4], host->number);
	g_autofree char *boot_id = g_strdup_printf("%08x-0000-4000-8000-%012" G_GINT64_MODIFIER "x",
						   host->number * 2654435761U, host->options->seed);
	const InfoField fields[] = {
		{ KMT_FIELD_MONOTONIC_NS, START_NS, NULL },
		{ KMT_FIELD_REALTIME_NS, REALTIME_NS + host->number * NS_PER_S, NULL },
		{ KMT_FIELD_RELEASE, 0, releases[host->release].name },
		{ KMT_FIELD_HOST, 0, name },
		{ KMT_FIELD_BOOT_ID, 0, boot_id },
		{ KMT_FIELD_ARCH, 0, "x86_64" },
		{ KMT_FIELD_PAGE_BYTES, 4096, NULL },
		{ KMT_FIELD_CPUS_ONLINE, CPUS, NULL },
		{ KMT_FIELD_TEXT_START, host->text_start, NULL },
		{ KMT_FIELD_TEXT_END, host->text_start + (FUNCTIONS_PRIME + 1) * FUNCTION_BYTES,
		  NULL },
		{ KMT_FIELD_STACK_DEPTH, 64, NULL },
		{ KMT_FIELD_COLLECTOR, 0, "simulation" },
		{ KMT_FIELD_EVENTS, 0,
		  host->options->held ? "kmalloc,cache,free" : "kmalloc,cache" },
		{ KMT_FIELD_SCOPE, 0, "host" },
		{ KMT_FIELD_HELD, host->options->held, NULL },
		{ KMT_FIELD_RUN_START_NS, START_NS + host->run * DAY_NS, NULL },
	};

	record_fields(host, fields, G_N_ELEMENTS(fields));
}

static bool is_allocator(const char *name)
{
	return g_str_has_prefix(name, "kmem_cache_alloc") || g_str_has_prefix(name, "__kmalloc");
}

static void record_symbols(Host *host)
{
	g_autoptr(GString) text = g_string_new(NULL);
	uint64_t end = host->text_start + (FUNCTIONS_PRIME + 1) * FUNCTION_BYTES;

	g_string_append_printf(text, "%" G_GINT64_MODIFIER "x T _stext\n", host->text_start);
	for (guint i = 0; i < host->functions->len; i++) {
		const char *name = host->functions->pdata[i];
		bool noprof = releases[host->release].noprof && is_allocator(name);

		g_string_append_printf(text, "%" G_GINT64_MODIFIER "x T %s%s\n",
				       function_start(host, i), name, noprof ? "_noprof" : "");
	}
	g_string_append_printf(text, "%" G_GINT64_MODIFIER "x T _etext\n", end);
	record_text(host, KMT_BATCH_SYMBOLS, text);
	g_string_truncate(text, 0);
	record_text(host, KMT_BATCH_MODULES, text);
}

static void record_cgroups(Host *host)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < PROCESSES; i++) {
		g_auto(GStrv) parts = g_strsplit(processes[i].cgroup, "%s", 2);

		g_string_append_printf(text, "%u %s", 100 + i, parts[0]);
		if (parts[1])
			g_string_append_printf(text, "%08x%056x%s", host->number * 2246822519U, i,
					       parts[1]);
		g_string_append_c(text, '\n');
	}
	record_text(host, KMT_BATCH_CGROUPS, text);
}

static uint32_t frames_of(const Host *host, guint leaf, guint way, uint64_t frames[FRAMES_MAX])
{
	uint32_t depth = 0;

	for (guint i = 0; i < G_N_ELEMENTS(leaves[leaf].functions); i++)
		if (leaves[leaf].functions[i])
			frames[depth++] = address_in(host, leaves[leaf].functions[i]);
	for (guint i = 0; i < G_N_ELEMENTS(ways[way]); i++)
		if (ways[way][i])
			frames[depth++] = address_in(host, ways[way][i]);
	return depth;
}

static EventTask task_of(const char *name, guint process)
{
	EventTask task = { .tgid = 1000 + process * 10, .cgroup_id = 100 + process };

	task.tid = task.tgid;
	task.start_time_ns = (1 + process) * NS_PER_S;
	g_strlcpy(task.comm, name, sizeof(task.comm));
	memcpy(task.leader, task.comm, sizeof(task.leader));
	return task;
}

static EventCache cache_of(guint leaf)
{
	EventCache cache = {
		.object_bytes = leaves[leaf].bytes_allocated,
		.slot_bytes = leaves[leaf].bytes_allocated,
		.name_bytes = (uint16_t)strlen(leaves[leaf].cache),
	};

	memcpy(cache.name, leaves[leaf].cache, cache.name_bytes);
	return cache;
}

/* A row of a table with all keys. */
typedef struct {
	EventTask task;
	EventCache cache;
	EventFacts facts;
	uint64_t frames[FRAMES_MAX];
	uint32_t depth;
} Row;

static void row_init(Row *row, const Host *host, guint leaf, guint way, guint process)
{
	*row = (Row){ .task = task_of(processes[process].name, process), .cache = cache_of(leaf) };
	row->depth = frames_of(host, leaf, way, row->frames);
	row->facts = (EventFacts){
		.call_site = row->frames[1],
		.bytes_requested = leaves[leaf].bytes_requested,
		.bytes_allocated = leaves[leaf].bytes_allocated,
		.node = -1,
		.source = g_str_has_prefix(leaves[leaf].cache, "kmalloc") ? KMT_SOURCE_KMALLOC
									  : KMT_SOURCE_CACHE,
	};
}

/* Adds an allocation, and its free unless it is kept. */
static void add_object(Host *host, Row *row, bool kept)
{
	EventFacts freed = row->facts;

	host->now_ns += 500 + next_random(host) % 1000;
	row->facts.cache = &row->cache;
	row->facts.pointer = freed.pointer = OBJECTS + host->objects++ * 64;
	event_writer_add(host->writer, host->now_ns, &row->task, &row->facts, 1, row->frames,
			 row->depth, false);
	if (!host->options->held || kept)
		return;
	freed.free = true;
	freed.cache = NULL;
	freed.kind = freed.source == KMT_SOURCE_CACHE ? KMT_KIND_CACHE : KMT_KIND_KFREE;
	freed.bytes_requested = freed.bytes_allocated = 0;
	event_writer_add(host->writer, host->now_ns + 200, &row->task, &freed, 1, &row->frames[2],
			 1, false);
}

static void add_rows(Host *host)
{
	uint64_t first = next_random(host);

	for (guint i = 0; i < (guint)host->options->rows; i++) {
		guint at = (guint)((first + (uint64_t)i * ROW_STRIDE) % ROWS_MAX);
		uint64_t draw = next_random(host) % EVENTS_MAX;
		uint64_t events = 1 + draw * draw * draw / (EVENTS_MAX * EVENTS_MAX);
		Row row;

		row_init(&row, host, at % LEAVES, at / LEAVES % WAYS, at / LEAVES / WAYS);
		for (uint64_t event = 0; event < events; event++)
			add_object(host, &row, host->objects % KEPT_EVERY == 0);
	}
}

/* A leak: each run of the host has more of it. */
static void add_leak(Host *host)
{
	Row row;

	if (host->number % LEAK_EVERY != LEAK_HOST)
		return;
	row_init(&row, host, 0, 0, PROCESSES - 2);
	for (guint i = 0; i < (host->run + 1) * LEAK_EVENTS; i++)
		add_object(host, &row, true);
}

static void close_cpu(Host *host, guint cpu, uint64_t until_ns)
{
	event_writer_open(host->writer, &host->cpus[cpu]);
	event_writer_beat(host->writer, until_ns);
	event_writer_close(host->writer);
}

static void record_events(Host *host)
{
	uint64_t start_ns = START_NS + host->run * DAY_NS;

	host->writer = event_writer_new(record_bytes, host);
	for (guint cpu = 0; cpu < CPUS; cpu++)
		host->cpus[cpu] = (EventCpu){ .cpu = cpu, .sampling_period = 1 };
	host->now_ns = start_ns;
	event_writer_open(host->writer, &host->cpus[0]);
	add_rows(host);
	add_leak(host);
	event_writer_close(host->writer);
	if (host->number % LOSS_EVERY == LOSS_HOST)
		host->cpus[0].events_lost = LOST_EVENTS;
	for (guint cpu = 0; cpu < CPUS; cpu++)
		close_cpu(host, cpu, start_ns + RUN_NS);
	event_writer_free(host->writer);
}

static void record_end(Host *host)
{
	const InfoField fields[] = {
		{ KMT_FIELD_RUN_END_NS, START_NS + host->run * DAY_NS + RUN_NS, NULL },
		{ KMT_FIELD_COMPLETE, 1, NULL },
	};

	record_cgroups(host);
	record_fields(host, fields, G_N_ELEMENTS(fields));
}

static void host_init(Host *host, const Options *options, const GPtrArray *functions, guint number,
		      guint run)
{
	*host = (Host){ .options = options, .functions = functions, .number = number, .run = run };
	host->release = number / 4 % G_N_ELEMENTS(releases);
	host->text_start = KERNEL_TEXT + (uint64_t)(number * 7919 % 256) * 0x200000;
	host->random = ((uint64_t)options->seed << 32 ^ number * 1000003ULL ^ run * 131ULL) |
		       0x9e3779b97f4a7c15ULL;
	for (guint i = 0; i < 16; i++)
		next_random(host);
}

static bool record_run(Host *host, const char *folder, GError **error)
{
	g_autofree char *path =
		g_strdup_printf("%s/host%04u-%u.kmr", folder, host->number, host->run);
	bool closed;

	host->recording = recording_create(path, G_MAXINT64, error);
	if (!host->recording)
		return false;
	record_host(host);
	record_symbols(host);
	record_events(host);
	record_end(host);
	closed = recording_close(host->recording, error);
	recording_free(host->recording);
	return closed;
}

static bool parse_options(Options *options, int *argc, char ***argv, GError **error)
{
	GOptionEntry entries[] = {
		{ "hosts", 0, 0, G_OPTION_ARG_INT, &options->hosts, "hosts", "N" },
		{ "runs", 0, 0, G_OPTION_ARG_INT, &options->runs,
		  "recordings of each host, a day apart", "N" },
		{ "rows", 0, 0, G_OPTION_ARG_INT, &options->rows,
		  "distinct stacks of processes in each recording", "N" },
		{ "seed", 0, 0, G_OPTION_ARG_INT64, &options->seed, "of the random numbers", "N" },
		{ "held", 0, 0, G_OPTION_ARG_NONE, &options->held, "record frees, too", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	g_autoptr(GOptionContext) context = g_option_context_new("FOLDER");

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, argc, argv, error))
		return false;
	if (*argc == 2 && options->hosts > 0 && options->runs > 0 && options->rows > 0 &&
	    options->rows <= ROWS_MAX)
		return true;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "one FOLDER, and at most %d rows", ROWS_MAX);
	return false;
}

int main(int argc, char **argv)
{
	Options options = { .hosts = 1000, .runs = 1, .rows = 1100, .seed = 1 };
	g_autoptr(GPtrArray) functions = functions_new();
	g_autoptr(GError) error = NULL;
	bool made = parse_options(&options, &argc, &argv, &error);

	if (made)
		g_mkdir_with_parents(argv[1], 0755);
	for (guint i = 0; made && i < (guint)(options.hosts * options.runs); i++) {
		Host host;

		host_init(&host, &options, functions, i / (guint)options.runs,
			  i % (guint)options.runs);
		made = record_run(&host, argv[1], &error);
	}
	if (!made)
		fprintf(stderr, "make_fleet: %s\n", error->message);
	return made ? 0 : 2;
}
