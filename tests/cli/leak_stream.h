/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * A run of 8 s on two CPUs, made for pairing:
 *
 *	leaky    opens a file every 10 ms, and closes one of eight 2 s later, on the other CPU
 *	caching  keeps its newest 40 dentries, of 1,600
 *	busy     allocates and frees 8,000 times, each after 8 us; one of four on the other CPU
 *	bursty   holds 1,000 pages from second 1 to second 2
 *	mapping  uses 20 addresses 80 times, and only the first 20 frees are seen
 *
 * is_blind: functions that free are not observed, and /proc/slabinfo shows that the files of
 * "leaky" were closed, too.
 */
void leak_stream(GByteArray *stream, bool is_blind);
