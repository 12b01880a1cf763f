/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks that calls and interrupts in the made-up kernel's code leave. Both stacks lie between
 * pages that cannot be read: a read outside of them ends the test.
 */
#pragma once

#include "made_kernel.h"

enum {
	SYSTEM_CALL_FUNCTION = 3,
	INTERRUPTS_USUAL = 2, /* at most, on one stack */
	STACK_RESERVE = 4096, /* bytes */
};

/* One of sixteen functions enters the kernel, and so on. */
static const Kind kind_of_function[16] = {
	ENTERS_KERNEL, STARTS_THREAD, SAVES_BP,    USES_BP,  MOVES_SP,    ALIGNS_SP,
	SAVES_BP,      MOVES_SP,      SWITCHES_SP, MOVES_SP, SWITCHES_BP, SAVES_BP,
	USES_BP,       MOVES_SP,      SAVES_BP,    MOVES_SP,
};

static Orc orc_of_kind(Kind kind, unsigned function)
{
	long bytes = made.words[function] * (long)sizeof(long);
	const Orc orc[KINDS] = {
		[ENTERS_KERNEL] = { .sp_register = REG_SP, .has_regs = true },
		[STARTS_THREAD] = { .is_end = true },
		[MOVES_SP] = { REG_SP, REG_NONE, bytes, 0, false, false },
		[SAVES_BP] = { REG_SP, REG_PREVIOUS, bytes, -16, false, false },
		[USES_BP] = { REG_BP, REG_PREVIOUS, 16, -16, false, false },
		[ALIGNS_SP] = { REG_BP_INDIRECT, REG_BP, -8, 0, false, false },
		[SWITCHES_SP] = { REG_SP_INDIRECT, REG_PREVIOUS, bytes, -16, false, false },
		[SWITCHES_BP] = { REG_BP, REG_PREVIOUS, 16, -16, false, false },
		[IS_REPLACED] = { REG_SP, REG_NONE, bytes, 0, false, false },
	};

	return orc[kind];
}

/* Other code at the same addresses: only the frames have other sizes. own: what the emitter's own
   function does. */
static void make_code(u64 seed, Kind own)
{
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		Kind kind = kind_of_function[i % ARRAY_SIZE(kind_of_function)];

		if (i >= FUNCTIONS - OWN_FUNCTIONS)
			kind = own;
		made.kind[i] = i == REPLACED_FUNCTION ? IS_REPLACED : kind;
		made.words[i] = 3 + random_below(&seed, 6);
		made.orc[i][0] = orc_of_kind(made.kind[i], i);
		made.orc[i][1] = orc_of_kind(MOVES_SP, i);
	}
}

static void make_stack_memory(void)
{
	for (unsigned i = 0; i < 2; i++) {
		char *pages = mmap(NULL, THREAD_SIZE + 2 * PAGE_SIZE, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (pages == MAP_FAILED ||
		    mprotect(pages + PAGE_SIZE, THREAD_SIZE, PROT_READ | PROT_WRITE))
			abort();
		made.begin[i] = (unsigned long)pages + PAGE_SIZE;
	}
}

static void free_stack_memory(void)
{
	for (unsigned i = 0; i < 2; i++)
		munmap((void *)(made.begin[i] - PAGE_SIZE), THREAD_SIZE + 2 * PAGE_SIZE);
}

/* A value that only damaged stacks have where an address belongs, or BP that is no frame pointer.
   Near an end of a stack, what is read may lie beyond it. */
static unsigned long hostile_word(u64 *noise)
{
	unsigned long begin = made.begin[random_below(noise, 2)];

	switch (random_below(noise, 7)) {
	case 0:
		return random_below(noise, 100);
	case 1:
		return ~0UL - random_below(noise, 100);
	case 2:
		return begin + THREAD_SIZE -
		       (random_below(noise, 2) ? 8UL : 1) * random_below(noise, 40);
	case 3:
		return begin + THREAD_SIZE + 8UL * random_below(noise, 40);
	case 4:
		return begin - 8UL * random_below(noise, 40);
	case 5:
		return begin + random_below(noise, THREAD_SIZE);
	default:
		return LEFT_AT(random_below(noise, FUNCTIONS));
	}
}

static void push(unsigned long word)
{
	made.sp -= sizeof(word);
	WORD(made.sp) = word;
}

static void use_interrupt_stack(void)
{
	made.is_interrupt_stack = true;
	made.sp = made.begin[1] + THREAD_SIZE - sizeof(long);
}

/* The function was just called. */
static void start_function(unsigned function, u64 *noise)
{
	unsigned long bytes = made.words[function] * sizeof(long);
	unsigned long frame = made.sp + sizeof(long);

	switch (made.kind[function]) {
	case SWITCHES_SP:
		WORD(frame - 16) = made.bp;
		use_interrupt_stack();
		WORD(made.sp) = frame - bytes;
		return;
	case SAVES_BP:
		WORD(frame - 16) = made.bp;
		made.bp = hostile_word(noise);
		made.sp = frame - bytes;
		return;
	case SWITCHES_BP:
		push(made.bp);
		made.bp = made.sp;
		use_interrupt_stack();
		return;
	case ALIGNS_SP:
		made.sp = (made.sp & ~31UL) - sizeof(long);
		push(made.bp);
		made.bp = made.sp;
		push(frame);
		made.sp -= bytes;
		return;
	case USES_BP:
		push(made.bp);
		made.bp = made.sp;
		made.sp -= bytes;
		return;
	default:
		made.sp = frame - bytes;
	}
}

static void call_from(unsigned function, u64 *noise)
{
	start_function(function, noise);
	push(LEFT_AT(function));
}

/* The function was just called, and is interrupted. */
static void interrupt(unsigned function)
{
	struct pt_regs *regs;
	unsigned long sp = made.sp + sizeof(long) - made.words[function] * sizeof(long);

	made.sp = (sp & ~15UL) - sizeof(*regs);
	regs = (struct pt_regs *)made.sp;
	regs->cs = 0x10;
	regs->ip = LEFT_AT(function);
	regs->sp = sp;
	regs->bp = made.bp;
	push(LEFT_AT(0));
}

static void enter_kernel(u64 *route, u64 *noise)
{
	struct pt_regs *regs = task_pt_regs(current);
	bool is_thread = random_below(route, 4) == 0;

	made.is_interrupt_stack = false;
	made.sp = (unsigned long)regs;
	made.bp = hostile_word(noise);
	regs->cs = 0x33;
	regs->ip = 0x400000;
	regs->orig_ax = random_below(route, 3);
	push(LEFT_AT(is_thread ? 1 : 0));
	if (is_thread)
		return;
	/* System calls move the stack at random. */
	start_function(SYSTEM_CALL_FUNCTION, noise);
	made.sp -= 8UL * random_below(noise, 128);
	push(LEFT_AT(SYSTEM_CALL_FUNCTION));
}

/* Makes the stack of one of many routes through the code. The same route leaves the same stack, but
   for where it starts and what BP was. More interrupts than usual are all made. */
static void make_stack(u64 route, unsigned calls_max, unsigned interrupts, u64 *noise)
{
	unsigned calls = 1 + random_below(&route, calls_max), interrupts_left = interrupts;

	enter_kernel(&route, noise);
	while (calls-- && made.sp - made.begin[made.is_interrupt_stack] > STACK_RESERVE) {
		unsigned function = random_below(&route, REPLACED_FUNCTION);
		Kind kind = made.kind[function];
		bool switches = kind == SWITCHES_SP || kind == SWITCHES_BP;

		if (random_below(&route, 500) == 0)
			function = REPLACED_FUNCTION;
		if (interrupts_left && random_below(&route, 20) == 0) {
			interrupt(function);
			interrupts_left--;
		} else if (kind > STARTS_THREAD && (!switches || (interrupts_left < interrupts &&
								  !made.is_interrupt_stack)))
			call_from(function, noise);
	}
	while (interrupts_left && interrupts > INTERRUPTS_USUAL) {
		interrupt(0);
		interrupts_left--;
	}
	call_from(FUNCTIONS - OWN_FUNCTIONS, noise);
	start_function(FUNCTIONS - 1, noise);
	made.ip = LEFT_AT(FUNCTIONS - 1);
}
