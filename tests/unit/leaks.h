/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * Criterion passes a test that leaks: ASan's report at exit does not reach its status. So every
 * suite is declared with TEST_SUITE_WITHOUT_LEAKS, which looks after each test and aborts.
 */
#define TEST_SUITE_WITHOUT_LEAKS(name) TestSuite(name, .fini = leaks_abort)

/* Aborts if memory was lost, in a build with ASan. */
void leaks_abort(void);
