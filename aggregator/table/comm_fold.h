/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

/*
 * Returns how many bytes of a comm name what the kernel runs once per CPU or in a pool: those of
 * "kworker" in "kworker/0:1-events", of "ksoftirqd" in "ksoftirqd/3". All of any other name.
 */
size_t comm_folded_length(const char *comm);
