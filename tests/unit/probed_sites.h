/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * A USDT probe as sys/sdt.h of SystemTap makes it, so that no package is needed: a nop, and a note.
 * value is its first argument, in a register, and -7 its second one. semaphore: the name of a
 * counter in section .probes, or 0.
 */
#define USDT_SITE(provider, name, value, semaphore)                                                \
	__asm__ volatile("990: nop\n"                                                              \
			 ".pushsection .note.stapsdt,\"\",%%note\n"                                \
			 ".balign 4\n"                                                             \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                        \
			 "991: .asciz \"stapsdt\"\n"                                               \
			 "992: .balign 4\n"                                                        \
			 "993: .8byte 990b, _.stapsdt.base, " semaphore "\n"                       \
			 ".asciz \"" provider "\"\n"                                               \
			 ".asciz \"" name "\"\n"                                                   \
			 ".asciz \"8@%0 -4@%1\"\n"                                                 \
			 "994: .balign 4\n"                                                        \
			 ".popsection\n"                                                           \
			 ".ifndef _.stapsdt.base\n"                                                \
			 ".pushsection .stapsdt.base,\"aG\",%%progbits,.stapsdt.base,comdat\n"     \
			 ".weak _.stapsdt.base\n"                                                  \
			 ".hidden _.stapsdt.base\n"                                                \
			 "_.stapsdt.base: .space 1\n"                                              \
			 ".size _.stapsdt.base, 1\n"                                               \
			 ".popsection\n"                                                           \
			 ".endif\n"                                                                \
			 :                                                                         \
			 : "r"((unsigned long)(value)), "n"(-7))
