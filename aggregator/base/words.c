/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of a program that is to be started, one formatted word after the other. The engine of
 * SystemTap and the drill-down build their command lines with it.
 */
#include "base/words.h"

void words_add(GPtrArray *words, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_ptr_array_add(words, g_strdup_vprintf(format, arguments));
	va_end(arguments);
}
