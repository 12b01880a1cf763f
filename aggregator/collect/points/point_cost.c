/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures what a hit costs: the program hits a probe of the same kind itself, in rounds with and
 * without it, and compares the medians. A table by kind of probe chooses the stand-in. perf_hits.c
 * asks before a run; the result bounds the overhead.
 */
#include "collect/points/point_cost.h"

#include "base/clock.h"
#include "base/sorted.h"
#include "base/unconst.h"
#include "code/elf/file_opener.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	ROUNDS_MIN = 8, /* with fewer, interrupted rounds may decide */
	TRIES = 3,      /* if there is time: */
	ALL_NS = 100 * 1000 * 1000,
	HITS = 128,               /* of a round, at least */
	PERIOD_OF_NONE = 1 << 30, /* of hits that are counted, but not sampled */
	ENOUGH_NS = 1500 * 1000,  /* the run should begin */
	EVENT_NS_MAX = 1000000,   /* of an emulated machine with deep stacks */
	RING_BYTES = 1 << 20,     /* a power of two of pages */
};

/* What hits a probe HITS times. */
typedef void (*Action)(void *memory);

/* A probe that this program can hit. */
typedef struct {
	PointEvent event; /* its texts are borrowed */
	GPtrArray *found; /* owner of them; NULL: constant texts */
	Action act;
	void *memory; /* HITS pages, for page faults */
} StandIn;

/* Actions. */

static void call_kernel(void *memory)
{
	(void)memory;
	for (int i = 0; i < HITS; i++)
		syscall(SYS_getppid);
}

/* Each allocates a file, and most kernels also a buffer for its name. */
static void open_files(void *memory)
{
	(void)memory;
	for (int i = 0; i < HITS; i++)
		close(open("/", O_PATH | O_CLOEXEC));
}

#if defined(__s390x__)
#define RETURN_INSTRUCTION "br %r14"
#elif defined(__powerpc64__)
#define RETURN_INSTRUCTION "blr"
#else
#define RETURN_INSTRUCTION "ret" /* x86, AArch64, RISC-V, LoongArch */
#endif

/* Functions that a probe can be in. The kernel emulates the first instruction of the first one, and
   lets the processor execute that of the second one, which takes a second exception (x86: `ret`).
 */
void point_cost_emulated(void);
__asm__(".pushsection .text\n"
	".globl point_cost_emulated\n"
	".hidden point_cost_emulated\n"
	".type point_cost_emulated, %function\n"
	"point_cost_emulated: nop\n" RETURN_INSTRUCTION "\n"
	".size point_cost_emulated, .-point_cost_emulated\n"
	".popsection\n");

static __attribute__((noinline)) void point_cost_stepped(void)
{
	__asm__ volatile("" ::: "memory");
}

static void call_emulated(void *memory)
{
	(void)memory;
	for (int i = 0; i < HITS; i++)
		point_cost_emulated();
}

static void call_stepped(void *memory)
{
	(void)memory;
	for (int i = 0; i < HITS; i++)
		point_cost_stepped();
}

/* Every page is a new one for the kernel. */
static void touch_pages(void *memory)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *page = memory;

	for (int i = 0; i < HITS; i++, page += page_bytes)
		*page = 1;
}

/* Stand-ins. */

/* Where an address of this program is in its file. */
typedef struct {
	uint64_t address;
	uint64_t offset; /* 0: not found */
} OwnPlace;

/* Visits the program first: see dl_iterate_phdr(3). */
static int find_place(struct dl_phdr_info *program, size_t bytes, void *data)
{
	OwnPlace *place = data;

	(void)bytes;
	for (int i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
		uint64_t start = program->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && place->address >= start &&
		    place->address - start < segment->p_filesz)
			place->offset = place->address - start + segment->p_offset;
	}
	return 1;
}

/* Whether the kernel emulates the instruction at the probed place: a nop, and pushing a register,
   as most functions begin (since 4.20; arch/x86/kernel/uprobes.c). */
static bool is_emulated(const PointEvent *event)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	int place = file_opener_file(opener, event->config1, UINT64_MAX, NULL);
	OpenerLook look = { 0 };
	const uint8_t *code = look.bytes;
	bool is_read = place >= 0 && file_opener_look(opener, place, event->config2, &look);

	if (place >= 0)
		close(place);
	return is_read && (code[0] == 0x90 || (code[0] & 0xf8) == 0x50 ||
			   (code[0] == 0x41 && (code[1] & 0xf8) == 0x50));
}

static bool use_own_function(const PointHost *host, StandIn *stand_in)
{
	bool emulated = is_emulated(&stand_in->event);
	OwnPlace place = { .address = emulated ? (uint64_t)(uintptr_t)point_cost_emulated
					       : (uint64_t)(uintptr_t)point_cost_stepped };

	(void)host;
	dl_iterate_phdr(find_place, &place);
	stand_in->event.config1 = (char *)"/proc/self/exe";
	stand_in->event.config2 = place.offset;
	stand_in->event.config &= UINT32_MAX; /* no semaphore */
	stand_in->act = emulated ? call_emulated : call_stepped;
	return place.offset;
}

static bool use_own_faults(const PointHost *host, StandIn *stand_in)
{
	(void)host;
	stand_in->event.config = PERF_COUNT_SW_PAGE_FAULTS;
	stand_in->act = touch_pages;
	return true;
}

/* The name of the function depends on the machine, and before 4.17 it has no prefix. */
static bool use_kernel_function(const PointHost *host, StandIn *stand_in)
{
	static const char *const functions[] = { "__x64_sys_getppid", "__arm64_sys_getppid",
						 "sys_getppid" };

	(void)host;
	stand_in->act = call_kernel;
	stand_in->event.config2 = 0;
	for (guint i = 0; i < G_N_ELEMENTS(functions); i++) {
		stand_in->event.config1 = unconst(functions[i]);
		if (point_event_try(&stand_in->event, NULL))
			return true;
	}
	return false;
}

/* Entries and exits of system calls have a path of their own in the kernel, which costs more. */
static bool use_tracepoint(const PointHost *host, StandIn *stand_in)
{
	const char *name = stand_in->event.name;
	ProbeSpec spec = { .type = PROBE_TRACEPOINT,
			   .text = (char *)"getppid",
			   .group = (char *)"syscalls",
			   .name = (char *)"sys_enter_getppid" };

	stand_in->act = call_kernel;
	if (g_str_has_prefix(name, "syscalls:sys_exit_") ||
	    g_str_has_prefix(name, "raw_syscalls:sys_exit")) {
		spec.name = (char *)"sys_exit_getppid";
	} else if (!strstr(name, "syscalls:")) {
		spec.group = (char *)"kmem";
		spec.name = (char *)"kmem_cache_alloc";
		stand_in->act = open_files;
	}
	stand_in->found = point_events_find(host, &spec, NULL);
	if (stand_in->found)
		stand_in->event = *(const PointEvent *)stand_in->found->pdata[0];
	return stand_in->found;
}

/* Chooses a probe of the same kind. Returns false if there is none. */
typedef bool (*Chooser)(const PointHost *host, StandIn *stand_in);
static const Chooser choosers[] = {
	[PROBE_TRACEPOINT] = use_tracepoint,  [PROBE_SOFTWARE] = use_own_faults,
	[PROBE_KPROBE] = use_kernel_function, [PROBE_KRETPROBE] = use_kernel_function,
	[PROBE_UPROBE] = use_own_function,    [PROBE_URETPROBE] = use_own_function,
	[PROBE_USDT] = use_own_function,
};

/* Measurement. */

static size_t memory_bytes(void)
{
	return HITS * (size_t)sysconf(_SC_PAGESIZE);
}

static uint64_t time_round(const StandIn *stand_in)
{
	uint64_t start_ns;

	madvise(stand_in->memory, memory_bytes(), MADV_DONTNEED);
	start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	stand_in->act(stand_in->memory);
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
}

/* Returns how many rounds there were. */
static unsigned time_rounds(const StandIn *stand_in, uint64_t took_ns[POINT_COST_ROUNDS],
			    unsigned rounds_max)
{
	uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ENOUGH_NS;
	unsigned count = 0;

	time_round(stand_in); /* warms up */
	while (count < rounds_max &&
	       (count < ROUNDS_MIN || clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns))
		took_ns[count++] = time_round(stand_in);
	return count;
}

static int64_t median_of(const uint64_t *took_ns, unsigned count)
{
	int64_t numbers[POINT_COST_ROUNDS] = { 0 };

	for (unsigned i = 0; i < count; i++)
		numbers[i] = (int64_t)took_ns[i];
	return median_of_numbers(numbers, count);
}

PointCost point_cost_of_rounds(const PointCostRounds *rounds)
{
	int64_t more_ns;

	if (rounds->count < ROUNDS_MIN || !rounds->hits)
		return (PointCost){ 0 };
	more_ns = median_of(rounds->probed_ns, rounds->count) -
		  median_of(rounds->plain_ns, rounds->count);
	if (more_ns < (int64_t)rounds->hits ||
	    more_ns / (int64_t)rounds->hits > (int64_t)EVENT_NS_MAX)
		return (PointCost){ 0 };
	return (PointCost){ .is_known = true,
			    .event_ns = cost_in_work((uint64_t)more_ns / rounds->hits),
			    .bytes = rounds->bytes * rounds->period / rounds->hits };
}

/* Opens the stand-in for this thread. Returns -1 on failure. */
static int open_event(const StandIn *stand_in, const struct perf_event_attr *like,
		      uint64_t sample_period)
{
	struct perf_event_attr attr = *like;

	point_event_attr(&stand_in->event, &attr);
	attr.disabled = 0;
	attr.freq = 0;
	attr.sample_period = sample_period;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Opens an event that counts what the filter of the other one rejects. This thread is no idle task.
   Returns -1 on failure. */
static int open_counter(const StandIn *stand_in, int filtered_fd)
{
	const struct perf_event_attr plain = { .size = sizeof(plain) };

	if (ioctl(filtered_fd, PERF_EVENT_IOC_SET_FILTER, "common_pid == 0"))
		return -1;
	return open_event(stand_in, &plain, 0);
}

/* Returns the number of hits so far. */
static uint64_t count_of(int fd)
{
	uint64_t values[8] = { 0 }; /* the count is the first one of any read_format */

	return read(fd, values, sizeof(values)) > 0 ? values[0] : 0;
}

/* A ring that this program cannot write to is written round and round: it need not be read. */
static void measure_probed(const StandIn *stand_in, int fd, int counter_fd, PointCostRounds *rounds)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES;
	struct perf_event_mmap_page *ring = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	uint64_t before, hits;

	if (ring == MAP_FAILED)
		return;
	before = count_of(counter_fd);
	rounds->count = time_rounds(stand_in, rounds->probed_ns, rounds->count);
	hits = (count_of(counter_fd) - before) / (rounds->count + 1); /* one warmed up */
	if (hits >= HITS)
		rounds->hits = hits;
	rounds->bytes = ring->data_head / (rounds->count + 1);
	munmap(ring, bytes);
}

/* The events of a measurement. A tracepoint is switched on and off, which takes long, when its
   first event is opened and its last one is closed: so these are closed together. */
typedef struct {
	int fds[2 * POINT_VARIANTS_MAX];
	unsigned count;
} Opened;

static void close_all(Opened *opened)
{
	while (opened->count)
		close(opened->fds[--opened->count]);
}

/* Returns the descriptor. */
static int point_cost_keep(Opened *opened, int fd)
{
	if (fd >= 0)
		opened->fds[opened->count++] = fd;
	return fd;
}

static PointCost measure_variant(const StandIn *stand_in, const PointVariant *variant,
				 const PointCostRounds *plain, Opened *opened)
{
	uint64_t period = variant->kind == POINT_HIT_COUNTED ? PERIOD_OF_NONE : variant->period;
	int fd = point_cost_keep(opened, open_event(stand_in, &variant->attr, period)),
	    counter_fd = fd;
	PointCostRounds rounds = *plain;

	rounds.period = variant->period;
	if (fd >= 0 && variant->kind == POINT_HIT_REJECTED)
		counter_fd = point_cost_keep(opened, open_counter(stand_in, fd));
	if (counter_fd >= 0)
		measure_probed(stand_in, fd, counter_fd, &rounds);
	/* An event that is disabled costs a tracepoint nothing more, but each event of another
	   probe is a probe of its own. */
	if (stand_in->event.probe != PROBE_TRACEPOINT)
		close_all(opened);
	for (unsigned i = 0; i < opened->count; i++)
		ioctl(opened->fds[i], PERF_EVENT_IOC_DISABLE, 0);
	return point_cost_of_rounds(&rounds);
}

static int compare_costs(const void *a, const void *b)
{
	const PointCost *x = a, *y = b;

	if (x->is_known != y->is_known)
		return y->is_known - x->is_known;
	return (x->event_ns > y->event_ns) - (x->event_ns < y->event_ns);
}

/* Returns the middle one of those that are known, or the lower one of two. */
static PointCost middle_of(PointCost costs[TRIES])
{
	unsigned known = 0;

	qsort(costs, TRIES, sizeof(costs[0]), compare_costs);
	while (known < TRIES && costs[known].is_known)
		known++;
	return costs[known ? (known - 1) / 2 : 0];
}

/* On a busy host, a whole measurement may be wrong: what ran before it or beside it decides. */
static void measure(const StandIn *stand_in, const PointVariant *variants, unsigned count,
		    PointCost *costs)
{
	PointCost tries[POINT_VARIANTS_MAX][TRIES] = { 0 };
	uint64_t end_ns = clock_monotonic_ns() + ALL_NS;

	for (unsigned i = 0; i < TRIES && (!i || clock_monotonic_ns() < end_ns); i++) {
		PointCostRounds plain = { 0 };
		Opened opened = { .count = 0 };

		/* The plain rounds come first: an open event costs each hit, even if it is
		   disabled. */
		plain.count = time_rounds(stand_in, plain.plain_ns, POINT_COST_ROUNDS);
		for (unsigned variant = 0; variant < count; variant++)
			tries[variant][i] =
				measure_variant(stand_in, &variants[variant], &plain, &opened);
		close_all(&opened);
	}
	for (unsigned variant = 0; variant < count; variant++)
		costs[variant] = middle_of(tries[variant]);
}

void point_cost_measure(const PointHost *host, const PointEvent *event,
			const PointVariant *variants, unsigned count, PointCost *costs)
{
	StandIn stand_in = { .event = *event };
	Chooser choose =
		(guint)event->probe < G_N_ELEMENTS(choosers) ? choosers[event->probe] : NULL;

	memset(costs, 0, count * sizeof(*costs));
	stand_in.memory = mmap(NULL, memory_bytes(), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stand_in.memory == MAP_FAILED)
		return;
	madvise(stand_in.memory, memory_bytes(), MADV_NOHUGEPAGE);
	if (choose && choose(host, &stand_in))
		measure(&stand_in, variants, count, costs);
	if (stand_in.found)
		g_ptr_array_unref(stand_in.found);
	munmap(stand_in.memory, memory_bytes());
}
