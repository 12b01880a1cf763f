/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk itself, in the worker: objects by number, mappings by process. A step is by CFI, else by
 * the frame pointer or the return register, and says why the walk ended. libdwfl's unwinder is not
 * used: doc/decisions/unwinding.md.
 */
#include "code/unwind/unwind_stack.h"

#include "code/unwind/unwind_object.h"

#define OBJECTS_MAX (1U << 20)

enum { ROWS_SHARE = 4 }; /* rows take one part of this many, sections the others */

struct Unwinder {
	GPtrArray *objects;    /* (element-type UnwindObject), by number; NULL: not known */
	GHashTable *processes; /* of gint64, owned, to UserSpans */
	UnwindBudget budget;
	uint32_t *busy_object; /* borrowed */
	uint32_t unwatched;    /* where it points at first */
};

/* On the way up a stack. */
typedef struct {
	UnwindFrame frame;
	const Unwinder *unwinder;
	const UserSpans *spans; /* NULL: the process is not known */
	const UserSpan *span;   /* of the current frame's code */
	bool is_exact;          /* the frame was interrupted here, it has not called */
} Walk;

static void free_object(void *object)
{
	unwind_object_free(object);
}

static void free_spans(void *spans)
{
	g_array_unref(spans);
}

Unwinder *unwinder_new(uint64_t memory_bytes_max)
{
	Unwinder *unwinder = g_new0(Unwinder, 1);
	size_t rows_bytes_max = (size_t)memory_bytes_max / ROWS_SHARE;

	unwinder->objects = g_ptr_array_new_with_free_func(free_object);
	unwinder->processes =
		g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_spans);
	unwinder->budget =
		(UnwindBudget){ .sections_max = (size_t)memory_bytes_max - rows_bytes_max,
				.rows_max = rows_bytes_max };
	unwinder->busy_object = &unwinder->unwatched;
	return unwinder;
}

void unwinder_free(Unwinder *unwinder)
{
	if (!unwinder)
		return;
	g_ptr_array_unref(unwinder->objects);
	g_hash_table_unref(unwinder->processes);
	g_free(unwinder);
}

void unwinder_watch(Unwinder *unwinder, uint32_t *busy_object)
{
	unwinder->busy_object = busy_object;
}

/* A compiler must not move it behind what it announces. */
static void unwind_stack_announce(const Unwinder *unwinder, uint32_t object)
{
	__atomic_store_n(unwinder->busy_object, object, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static UnwindObject *find_object(const Unwinder *unwinder, uint32_t number)
{
	return number < unwinder->objects->len ? unwinder->objects->pdata[number] : NULL;
}

void unwinder_add_object(Unwinder *unwinder, uint32_t number, int fd)
{
	if (!number || number >= OBJECTS_MAX)
		return;
	if (number >= unwinder->objects->len)
		g_ptr_array_set_size(unwinder->objects, (int)number + 1);
	unwind_stack_announce(unwinder, number);
	unwind_object_free(unwinder->objects->pdata[number]);
	unwinder->objects->pdata[number] = unwind_object_new(fd, &unwinder->budget);
}

void unwinder_set_maps(Unwinder *unwinder, uint64_t process, const UserSpans *spans)
{
	gint64 key = (gint64)process;
	UserSpans *copy;

	if (!spans) {
		g_hash_table_remove(unwinder->processes, &key);
		return;
	}
	copy = user_spans_new();
	g_array_append_vals(copy, spans->data, spans->len);
	g_hash_table_replace(unwinder->processes, g_memdup(&key, sizeof(key)), copy);
}

/* Finds the mapping of the current frame's code. A call may be the last instruction of a function:
   the return address is then behind it. */
static bool unwind_stack_locate(Walk *walk)
{
	uint64_t code = walk->frame.registers.values[UNWIND_PC] - !walk->is_exact;

	walk->span = walk->spans ? user_spans_find(walk->spans, code, UINT64_MAX) : NULL;
	return walk->span != NULL;
}

/* Pointers to code of AArch64 may be signed, in the bits that addresses do not have. */
static uint64_t strip_signature(uint64_t address)
{
#if defined(__aarch64__)
	return address & ((1ULL << 48) - 1);
#else
	return address;
#endif
}

static bool step_by_row(Walk *walk, const UnwindRow *row)
{
	UnwindFrame *frame = &walk->frame;
	uint64_t sp = frame->registers.values[UNWIND_SP], cfa;

	frame->end = UNWIND_END_START;
	if (row->is_start || !unwind_row_step(row, frame))
		return false;
	/* A signal handler may have a stack of its own, which is all that was copied. */
	frame->end = row->is_signal ? UNWIND_END_COPY : UNWIND_END_DAMAGED;
	/* The end of one frame is the beginning of the next one's; only code that has pushed
	   nothing has none. */
	cfa = frame->registers.values[UNWIND_SP];
	if (cfa < sp || (cfa == sp && !walk->is_exact))
		return false;
	frame->registers.values[UNWIND_PC] =
		strip_signature(frame->registers.values[UNWIND_RETURN]);
	walk->is_exact = row->is_signal;
	return true;
}

/* Code of a JIT compiler, or without CFI. The outermost frame has the frame pointer 0 (System V ABI
   of x86-64, section 3.4.1; AAPCS64, section 6.4.6). */
static bool step_by_frame_pointer(Walk *walk)
{
	UnwindFrame *frame = &walk->frame;
	uint64_t *values = frame->registers.values;
	uint64_t fp = values[UNWIND_FP];
	uint64_t caller_fp, pc;

	frame->end = fp ? UNWIND_END_NO_CFI : UNWIND_END_START;
	if (fp < values[UNWIND_SP])
		return false;
	if (!unwind_frame_read(frame, fp, 8, &caller_fp) ||
	    !unwind_frame_read(frame, fp + 8, 8, &pc))
		return false;
	values[UNWIND_FP] = caller_fp;
	values[UNWIND_SP] = fp + 16;
	values[UNWIND_PC] = strip_signature(pc);
	walk->is_exact = false;
	return true;
}

/* On AArch64, the procedure linkage table has no CFI in a file that has some. Its code changes
   neither the stack nor the frame pointer, and the return address is still in its register. */
static bool is_linkage_table(const Walk *walk)
{
#if defined(__aarch64__)
	const UnwindObject *object = find_object(walk->unwinder, walk->span->object);

	return walk->is_exact && object && unwind_object_has_cfi(object);
#else
	(void)walk;
	return false;
#endif
}

/* Returns the row of the current frame; NULL: there is no CFI. */
static const UnwindRow *find_row(const Walk *walk)
{
	UnwindObject *object = find_object(walk->unwinder, walk->span->object);
	uint64_t offset = walk->frame.registers.values[UNWIND_PC] + walk->span->to_offset;
	const UnwindRow *row = NULL;

	unwind_stack_announce(walk->unwinder, walk->span->object);
	if (object && walk->is_exact)
		row = unwind_object_row(object, offset);
	/* A call, or the system call that is running, may be the last instruction of a function. */
	return object && !row ? unwind_object_row(object, offset - 1) : row;
}

/* Goes to the caller. Returns false with frame.end set. */
static bool unwind_stack_step(Walk *walk)
{
	const UnwindRow *row = find_row(walk);
	uint64_t *values = walk->frame.registers.values;

	if (!row && is_linkage_table(walk)) {
		values[UNWIND_PC] = strip_signature(values[UNWIND_RETURN]);
		walk->is_exact = false;
	} else if (!(row ? step_by_row(walk, row) : step_by_frame_pointer(walk))) {
		return false;
	}
	/* Whoever starts threads without CFI leaves a 0 as the first return address. */
	walk->frame.end = values[UNWIND_PC] ? UNWIND_END_OUTSIDE : UNWIND_END_START;
	return unwind_stack_locate(walk);
}

void unwinder_walk(Unwinder *unwinder, uint64_t process, const UnwindRegisters *registers,
		   const UnwindCopy *copy, UnwindStack *stack)
{
	gint64 key = (gint64)process;
	Walk walk = {
		.frame = { .registers = *registers, .copy = *copy, .end = UNWIND_END_OUTSIDE },
		.unwinder = unwinder,
		.spans = g_hash_table_lookup(unwinder->processes, &key),
		.is_exact = true,
	};
	bool has_more = unwind_stack_locate(&walk);

	stack->depth = 0;
	stack->frames[stack->depth++] = registers->values[UNWIND_PC];
	while (has_more && (has_more = unwind_stack_step(&walk)) &&
	       stack->depth < UNWIND_FRAMES_MAX)
		stack->frames[stack->depth++] = walk.frame.registers.values[UNWIND_PC];
	stack->end = has_more ? UNWIND_END_DEPTH : walk.frame.end;
	if (unwinder->budget.rows <= unwinder->budget.rows_max)
		return;
	for (guint i = 0; i < unwinder->objects->len; i++)
		if (unwinder->objects->pdata[i])
			unwind_object_forget_rows(unwinder->objects->pdata[i]);
}
