/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A made-up kernel: its code with ORC data, and the unwinder as far as it matters. The emitter's
 * stack walk is compiled for it.
 */
#pragma once

#include "kernel_shim.h"

#define TEXT 0xffffffff81000000UL
/* Where a function calls another one, and where it may be interrupted before that. The ORC data
   changes at this address, so it matters in which of the two ways the function was left. */
#define LEFT_AT(function) (TEXT + (function)*FUNCTION_BYTES + FUNCTION_BYTES / 4)
#define WORD(address) (*(unsigned long *)(address))

enum {
	FUNCTIONS = 64,
	FUNCTION_BYTES = 64,
	OWN_FUNCTIONS = 2, /* the last ones */
	REPLACED_FUNCTION = FUNCTIONS - OWN_FUNCTIONS - 1,
};

/* What a function does at its start. */
typedef enum {
	ENTERS_KERNEL, /* pushes the registers of who was interrupted */
	STARTS_THREAD,
	MOVES_SP,
	SAVES_BP,    /* ... and uses BP for something else */
	USES_BP,     /* as frame pointer */
	ALIGNS_SP,   /* the frame's address is read from the stack */
	SWITCHES_SP, /* to the interrupt stack, whose last word has the old SP */
	SWITCHES_BP, /* to the interrupt stack; the old SP is in BP */
	IS_REPLACED, /* a tracer's trampoline: only the kernel can walk on */
	KINDS,
} Kind;

typedef enum { REG_NONE, REG_PREVIOUS, REG_SP, REG_BP, REG_SP_INDIRECT, REG_BP_INDIRECT } Register;
typedef struct {
	Register sp_register, bp_register;
	long sp_offset, bp_offset;
	bool is_end, has_regs;
} Orc;

static struct {
	Kind kind[FUNCTIONS];
	unsigned words[FUNCTIONS]; /* of the frame */
	Orc orc[FUNCTIONS][2];     /* while it calls, and where it is interrupted */
	unsigned long begin[2];    /* of the stacks, by enum kmt_stack_kind */
	unsigned long ip, sp, bp;  /* registers */
	bool is_interrupt_stack;   /* SP is there */
	unsigned long reads[1024]; /* addresses of the unwinder's last reads */
	unsigned reads_n;
} made;

static inline u32 random_below(u64 *state, u32 limit)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (u32)(*state >> 11) % limit;
}

/* --- The kernel's unwinder: arch/x86/kernel/unwind_orc.c --- */

enum stack_type { STACK_TYPE_UNKNOWN, STACK_TYPE_TASK, STACK_TYPE_IRQ };
struct stack_info {
	enum stack_type type;
	unsigned long *begin, *end;
};
struct unwind_state {
	struct stack_info stack_info;
	unsigned visited; /* a bit per stack_type */
	struct task_struct *task;
	bool error, signal, full_regs;
	unsigned long sp, bp, ip;
	struct pt_regs *regs;
	bool is_user; /* the registers */
};

static const Orc *orc_of(unsigned long ip)
{
	unsigned long offset = ip - TEXT;

	return offset < FUNCTIONS * FUNCTION_BYTES
		       ? &made.orc[offset / FUNCTION_BYTES]
				  [offset % FUNCTION_BYTES >= FUNCTION_BYTES / 4]
		       : NULL;
}

static inline bool unwind_done(const struct unwind_state *state)
{
	return state->stack_info.type == STACK_TYPE_UNKNOWN;
}

static inline unsigned long unwind_get_return_address(const struct unwind_state *state)
{
	return !unwind_done(state) && orc_of(state->ip) ? state->ip : 0;
}

static bool is_on_stack(const struct stack_info *info, unsigned long at, unsigned long bytes)
{
	return info->type && at >= (unsigned long)info->begin && at < (unsigned long)info->end &&
	       bytes <= (unsigned long)info->end - at;
}

static bool find_stack(struct unwind_state *state, unsigned long at)
{
	for (unsigned i = 0; state->task == current && i < 2; i++) {
		if (at - made.begin[i] >= THREAD_SIZE || state->visited >> i & 1)
			continue;
		state->visited |= 1U << i;
		state->stack_info.type = i ? STACK_TYPE_IRQ : STACK_TYPE_TASK;
		state->stack_info.begin = (unsigned long *)made.begin[i];
		state->stack_info.end = (unsigned long *)(made.begin[i] + THREAD_SIZE);
		return true;
	}
	return false;
}

static bool may_read(struct unwind_state *state, unsigned long at, unsigned long bytes)
{
	if (state->task == current)
		made.reads[made.reads_n++ % ARRAY_SIZE(made.reads)] = at;
	return is_on_stack(&state->stack_info, at, bytes) ||
	       (find_stack(state, at) && is_on_stack(&state->stack_info, at, bytes));
}

static bool read_word(struct unwind_state *state, unsigned long at, unsigned long *word)
{
	if (!may_read(state, at, sizeof(*word)))
		return false;
	memcpy(word, (const void *)at, sizeof(*word));
	return true;
}

static bool find_frame(struct unwind_state *state, const Orc *orc, unsigned long *frame)
{
	bool by_bp = orc->sp_register == REG_BP || orc->sp_register == REG_BP_INDIRECT;

	*frame = by_bp ? state->bp : state->sp;
	if (orc->sp_register != REG_SP_INDIRECT)
		*frame += (unsigned long)orc->sp_offset;
	if (orc->sp_register < REG_SP_INDIRECT)
		return true;
	if (!read_word(state, *frame, frame))
		return false;
	if (orc->sp_register == REG_SP_INDIRECT)
		*frame += (unsigned long)orc->sp_offset;
	return true;
}

static bool find_caller(struct unwind_state *state, const Orc *orc, unsigned long frame)
{
	unsigned long cs;

	state->regs = NULL;
	state->sp = frame;
	if (!orc->has_regs)
		return read_word(state, frame - sizeof(long), &state->ip);
	if (!may_read(state, frame, sizeof(struct pt_regs)) ||
	    !read_word(state, frame + offsetof(struct pt_regs, ip), &state->ip) ||
	    !read_word(state, frame + offsetof(struct pt_regs, sp), &state->sp) ||
	    !read_word(state, frame + offsetof(struct pt_regs, bp), &state->bp) ||
	    !read_word(state, frame + offsetof(struct pt_regs, cs), &cs))
		return false;
	state->regs = (struct pt_regs *)frame;
	state->full_regs = true;
	state->is_user = cs & 3;
	return true;
}

static bool take_step(struct unwind_state *state, const Orc *orc)
{
	unsigned long frame, sp = state->sp;
	enum stack_type type = state->stack_info.type;

	if (!find_frame(state, orc, &frame) || !find_caller(state, orc, frame))
		return false;
	if (orc->bp_register && !read_word(state,
					   (orc->bp_register == REG_BP ? state->bp : frame) +
						   (unsigned long)orc->bp_offset,
					   &state->bp))
		return false;
	return state->stack_info.type != type ||
	       !is_on_stack(&state->stack_info, state->sp, sizeof(long)) || state->sp > sp;
}

static bool unwind_next_frame(struct unwind_state *state)
{
	const Orc *orc = orc_of(state->signal ? state->ip : state->ip - 1);
	bool ends = unwind_done(state) || (state->regs && state->is_user) || (orc && orc->is_end);

	if (!ends && orc) {
		state->signal = orc->has_regs;
		if (take_step(state, orc))
			return true;
	}
	state->error = !ends;
	state->stack_info.type = STACK_TYPE_UNKNOWN;
	return false;
}

static void unwind_start(struct unwind_state *state, struct task_struct *task, void *regs,
			 unsigned long *first)
{
	(void)regs, (void)first;
	*state = (struct unwind_state){ .task = task, .ip = made.ip, .sp = made.sp, .bp = made.bp };
	find_stack(state, made.sp);
}

static unsigned kmt_save_stack(unsigned long *frames, unsigned limit, unsigned skip)
{
	struct unwind_state state;
	unsigned n = 0;

	unwind_start(&state, current, NULL, NULL);
	while (n < skip + limit && unwind_next_frame(&state) && unwind_get_return_address(&state)) {
		if (n >= skip)
			frames[n - skip] = state.ip;
		n++;
	}
	return n > skip ? n - skip : 0;
}

/* --- The emitter --- */

#define kmt_here(place) ((place)->ip = made.ip, (place)->sp = made.sp, (place)->bp = made.bp)
#define task_stack_page(task) ((void *)made.begin[0])
#define task_pt_regs(task)                                                                         \
	((struct pt_regs *)(made.begin[0] + THREAD_SIZE - sizeof(struct pt_regs)))

/* The return addresses in the last functions are the emitter's. */
static inline bool kmt_is_own(unsigned long frame)
{
	return frame - TEXT - (FUNCTIONS - OWN_FUNCTIONS) * FUNCTION_BYTES <
	       OWN_FUNCTIONS * FUNCTION_BYTES;
}

/* No code is above the image. */
static inline bool kmt_is_module_code(unsigned long ip)
{
	(void)ip;
	return false;
}

static inline void sprint_symbol(char *symbol, unsigned long ip)
{
	unsigned long offset = ip - TEXT, function = offset / FUNCTION_BYTES;

	snprintf(symbol, KSYM_SYMBOL_LEN, "function%lu+0x%lx/0x40", function,
		 made.kind[function] == IS_REPLACED ? 0x0UL : offset % FUNCTION_BYTES);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "../stap/unwind_rules.h"
#include "../stap/stack_memos.h"
#include "../stap/stack_walk.h"
#pragma GCC diagnostic pop
