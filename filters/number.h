/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads the decimal digits at the start of text and sets *rest to the text after them. Returns
 * false if there are none or the number is too large. Accepts no sign, blank or other base.
 */
bool number_parse(const char *text, uint64_t *value, const char **rest);

/* Reads a whole text as a number, with an optional suffix K, M or G (powers of 1024). */
bool number_parse_bytes(const char *text, uint64_t *bytes);
