/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* In a child that does not exec: closes everything that the program has open (terminal, locks,
   pipes) except one descriptor. /dev/null replaces the standard files. Returns the descriptor's new
   number. */
int child_files_keep_only(int fd);
