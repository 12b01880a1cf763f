/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "filter.h"

/* The kinds of filters, each in a file of the same name; filter_types.c orders them. */
extern const FilterType min_count_filter;     /* -m: at least N allocations */
extern const FilterType min_bytes_filter;     /* at least N[KMG] bytes allocated */
extern const FilterType exclude_filter;       /* -e: no frame line contains an item */
extern const FilterType exclude_regex_filter; /* no frame line matches */
extern const FilterType include_filter;       /* -I: some frame line contains an item */
extern const FilterType include_regex_filter; /* some frame line matches */
