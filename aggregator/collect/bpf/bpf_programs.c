/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads the object that was compiled from kmt.bpf.c with libbpf, sets its constants, sizes its maps
 * and maps them, attaches the programs that a run needs, and counts what they missed. bpf_run.c
 * owns the BpfPrograms, bpf_read.c reads the rings.
 */
#include "collect/bpf/bpf_programs.h"

#include "collect/bpf/bpf_object.h"
#include "collect/facts/host_facts.h"
#include "record/probe_kinds.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <gio/gio.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Always needed; needed if not all tasks are counted; of walks by rules: attached to measure where
   they start, or called. */
enum { OF_ALL, OF_SCOPE, OF_MEASURE, OF_CALLS };

/* The programs, and what they are for. */
static const struct {
	const char *name;
	unsigned events; /* bits of ProbeKindBit; 0: of all */
	int of;
} programs_table[] = {
	{ "kmt_kmalloc", PROBE_KMALLOC, OF_ALL },
	{ "kmt_cache_alloc", PROBE_CACHE, OF_ALL },
	{ "kmt_rename", 0, OF_ALL },
	{ "kmt_attach", 0, OF_ALL },
	{ "kmt_fork", 0, OF_SCOPE },
	{ "kmt_measure_kmalloc", 0, OF_MEASURE },
	{ "kmt_measure_cache_alloc", 0, OF_MEASURE },
	{ "kmt_read", 0, OF_CALLS },
};

/* Memory of a map, mapped. */
typedef struct {
	uint8_t *memory; /* NULL: not mapped */
	size_t bytes;
	size_t stride; /* of its entries */
} MapMemory;

struct BpfPrograms {
	struct bpf_object *object;
	struct bpf_link *links[G_N_ELEMENTS(programs_table)];
	MapMemory states, rings, nested_rings, scope, walk;
	struct kmt_bpf_config config;
};

static bool is_verbose;

/* Where the kernel has things. */

/* Returns the offset of a per-CPU variable in its section; negative: there is none. */
static int64_t percpu_offset(const struct btf *btf, const char *name)
{
	int32_t section = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	int32_t variable = btf__find_by_name_kind(btf, name, BTF_KIND_VAR);
	const struct btf_type *type = section < 0 ? NULL : btf__type_by_id(btf, (uint32_t)section);
	const struct btf_var_secinfo *info = type ? btf_var_secinfos(type) : NULL;

	for (unsigned i = 0; type && variable > 0 && i < btf_vlen(type); i++)
		if (info[i].type == (uint32_t)variable)
			return info[i].offset;
	return -1;
}

/* Whether the kernel has ORC tables of a known form: since 6.4 entries have "signal"; and the cast
   by which programs read a word without a call. */
static bool can_walk(const struct btf *btf)
{
	int32_t entry = btf__find_by_name_kind(btf, "orc_entry", BTF_KIND_STRUCT);
	const struct btf_type *type = entry < 0 ? NULL : btf__type_by_id(btf, (uint32_t)entry);
	const struct btf_member *members = type ? btf_members(type) : NULL;

	if (btf__find_by_name_kind(btf, "bpf_rdonly_cast", BTF_KIND_FUNC) < 0)
		return false;
	for (unsigned i = 0; type && i < btf_vlen(type); i++)
		if (!g_strcmp0(btf__name_by_offset(btf, members[i].name_off), "signal"))
			return true;
	return false;
}

/* Completes the constants. Returns false if the kernel's types do not have what is needed. */
static bool find_places(struct kmt_bpf_config *config)
{
	struct btf *btf = btf_file_parse("/sys/kernel/btf/vmlinux");
	int64_t run_queue = btf ? percpu_offset(btf, "runqueues") : -1;
	int64_t count = btf ? percpu_offset(btf, "pcpu_hot") : -1;

	if (btf && count < 0)
		count = percpu_offset(btf, "__preempt_count");
	config->preempt_distance = count - run_queue;
	config->finds_caches =
		btf && btf__find_by_name_kind(btf, "bpf_get_kmem_cache", BTF_KIND_FUNC) > 0;
	config->has_rules &= btf && can_walk(btf);
	btf__free(btf);
	return count >= 0 && run_queue >= 0;
}

/* What libbpf and the verifier say is for who looks for a reason. */
static int print_if_asked(enum libbpf_print_level level, const char *format, va_list arguments)
{
	if (!is_verbose || level == LIBBPF_DEBUG)
		return 0;
	return vfprintf(stderr, format, arguments);
}

static bool is_wanted(unsigned i, const struct kmt_bpf_config *config, unsigned events)
{
	switch (programs_table[i].of) {
	case OF_ALL:
		return !programs_table[i].events || programs_table[i].events & events;
	case OF_SCOPE:
		return config->pids;
	default:
		return config->has_rules;
	}
}

static struct bpf_program *program_at(const BpfPrograms *programs, unsigned i)
{
	return bpf_object__find_program_by_name(programs->object, programs_table[i].name);
}

static struct bpf_map *map_of(const BpfPrograms *programs, const char *name)
{
	return bpf_object__find_map_by_name(programs->object, name);
}

static bool set_size(struct bpf_map *map, uint32_t value_bytes, uint32_t entries)
{
	return !bpf_map__set_value_size(map, value_bytes) &&
	       !bpf_map__set_max_entries(map, entries);
}

/* Sets constants and sizes, which depend on the host and the run. */
static bool prepare(BpfPrograms *programs, const BpfPlan *plan)
{
	const struct kmt_bpf_config *config = &programs->config;

	for (unsigned i = 0; i < G_N_ELEMENTS(programs_table); i++)
		if (bpf_program__set_autoload(program_at(programs, i),
					      is_wanted(i, config, plan->events)))
			return false;
	return !bpf_map__set_initial_value(map_of(programs, ".rodata"), config, sizeof(*config)) &&
	       set_size(map_of(programs, "kmt_states"), sizeof(struct kmt_bpf_state),
			2 * config->cpu_numbers) &&
	       set_size(map_of(programs, "kmt_rings"),
			(uint32_t)config->ring_bytes + KMT_BPF_RECORD_MAX, config->cpu_numbers) &&
	       set_size(map_of(programs, "kmt_nested_rings"),
			KMT_BPF_NESTED_RING_BYTES + KMT_BPF_RECORD_MAX, config->cpu_numbers) &&
	       set_size(map_of(programs, "kmt_scope"), MAX(config->pids, 8), 1);
}

static bool map_memory(const BpfPrograms *programs, const char *name, MapMemory *memory)
{
	const struct bpf_map *map = map_of(programs, name);
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *mapped;

	memory->stride = (bpf_map__value_size(map) + 7U) & ~(size_t)7;
	memory->bytes = memory->stride * bpf_map__max_entries(map);
	memory->bytes = (memory->bytes + page_bytes - 1) & ~(page_bytes - 1);
	mapped = mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	memory->memory = mapped == MAP_FAILED ? NULL : mapped;
	return memory->memory;
}

static void unmap(MapMemory *memory)
{
	if (memory->memory)
		munmap(memory->memory, memory->bytes);
	memory->memory = NULL;
}

static bool map_all(BpfPrograms *programs)
{
	return map_memory(programs, "kmt_states", &programs->states) &&
	       map_memory(programs, "kmt_rings", &programs->rings) &&
	       map_memory(programs, "kmt_nested_rings", &programs->nested_rings) &&
	       map_memory(programs, "kmt_scope", &programs->scope) &&
	       map_memory(programs, "kmt_walk", &programs->walk);
}

static bool fail(const char *what, GError **error)
{
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
		    "%s the BPF programs failed (%s): -v shows why; use --collector=perf", what,
		    g_strerror(errno));
	return false;
}

static void close_object(BpfPrograms *programs)
{
	unmap(&programs->states);
	unmap(&programs->rings);
	unmap(&programs->nested_rings);
	unmap(&programs->scope);
	unmap(&programs->walk);
	bpf_object__close(programs->object);
	programs->object = NULL;
}

static bool load(BpfPrograms *programs, const BpfPlan *plan)
{
	struct bpf_object_open_opts options = { .sz = sizeof(options), .object_name = "kmt" };

	programs->object = bpf_object__open_mem(kmt_bpf_object, kmt_bpf_object_bytes, &options);
	return programs->object && prepare(programs, plan) && !bpf_object__load(programs->object) &&
	       map_all(programs);
}

/* Some kernel may refuse the walks alone. */
static bool load_without_rules(BpfPrograms *programs, const BpfPlan *plan)
{
	if (!programs->config.has_rules)
		return false;
	close_object(programs);
	programs->config.has_rules = false;
	return load(programs, plan);
}

BpfPrograms *bpf_programs_load(const BpfPlan *plan, GError **error)
{
	g_autoptr(BpfPrograms) programs = g_new0(BpfPrograms, 1);

	programs->config = plan->config;
	if (!find_places(&programs->config)) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
				    "the kernel's types do not show where it counts interrupts: "
				    "use --collector=perf");
		return NULL;
	}
	is_verbose = plan->verbose;
	libbpf_set_print(print_if_asked);
	if (!load(programs, plan) && !load_without_rules(programs, plan)) {
		fail("loading", error);
		return NULL;
	}
	return g_steal_pointer(&programs);
}

void bpf_programs_free(BpfPrograms *programs)
{
	if (!programs)
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(programs->links); i++)
		bpf_link__destroy(programs->links[i]);
	close_object(programs);
	g_free(programs);
}

static bool attach(BpfPrograms *programs, unsigned i)
{
	struct bpf_program *program = program_at(programs, i);

	if (!bpf_program__autoload(program))
		return true;
	programs->links[i] = bpf_program__attach(program);
	return programs->links[i];
}

bool bpf_programs_attach(BpfPrograms *programs, GError **error)
{
	/* Those of tasks first. */
	for (unsigned i = G_N_ELEMENTS(programs->links); i-- > 0;)
		if (programs_table[i].of <= OF_SCOPE && !attach(programs, i))
			return fail("attaching", error);
	return true;
}

static void detach_links(BpfPrograms *programs)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(programs->links); i++) {
		bpf_link__destroy(programs->links[i]);
		programs->links[i] = NULL;
	}
}

void bpf_programs_detach(BpfPrograms *programs)
{
	enum { SETTLED_US = 20000 };

	detach_links(programs);
	/* Programs run in RCU's read sections, and this waits for those. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		g_usleep(SETTLED_US);
}

uint64_t bpf_programs_missed(const BpfPrograms *programs)
{
	uint64_t missed = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(programs_table); i++) {
		struct bpf_program *program = program_at(programs, i);
		struct bpf_prog_info info = { 0 };
		uint32_t bytes = sizeof(info);

		if (programs_table[i].events && bpf_program__autoload(program) &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes))
			missed += info.recursion_misses;
	}
	return missed;
}

BpfRing bpf_programs_ring(const BpfPrograms *programs, uint32_t cpu, bool is_nested)
{
	const MapMemory *rings = is_nested ? &programs->nested_rings : &programs->rings;
	uint32_t state = is_nested ? cpu + programs->config.cpu_numbers : cpu;
	uint8_t *at = programs->states.memory + programs->states.stride * state;

	g_assert(cpu < programs->config.cpu_numbers);
	return (BpfRing){
		.state = (struct kmt_bpf_state *)(void *)at,
		.ring = rings->memory + rings->stride * cpu,
		.ring_bytes = is_nested ? KMT_BPF_NESTED_RING_BYTES : programs->config.ring_bytes,
	};
}

void bpf_programs_count(BpfPrograms *programs, uint32_t tgid)
{
	if (tgid < programs->config.pids)
		programs->scope.memory[tgid] = 1;
}

struct kmt_bpf_walk *bpf_programs_walk(const BpfPrograms *programs)
{
	return programs->config.has_rules ? (struct kmt_bpf_walk *)(void *)programs->walk.memory
					  : NULL;
}

bool bpf_programs_measure(BpfPrograms *programs)
{
	bool is_attached = true;
	int ends[2];

	for (unsigned i = 0; i < G_N_ELEMENTS(programs->links); i++)
		if (programs_table[i].of == OF_MEASURE)
			is_attached &= attach(programs, i);
	/* A pipe has memory of kmalloc and of slab caches. */
	if (!pipe(ends)) {
		close(ends[0]);
		close(ends[1]);
	}
	detach_links(programs);
	return is_attached;
}

bool bpf_programs_read_kernel(BpfPrograms *programs, uint64_t address, void *to, size_t bytes)
{
	const struct bpf_program *program =
		bpf_object__find_program_by_name(programs->object, "kmt_read");
	const struct kmt_bpf_walk *walk = bpf_programs_walk(programs);
	size_t piece;

	for (size_t done = 0; done < bytes; done += piece) {
		uint64_t arguments[2] = { address + done, MIN(bytes - done, sizeof(walk->rules)) };
		struct bpf_test_run_opts run = { .sz = sizeof(run),
						 .ctx_in = arguments,
						 .ctx_size_in = sizeof(arguments) };

		piece = arguments[1];
		if (bpf_prog_test_run_opts(bpf_program__fd(program), &run) || run.retval)
			return false;
		memcpy((uint8_t *)to + done, walk->rules, piece);
	}
	return true;
}

uint64_t bpf_programs_bytes(unsigned cpus)
{
	return sizeof(struct kmt_bpf_walk) +
	       (uint64_t)cpus * (2 * sizeof(struct kmt_bpf_state) + KMT_BPF_NESTED_RING_BYTES +
				 2 * KMT_BPF_RECORD_MAX);
}
