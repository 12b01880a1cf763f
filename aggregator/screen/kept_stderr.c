/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen/kept_stderr.h"

#include "base/escape.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_BYTES = 4096 };

struct KeptStderr {
	int terminal; /* stderr as it was */
	FILE *file;
	off_t seen; /* how much of it was shown */
};

KeptStderr *kept_stderr_begin(void)
{
	KeptStderr *kept;
	FILE *file = isatty(STDERR_FILENO) ? tmpfile() : NULL;

	if (!file)
		return NULL;
	kept = g_new0(KeptStderr, 1);
	kept->file = file;
	kept->terminal = dup(STDERR_FILENO);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	return kept;
}

static ssize_t read_at(KeptStderr *kept, char *bytes, off_t at)
{
	return pread(fileno(kept->file), bytes, CHUNK_BYTES, at);
}

char *kept_stderr_news(KeptStderr *kept)
{
	char bytes[CHUNK_BYTES + 1];
	GString *line;
	ssize_t length;
	char *start;

	if (!kept || (length = read_at(kept, bytes, kept->seen)) <= 0)
		return NULL;
	kept->seen += length;
	bytes[length] = '\0';
	g_strchomp(bytes);
	start = strrchr(bytes, '\n');
	line = g_string_new(NULL);
	escape_append(line, start ? start + 1 : bytes);
	return g_string_free(line, FALSE);
}

void kept_stderr_end(KeptStderr *kept)
{
	char bytes[CHUNK_BYTES];
	ssize_t length;

	if (!kept)
		return;
	fflush(stderr);
	dup2(kept->terminal, STDERR_FILENO);
	close(kept->terminal);
	for (off_t at = 0; (length = read_at(kept, bytes, at)) > 0; at += length)
		if (write(STDERR_FILENO, bytes, (size_t)length) != length)
			break;
	fclose(kept->file);
	g_free(kept);
}
