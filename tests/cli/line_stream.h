/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/*
 * Appends a recording of a made host whose kernel, modules and programs are real files. What it
 * says of them is in files of a folder:
 *
 *	arch                          of the machine
 *	text                          "START END" of the kernel's code, hexadecimal
 *	stacks                        "FRAME... | USER_FRAME...", hexadecimal, one stack a line
 *	symbols, modules, sections, points, maps, user_symbols
 *	                              the text of these batches; a missing file: no such batch
 *
 * Each stack has one allocation, requested by its second frame; with maps, one hit of the probe
 * point 0.
 */
void line_stream(GByteArray *stream, const char *folder);
