/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Adds a word, formatted as by printf(), to the arguments of a program; the array owns it. */
#define words_add(words, ...) g_ptr_array_add(words, g_strdup_printf(__VA_ARGS__))
