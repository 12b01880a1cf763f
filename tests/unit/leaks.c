/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "leaks.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>

/* A second look at the end of each test, which is a process, would take a quarter of its time. */
const char *__lsan_default_options(void)
{
	return "leak_check_at_exit=0";
}

void leaks_abort(void)
{
	if (__lsan_do_recoverable_leak_check())
		abort();
}
#else
void leaks_abort(void)
{
}
#endif
