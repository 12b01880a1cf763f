/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/host/kmem_points.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

/* What perf events delivered on several kernels: see tests/data/perf/README. */

/* Every folder of it, the three last made by hand, without samples. */
static const char *const perf_fixture_kernels[] = {
	"5.10", "6.1", "6.12", "6.18", "7.2", "3.10-rhel7", "4.18-rhel8", "5.14-rhel9",
};
enum { PERF_FIXTURES_RECORDED = 5 };

/* Returns a file's content, or NULL when there is none; length may be NULL. */
static inline char *perf_fixture_read(const char *kernel, const char *name, gsize *length)
{
	g_autofree char *path = g_build_filename(TEST_DATA, "perf", kernel, name, NULL);
	char *content = NULL;

	return g_file_get_contents(path, &content, length, NULL) ? content : NULL;
}

/* Returns the description of a tracepoint, or NULL when the kernel has none. */
static inline char *perf_fixture_format(const char *kernel, const char *point)
{
	g_autofree char *name = g_strconcat(point, ".format", NULL);

	return perf_fixture_read(kernel, name, NULL);
}

/* Returns a copy in memory of exactly that length: the sanitizer sees who reads behind it. */
static inline void *perf_fixture_exact(const void *bytes, size_t length)
{
	void *copy = g_malloc(MAX(length, (size_t)1));

	memcpy(copy, bytes, length);
	return copy;
}

/* As kmem_points_open() of a folder as tracefs has it. */
static inline GPtrArray *perf_fixture_open(const char *folder, unsigned events, GError **error)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	GPtrArray *points = kmem_points_open(fd, events, error);

	cr_assert_geq(fd, 0);
	close(fd);
	return points;
}

/* As kmem_points_open() of all that the kernel has. */
static inline GPtrArray *perf_fixture_points(const char *kernel)
{
	g_autofree char *folder = temporary_folder();
	GError *error = NULL;
	GPtrArray *points;

	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		for (const ProbePoint *point = kind->points; point->name; point++) {
			g_autofree char *text = perf_fixture_format(kernel, point->name);
			g_autofree char *path = g_build_filename(point->name, "format", NULL);

			if (text)
				temporary_write(folder, path, text, -1);
		}
	points = perf_fixture_open(folder, G_MAXUINT, &error);
	cr_assert_null(error, "%s: %s", kernel, error ? error->message : "");
	temporary_remove(folder);
	return points;
}
