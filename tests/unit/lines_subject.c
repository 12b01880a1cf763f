/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program with debug data. It prints places in its code: "FUNCTION ADDRESS LINE" of an inlined
 * function, then of the function that calls it, with the address as in the file. The compiler's
 * preprocessor knows the lines.
 */
#include <stdint.h>
#include <stdio.h>

#ifdef LINES_REFERENCE
/* What dwz adds: the name of a file with debug data that several have in common, and its build
   id. */
__asm__(".pushsection .gnu_debugaltlink\n"
	".asciz \"common.debug\"\n"
	".byte 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef\n"
	".popsection\n");
#endif

/* Where the code of a kernel starts. */
void _stext(void);

__attribute__((noinline)) static uintptr_t address_of_call(void)
{
	__asm__ volatile("");
	return (uintptr_t)__builtin_return_address(0) - 1;
}

static inline __attribute__((always_inline)) void inlined_function(void)
{
	printf("inlined_function %lx %d\n", (unsigned long)address_of_call(), __LINE__);
}

__attribute__((noinline)) static void outer_function(void)
{
	inlined_function(), printf("outer_function %lx %d\n", 0UL, __LINE__);
}

__attribute__((noinline)) void _stext(void)
{
	__asm__ volatile("");
}

int main(void)
{
	_stext();
	outer_function();
	printf("_stext %lx %d\n", (unsigned long)(uintptr_t)_stext, 0);
	return 0;
}
