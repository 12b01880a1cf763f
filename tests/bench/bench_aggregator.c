/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reading loop by itself: feeds a native stream from memory into a session, and prints events
 * per second of CPU time. bench_aggregator FILE [ROUNDS]
 */
#include "session/session.h"

#include <stdio.h>
#include <time.h>

enum { CHUNK_BYTES = 256 * 1024 };

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double measure(const char *bytes, gsize length, ProfileTotals *totals)
{
	g_autoptr(Session) session = session_new((size_t)256 << 20);
	double start = cpu_seconds();

	for (gsize at = 0; at < length; at += CHUNK_BYTES)
		session_feed(session, bytes + at, MIN(length - at, (gsize)CHUNK_BYTES));
	session_finish(session);
	*totals = profile_totals(session->profile);
	return cpu_seconds() - start;
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *bytes = NULL;
	gsize length;
	guint64 rounds = argc > 2 ? g_ascii_strtoull(argv[2], NULL, 10) : 5;

	if (argc < 2 || !g_file_get_contents(argv[1], &bytes, &length, &error)) {
		fprintf(stderr, "bench_aggregator: %s\n", error ? error->message : "no file given");
		return 2;
	}
	for (guint64 round = 0; round < rounds; round++) {
		ProfileTotals totals;
		double seconds = measure(bytes, length, &totals);

		printf("%.1f M events/s, %.2f GB/s, %" G_GUINT64_FORMAT " events\n",
		       (double)totals.events / seconds / 1e6, (double)length / seconds / 1e9,
		       totals.events);
	}
	return 0;
}
