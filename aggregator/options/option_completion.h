/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"

#include <stdio.h>

/* The first word of a command line that asks for completion: TOOL --complete WORD... . The scripts
   in packages/completion/ use it; it is no option, and neither the help text nor the man pages have
   it. */
#define OPTION_COMPLETE "--complete"

/*
 * Prints what may stand in place of the last word, which is the one that is being typed ("" if it
 * is new), a line each:
 *
 * - WORD[<TAB>ABOUT]: a candidate that begins with the last word; one that ends with '=' or ':'
 * goes on
 * - :file [SUFFIX]: names of files, if possible with this end, and of folders
 * - :folder: names of folders
 * - :user: names of users
 * - :command [N]: names of commands; with N, the words from the Nth on (the first is 0) are a
 * command
 *
 * root: "": this host; else the folder below which the names of its caches, cgroups and processes
 * are read.
 */
void option_completion_print(const Tool *tool, const char *root, char *const *words, FILE *out);
