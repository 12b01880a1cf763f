/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads the decimal digits at the start of text and points *rest behind them. Returns false when
 * there are none or the number does not fit: no sign, no blank, no other base is accepted.
 */
bool number_parse(const char *text, uint64_t *value, const char **rest);

/* Reads a whole text as a number with K, M or G (powers of 1024) behind it if you like. */
bool number_parse_bytes(const char *text, uint64_t *bytes);
