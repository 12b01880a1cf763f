/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/unwind/unwind_stack.h"

#include "fixtures/dwfl_walk.h"
#include "fixtures/user_samples.h"

#include <criterion/criterion.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { PROCESS = 7, PERIOD_NS = 200000, NOT_INSTALLED = 127, PLENTY = 256 << 20 };

static const char *const end_names[UNWIND_ENDS] = {
	"start", "copy", "depth", "outside", "no CFI", "unsupported", "damaged", "not unwound",
};

/* An unwinder that knows the objects of a run. */
/* What some tests expect is only true of x86-64. */
static void skip_unless_x86(const char *why)
{
#if defined(__x86_64__)
	(void)why;
#else
	cr_skip_test("%s", why);
#endif
}

static Unwinder *unwinder_of(const UserRun *run)
{
	Unwinder *unwinder = unwinder_new(PLENTY);

	for (guint number = 1; number <= run->paths->len; number++) {
		int fd = user_run_open(run, number);

		unwinder_add_object(unwinder, number, fd);
		close(fd);
	}
	return unwinder;
}

static UnwindCopy copy_of(const UserSample *sample)
{
	return (UnwindCopy){ sample->registers.values[UNWIND_SP], sample->stack, sample->bytes };
}

static void walk_sample(Unwinder *unwinder, const UserRun *run, const UserSample *sample,
			UnwindStack *stack)
{
	g_autoptr(GArray) spans = user_run_spans_at(run, sample->time_ns);
	UnwindCopy copy = copy_of(sample);

	unwinder_set_maps(unwinder, PROCESS, spans);
	unwinder_walk(unwinder, PROCESS, &sample->registers, &copy, stack);
}

static UserRun *run_subject(const char *what, uint64_t period_ns)
{
	const char *const argv[] = { UNWIND_SUBJECT, what, NULL };
	UserRun *run;

	if (!user_samples_are_possible())
		cr_skip_test("perf events of user stacks cannot be opened");
	run = user_run_new(argv, period_ns);
	cr_assert_eq(run->status, 0, "%s", what);
	cr_assert_gt(run->samples->len, 0, "%s", what);
	return run;
}

/* Known calls. */

static int open_object(uint32_t object, void *user_data)
{
	return user_run_open(user_data, object);
}

/* Returns the names of a stack's functions, up to main(). */
static char *names_of(DwflWalk *dwfl, const UnwindStack *stack)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (uint32_t i = 0; i < stack->depth; i++) {
		const char *name = dwfl_walk_name(dwfl, stack->frames[i] - (i > 0));

		g_string_append_printf(names, "%s ", name ? name : "?");
		if (name && !strcmp(name, "main"))
			break;
	}
	return g_string_free(g_steal_pointer(&names), FALSE);
}

/* Returns how many stacks have these functions; *end is where the last one ended. */
static unsigned count_stacks(const UserRun *run, const char *names, UnwindEnd *end)
{
	g_autoptr(Unwinder) unwinder = unwinder_of(run);
	g_autoptr(GArray) spans = user_run_spans_at(run, UINT64_MAX);
	g_autoptr(DwflWalk) dwfl = dwfl_walk_new(spans, open_object, (void *)run);
	unsigned count = 0;

	for (guint i = 0; i < run->samples->len; i++) {
		UnwindStack stack;
		g_autofree char *found = NULL;

		walk_sample(unwinder, run, run->samples->pdata[i], &stack);
		found = names_of(dwfl, &stack);
		if (strcmp(found, names))
			continue;
		count++;
		*end = stack.end;
	}
	return count;
}

static void expect_stacks(const char *what, const char *names, UnwindEnd expected)
{
	enum { FAULTS = 40 }; /* of work() */
	g_autoptr(UserRun) run = run_subject(what, 0);
	UnwindEnd end = UNWIND_ENDS;

	cr_expect_eq(count_stacks(run, names, &end), FAULTS, "%s: %u of %s", what,
		     count_stacks(run, names, &end), names);
	cr_expect_eq(end, expected, "%s: %s", what, end < UNWIND_ENDS ? end_names[end] : "none");
}

Test(unwind_stack, calls_without_frame_pointers_are_found)
{
	expect_stacks("plain", "work plain plain plain plain plain plain main ", UNWIND_END_START);
}

Test(unwind_stack, frames_of_unknown_size_and_aligned_frames_are_found)
{
	expect_stacks("frames", "work plain plain plain plain with_alloca with_aligned_frame main ",
		      UNWIND_END_START);
}

Test(unwind_stack, a_stack_that_is_larger_than_its_copy_ends_with_the_copy)
{
	skip_unless_x86("here, the return address may be below the large part of a frame");
	expect_stacks("large", "work with_large_frame ", UNWIND_END_COPY);
}

/* All that ran is compared with another unwinder. */

typedef struct {
	unsigned stacks; /* that the kernel copied */
	unsigned same;
	uint64_t frames;
	unsigned ends[UNWIND_ENDS];
} Comparison;

static bool is_same(const UnwindStack *a, const UnwindStack *b)
{
	return a->depth == b->depth && !memcmp(a->frames, b->frames, a->depth * sizeof(uint64_t));
}

/* crti.o's functions have no CFI: libdwfl walks them by frame pointers, which they do not have. */
static bool begins_without_cfi(DwflWalk *dwfl, const UnwindStack *stack)
{
	g_autofree char *names = names_of(dwfl, stack);

	return g_str_has_prefix(names, "_init ") || g_str_has_prefix(names, "_fini ");
}

static void print_difference(DwflWalk *dwfl, const UnwindStack *ours, const UnwindStack *theirs)
{
	g_autofree char *our_names = names_of(dwfl, ours);
	g_autofree char *their_names = names_of(dwfl, theirs);

	printf("%s(%s)\n  libdwfl: %s\n", our_names, end_names[ours->end], their_names);
}

static Comparison compare(const UserRun *run, bool with_dwfl)
{
	g_autoptr(Unwinder) unwinder = unwinder_of(run);
	g_autoptr(GArray) spans = user_run_spans_at(run, UINT64_MAX);
	g_autoptr(DwflWalk) dwfl = dwfl_walk_new(spans, open_object, (void *)run);
	Comparison result = { 0 };

	for (guint i = 0; i < run->samples->len; i++) {
		const UserSample *sample = run->samples->pdata[i];
		UnwindCopy copy = copy_of(sample);
		UnwindStack ours, theirs;

		/* The kernel copies nothing at a fault of the stack's own page, and of exec(). */
		if (!sample->bytes)
			continue;
		walk_sample(unwinder, run, sample, &ours);
		result.stacks++;
		result.ends[ours.end]++;
		result.frames += ours.depth;
		if (!with_dwfl)
			continue;
		dwfl_walk(dwfl, &sample->registers, &copy, &theirs);
		if (is_same(&ours, &theirs) ||
		    (ours.end == UNWIND_END_START && begins_without_cfi(dwfl, &ours)))
			result.same++;
		else
			print_difference(dwfl, &ours, &theirs);
	}
	return result;
}

static void print_comparison(const char *name, const Comparison *result)
{
	printf("%s: %u stacks, %.1f frames, %.2f %% complete;", name, result->stacks,
	       (double)result->frames / MAX(result->stacks, 1U),
	       100.0 * result->ends[UNWIND_END_START] / MAX(result->stacks, 1U));
	for (int end = 0; end < UNWIND_ENDS; end++)
		if (result->ends[end])
			printf(" %s %u", end_names[end], result->ends[end]);
	printf("\n");
}

Test(unwind_stack, all_stacks_are_those_that_libdwfl_finds)
{
	static const char *const whats[] = { "plain", "frames", "signal", "thread", "deep" };

	skip_unless_x86("here, libdwfl adds a frame behind _start of the loader");
	for (guint i = 0; i < G_N_ELEMENTS(whats); i++) {
		g_autoptr(UserRun) run = run_subject(whats[i], 0);
		Comparison result = compare(run, true);

		print_comparison(whats[i], &result);
		cr_expect_eq(result.same, result.stacks, "%s: %u of %u", whats[i], result.same,
			     result.stacks);
	}
}

/* Programs of this machine. */

/* Adds the stacks of a program, without those of which the kernel copied too little. */
static void add_program(const char *const argv[], uint64_t period_ns, unsigned cut_percent,
			Comparison *all)
{
	g_autoptr(UserRun) run = user_run_new(argv, period_ns);
	Comparison result = compare(run, false);
	unsigned cut = result.ends[UNWIND_END_COPY];

	if (WIFEXITED(run->status) && WEXITSTATUS(run->status) == NOT_INSTALLED)
		return;
	print_comparison(argv[0], &result);
	cr_expect_gt(result.stacks, 0, "%s", argv[0]);
	cr_expect_leq(cut * 100, result.stacks * cut_percent, "%s", argv[0]);
	cr_expect_geq(result.ends[UNWIND_END_START] * 100, (result.stacks - cut) * 95,
		      "%s: %u of %u", argv[0], result.ends[UNWIND_END_START], result.stacks);
	all->stacks += result.stacks - cut;
	all->ends[UNWIND_END_START] += result.ends[UNWIND_END_START];
}

Test(unwind_stack, stacks_of_real_programs_are_complete)
{
	static const char *const ls[] = { "ls", "-l", "/usr/bin", NULL };
	static const char *const find[] = { "find", "/etc", "-name", "*.conf", NULL };
	static const char *const grep[] = { "grep", "-r", "-i", "root", "/etc/pam.d", NULL };
	static const char *const python3[] = { "python3", "-c", "import json", NULL };
	static const char *const sh[] = { "sh", "-c", "for i in 1 2 3; do :; done", NULL };
	Comparison all = { 0 };

	if (!user_samples_are_possible())
		cr_skip_test("perf events of user stacks cannot be opened");
	add_program(ls, 0, 5, &all);
	add_program(ls, PERIOD_NS / 4, 30, &all);
	add_program(find, 0, 5, &all);
	add_program(grep, 0, 5, &all);
	add_program(sh, 0, 5, &all);
	/* Stacks of Python are often larger than copies. */
	add_program(python3, PERIOD_NS, 30, &all);
	printf("all: %.2f %% of %u stacks complete\n",
	       100.0 * all.ends[UNWIND_END_START] / MAX(all.stacks, 1U), all.stacks);
	cr_expect_geq(all.ends[UNWIND_END_START] * 100, all.stacks * 99);
}

/* Without privileges: the stack of this thread, as the compiler's own unwinder sees it. */

typedef struct {
	UserSpans *spans;
	Unwinder *unwinder;
	uint32_t objects;
} Own;

static int add_own_object(struct dl_phdr_info *info, size_t size, void *user_data)
{
	Own *own = user_data;
	int fd = open(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)size;
	if (fd < 0)
		return 0;
	unwinder_add_object(own->unwinder, ++own->objects, fd);
	close(fd);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		UserSpan span = { .start = info->dlpi_addr + segment->p_vaddr,
				  .end = info->dlpi_addr + segment->p_vaddr + segment->p_filesz,
				  .object = own->objects };

		span.to_offset = segment->p_offset - span.start;
		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
			cr_assert(user_spans_add(own->spans, &span, UINT16_MAX));
	}
	return 0;
}

static UnwindRegisters registers_of(const ucontext_t *context)
{
	UnwindRegisters registers;

#if defined(__x86_64__)
	static const int numbers[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
				       REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
				       REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };

	for (int i = 0; i < UNWIND_REGISTER_COUNT; i++)
		registers.values[i] = (uint64_t)context->uc_mcontext.gregs[numbers[i]];
#elif defined(__aarch64__)
	memcpy(registers.values, context->uc_mcontext.regs, 31 * sizeof(uint64_t));
	registers.values[UNWIND_SP] = context->uc_mcontext.sp;
	registers.values[UNWIND_PC] = context->uc_mcontext.pc;
#else
	(void)context;
#endif
	return registers;
}

static UnwindStack own_stack;
static void *own_frames[UNWIND_FRAMES_MAX];
static int own_depth;

/* As the kernel copies it: AddressSanitizer does not let us look at frames of callers. */
static size_t copy_own(uint64_t address, uint8_t *bytes, size_t size)
{
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	ssize_t copied = pread(memory, bytes, size, (off_t)address);

	close(memory);
	cr_assert_gt(copied, 0);
	return (size_t)copied;
}

static void unwind_own(const ucontext_t *context)
{
	static uint8_t bytes[USER_SAMPLE_STACK_BYTES];
	Own own = { .spans = user_spans_new(), .unwinder = unwinder_new(PLENTY) };
	UnwindRegisters registers = registers_of(context);
	uint64_t sp = registers.values[UNWIND_SP];
	UnwindCopy copy = { sp, bytes, copy_own(sp, bytes, sizeof(bytes)) };

	dl_iterate_phdr(add_own_object, &own);
	unwinder_set_maps(own.unwinder, PROCESS, own.spans);
	unwinder_walk(own.unwinder, PROCESS, &registers, &copy, &own_stack);
	unwinder_free(own.unwinder);
	g_array_unref(own.spans);
}

static void on_signal(int number)
{
	ucontext_t here;

	(void)number;
	own_depth = backtrace(own_frames, UNWIND_FRAMES_MAX);
	getcontext(&here);
	unwind_own(&here);
}

/* The first frame is another instruction of the same function. A sanitizer's frame may be before
 * it. */
static void expect_own_frames(void)
{
	int depth = (int)own_stack.depth;
	int before = own_depth - depth;

	cr_expect_eq(own_stack.end, UNWIND_END_START, "%s", end_names[own_stack.end]);
	cr_assert_gt(depth, 3);
	cr_assert(before == 0 || before == 1, "%d, not %d", depth, own_depth);
	for (int i = 1; i < depth; i++)
		cr_expect_eq(own_stack.frames[i], (uintptr_t)own_frames[before + i], "frame %d", i);
}

Test(unwind_stack, frames_are_those_of_the_compilers_unwinder)
{
	ucontext_t here;

	if (!unwind_registers_mask())
		cr_skip_test("not on this machine");
	own_depth = backtrace(own_frames, UNWIND_FRAMES_MAX);
	getcontext(&here);
	unwind_own(&here);
	expect_own_frames();
}

Test(unwind_stack, frames_behind_a_signal_handler_are_found)
{
	skip_unless_x86("here, the code behind a signal handler is in the vdso, which has no file");
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	expect_own_frames();
}

/* Hostile input. */

Test(unwind_stack, damaged_copies_end)
{
	enum { DAMAGES = 40 };
	g_autoptr(UserRun) run = run_subject("frames", PERIOD_NS / 10);
	g_autoptr(Unwinder) unwinder = unwinder_of(run);
	g_autoptr(GRand) random = g_rand_new_with_seed(1);
	UnwindStack stack;

	for (guint i = 0; i < run->samples->len; i++) {
		UserSample *sample = run->samples->pdata[i];

		for (unsigned damage = 0; damage < DAMAGES && sample->bytes; damage++) {
			uint32_t at = (uint32_t)g_rand_int_range(random, 0, (int)sample->bytes);

			sample->stack[at] ^= (uint8_t)g_rand_int_range(random, 1, 256);
			walk_sample(unwinder, run, sample, &stack);
			cr_expect_leq(stack.depth, UNWIND_FRAMES_MAX);
			cr_expect_geq(stack.depth, 1);
		}
	}
}

Test(unwind_stack, stack_pointers_at_the_end_of_memory_end_the_walk)
{
	static const uint64_t sps[] = {
		0, 8, UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - 8, 1ULL << 63
	};
	g_autoptr(UserRun) run = run_subject("frames", 0);
	g_autoptr(Unwinder) unwinder = unwinder_of(run);
	UnwindStack stack;

	for (guint i = 0; i < G_N_ELEMENTS(sps); i++) {
		for (guint j = 0; j < run->samples->len; j++) {
			UserSample *sample = run->samples->pdata[j];

			sample->registers.values[UNWIND_SP] = sps[i];
			sample->registers.values[UNWIND_FP] = sps[i];
			walk_sample(unwinder, run, sample, &stack);
			cr_expect_geq(stack.depth, 1);
		}
	}
}

Test(unwind_stack, a_process_without_mappings_has_one_frame)
{
	g_autoptr(Unwinder) unwinder = unwinder_new(PLENTY);
	UnwindRegisters registers = { .values = { [UNWIND_PC] = 4096 } };
	UnwindCopy copy = { 0 };
	UnwindStack stack;

	unwinder_walk(unwinder, PROCESS, &registers, &copy, &stack);
	cr_expect_eq(stack.depth, 1);
	cr_expect_eq(stack.frames[0], 4096);
	cr_expect_eq(stack.end, UNWIND_END_OUTSIDE);
}
