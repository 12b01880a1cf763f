/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "criterion.h"

#define cr_make_param_array(type, array, count, ...)                                               \
	((struct criterion_test_params){ sizeof(type), (void *)(array), count })

#define ParameterizedTestParameters(suite_name, test_name)                                         \
	static struct criterion_test_params suite_name##_##test_name##_rows(void)

/* The parameter is a pointer to the row. */
#define ParameterizedTest(parameter, suite_name, test_name, ...)                                   \
	static void suite_name##_##test_name##_body(parameter);                                    \
	static void suite_name##_##test_name##_run(void *row)                                      \
	{                                                                                          \
		suite_name##_##test_name##_body(row);                                              \
	}                                                                                          \
	static SmallTest suite_name##_##test_name##_test = {                                       \
		.suite = #suite_name,                                                              \
		.name = #test_name,                                                                \
		.run = suite_name##_##test_name##_run,                                             \
		.rows = suite_name##_##test_name##_rows,                                           \
		__VA_ARGS__                                                                        \
	};                                                                                         \
	SMALL_ADD(test, suite_name##_##test_name##_test)                                           \
	static void suite_name##_##test_name##_body(parameter)
