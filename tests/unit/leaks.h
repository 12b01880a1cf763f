/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdlib.h>

/*
 * Criterion passes a test that leaks: ASan's report at exit does not reach its status. So every
 * suite is declared with TEST_SUITE_WITHOUT_LEAKS, which looks after each test and aborts.
 */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
static void abort_on_leak(void)
{
	if (__lsan_do_recoverable_leak_check())
		abort();
}
#else
static void abort_on_leak(void)
{
}
#endif

#define TEST_SUITE_WITHOUT_LEAKS(name) TestSuite(name, .fini = abort_on_leak)
