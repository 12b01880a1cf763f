/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* From now on, an allocation that fails ends the program with one line on stderr and EXIT_FAILED,
   in its children as well. GLib would end it with a core dump. */
void out_of_memory_ends_program(void);
