/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "../criterion.h"

/* Like strcmp(); NULL equals only itself. */
static inline int small_compare(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* Comparisons name the type of both sides. */
#define SMALL_AS(type, relation, a, b) ((type)(a)relation(type)(b))
#define SMALL_str(relation, a, b) SMALL_AS(int, relation, small_compare(a, b), 0)
#define SMALL_ptr(relation, a, b) SMALL_AS(const void *, relation, a, b)
#define SMALL_chr(relation, a, b) SMALL_AS(char, relation, a, b)
#define SMALL_int(relation, a, b) SMALL_AS(int, relation, a, b)
#define SMALL_uint(relation, a, b) SMALL_AS(unsigned, relation, a, b)
#define SMALL_long(relation, a, b) SMALL_AS(long, relation, a, b)
#define SMALL_ulong(relation, a, b) SMALL_AS(unsigned long, relation, a, b)
#define SMALL_u8(relation, a, b) SMALL_AS(uint8_t, relation, a, b)
#define SMALL_u16(relation, a, b) SMALL_AS(uint16_t, relation, a, b)
#define SMALL_u32(relation, a, b) SMALL_AS(uint32_t, relation, a, b)
#define SMALL_u64(relation, a, b) SMALL_AS(uint64_t, relation, a, b)
#define SMALL_i32(relation, a, b) SMALL_AS(int32_t, relation, a, b)
#define SMALL_i64(relation, a, b) SMALL_AS(int64_t, relation, a, b)
#define SMALL_sz(relation, a, b) SMALL_AS(size_t, relation, a, b)
#define SMALL_dbl(relation, a, b) SMALL_AS(double, relation, a, b)

#define eq(type, a, b) SMALL_##type(==, a, b)
#define ne(type, a, b) SMALL_##type(!=, a, b)
#define lt(type, a, b) SMALL_##type(<, a, b)
#define le(type, a, b) SMALL_##type(<=, a, b)
#define gt(type, a, b) SMALL_##type(>, a, b)
#define ge(type, a, b) SMALL_##type(>=, a, b)
#define zero(type, a) (!(a))
#define not(condition) (!(condition))
