/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzz target over files, for compilers without libFuzzer and for `make check`: those given
 * as arguments, else the target's own corpus. A finding ends the program by its sanitizer or
 * abort().
 */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>

static bool replay_file(const char *path)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *data = NULL;
	gsize size;

	if (!g_file_get_contents(path, &data, &size, &error)) {
		fprintf(stderr, "%s\n", error->message);
		return false;
	}
	/* A copy of the exact size: reading behind it is then seen. */
	g_autofree uint8_t *exact = g_malloc(MAX(size, (gsize)1));

	memcpy(exact, data, size);
	LLVMFuzzerTestOneInput(exact, size);
	return true;
}

static bool replay_folder(const char *path)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GDir) folder = g_dir_open(path, 0, &error);
	const char *name;
	unsigned files = 0;

	if (!folder) {
		fprintf(stderr, "%s\n", error->message);
		return false;
	}
	while ((name = g_dir_read_name(folder))) {
		g_autofree char *file = g_build_filename(path, name, NULL);

		if (!replay_file(file))
			return false;
		files++;
	}
	printf("%s: %u inputs\n", path, files);
	return files > 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!replay_file(argv[i]))
			return 1;
	}
	return argc > 1 || replay_folder(FUZZ_CORPUS) ? 0 : 1;
}
