/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * The part of Criterion's interface that the unit tests use, for machines that Criterion itself is
 * not made for: its Boxfort has no code for ppc64le and s390x. runner.c runs the tests.
 */
#include <assert.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a parameterized test. */
struct criterion_test_params {
	size_t size; /* of a row, in bytes */
	void *params;
	size_t length; /* rows */
};

typedef struct SmallTest SmallTest;
struct SmallTest {
	const char *suite, *name;
	double timeout; /* in seconds; 0: the runner's */
	void (*run)(void *row);
	struct criterion_test_params (*rows)(void); /* NULL: runs once, without a row */
	SmallTest *next;
};

typedef struct SmallSuite SmallSuite;
struct SmallSuite {
	const char *name;
	void (*init)(void), (*fini)(void); /* NULL: none */
	SmallSuite *next;
};

/* Adds a test or a suite to the runner's list, borrowed until the program ends. */
void small_test_add(SmallTest *test);
void small_suite_add(SmallSuite *suite);

/* Prints a check that failed, and the message; ends the test if it is fatal. */
void small_fail(bool is_fatal, const char *file, int line, const char *text, const char *format,
		...);

/* Ends the test as skipped, with the reason. */
__attribute__((noreturn)) void small_skip(const char *format, ...);

#define SMALL_ADD(kind, symbol)                                                                    \
	__attribute__((constructor)) static void symbol##_add(void)                                \
	{                                                                                          \
		small_##kind##_add(&symbol);                                                       \
	}

#define Test(suite_name, test_name, ...)                                                           \
	static void suite_name##_##test_name##_body(void);                                         \
	static void suite_name##_##test_name##_run(void *row)                                      \
	{                                                                                          \
		(void)row;                                                                         \
		suite_name##_##test_name##_body();                                                 \
	}                                                                                          \
	static SmallTest suite_name##_##test_name##_test = {                                       \
		.suite = #suite_name,                                                              \
		.name = #test_name,                                                                \
		.run = suite_name##_##test_name##_run,                                             \
		__VA_ARGS__                                                                        \
	};                                                                                         \
	SMALL_ADD(test, suite_name##_##test_name##_test)                                           \
	static void suite_name##_##test_name##_body(void)

#define TestSuite(suite_name, ...)                                                                 \
	static SmallSuite suite_name##_suite = { .name = #suite_name, __VA_ARGS__ };               \
	SMALL_ADD(suite, suite_name##_suite)                                                       \
	_Static_assert(true, "a semicolon follows")

/* The message, which may be missing, is only evaluated if the check fails. */
#define SMALL_CHECK(is_fatal, condition, ...)                                                      \
	((condition) ? (void)0                                                                     \
		     : small_fail(is_fatal, __FILE__, __LINE__, #condition,                        \
				  __VA_ARGS__ __VA_OPT__(, ) ""))

#define cr_expect(condition, ...) SMALL_CHECK(false, condition, __VA_ARGS__)
#define cr_assert(condition, ...) SMALL_CHECK(true, condition, __VA_ARGS__)
#define cr_expect_not(condition, ...) SMALL_CHECK(false, !(condition), __VA_ARGS__)
#define cr_assert_not(condition, ...) SMALL_CHECK(true, !(condition), __VA_ARGS__)
#define cr_expect_null(pointer, ...) SMALL_CHECK(false, !(pointer), __VA_ARGS__)
#define cr_assert_null(pointer, ...) SMALL_CHECK(true, !(pointer), __VA_ARGS__)
#define cr_expect_not_null(pointer, ...) SMALL_CHECK(false, pointer, __VA_ARGS__)
#define cr_assert_not_null(pointer, ...) SMALL_CHECK(true, pointer, __VA_ARGS__)
#define cr_expect_eq(a, b, ...) SMALL_CHECK(false, (a) == (b), __VA_ARGS__)
#define cr_assert_eq(a, b, ...) SMALL_CHECK(true, (a) == (b), __VA_ARGS__)
#define cr_expect_neq(a, b, ...) SMALL_CHECK(false, (a) != (b), __VA_ARGS__)
#define cr_assert_neq(a, b, ...) SMALL_CHECK(true, (a) != (b), __VA_ARGS__)
#define cr_expect_lt(a, b, ...) SMALL_CHECK(false, (a) < (b), __VA_ARGS__)
#define cr_assert_lt(a, b, ...) SMALL_CHECK(true, (a) < (b), __VA_ARGS__)
#define cr_expect_gt(a, b, ...) SMALL_CHECK(false, (a) > (b), __VA_ARGS__)
#define cr_assert_gt(a, b, ...) SMALL_CHECK(true, (a) > (b), __VA_ARGS__)
#define cr_expect_leq(a, b, ...) SMALL_CHECK(false, (a) <= (b), __VA_ARGS__)
#define cr_assert_leq(a, b, ...) SMALL_CHECK(true, (a) <= (b), __VA_ARGS__)
#define cr_expect_geq(a, b, ...) SMALL_CHECK(false, (a) >= (b), __VA_ARGS__)
#define cr_assert_geq(a, b, ...) SMALL_CHECK(true, (a) >= (b), __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) SMALL_CHECK(false, !strcmp(a, b), __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) SMALL_CHECK(true, !strcmp(a, b), __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) SMALL_CHECK(false, strcmp(a, b), __VA_ARGS__)
#define cr_expect_arr_eq(a, b, bytes, ...) SMALL_CHECK(false, !memcmp(a, b, bytes), __VA_ARGS__)
#define cr_expect_float_eq(a, b, off, ...)                                                         \
	SMALL_CHECK(false, (a) - (b) <= (off) && (b) - (a) <= (off), __VA_ARGS__)
#define cr_expect_fail(...) SMALL_CHECK(false, false, __VA_ARGS__)
#define cr_assert_fail(...) SMALL_CHECK(true, false, __VA_ARGS__)
#define cr_fatal(...) (SMALL_CHECK(true, false, __VA_ARGS__), abort())
#define cr_skip(...) small_skip(__VA_ARGS__ __VA_OPT__(, ) "")
#define cr_skip_test(...) small_skip(__VA_ARGS__ __VA_OPT__(, ) "")
#define cr_log_info(...) (printf(__VA_ARGS__), putchar('\n'))
