/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbered files of a flight recorder: those that exist, in order, and the next free number. It
 * reads one folder at the start. recorder.c asks for names and for what is outdated.
 */
#include "session/piece_names.h"

#include "base/text_part.h"

#include <errno.h>
#include <gio/gio.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".kmr";
static const char part_suffix[] = ".part";

/* Eight may be the date of a recording that somebody keeps. */
enum { DIGITS = 6, DIGITS_MAX = 7, NUMBER_MAX = 9999999 };

typedef struct {
	uint64_t number;
	bool is_part; /* left by a run that was killed */
} Piece;

struct PieceNames {
	char *prefix;     /* path without number and suffix */
	GArray *existing; /* (element-type Piece), oldest first; owned */
	uint64_t newest;
};

static int compare_pieces(gconstpointer first, gconstpointer second)
{
	const Piece *a = first, *b = second;

	return (a->number > b->number) - (a->number < b->number);
}

/* Reads ".000001.kmr" or ".000001.kmr.part". Returns false for other names. */
static bool parse_piece(const char *text, Piece *piece)
{
	size_t digits = *text == '.' ? strspn(text + 1, "0123456789") : 0;
	const char *rest = text + 1 + digits;

	if (digits < DIGITS || digits > DIGITS_MAX ||
	    !text_part_decimal((TextPart){ text + 1, digits }, &piece->number) ||
	    !g_str_has_prefix(rest, suffix))
		return false;
	rest += strlen(suffix);
	piece->is_part = g_str_equal(rest, part_suffix);
	return piece->is_part || !*rest;
}

static char *path_of(const PieceNames *names, Piece piece)
{
	return g_strdup_printf("%s.%0*" G_GINT64_MODIFIER "u%s%s", names->prefix, DIGITS,
			       piece.number, suffix, piece.is_part ? part_suffix : "");
}

/* Whether this is a regular file of the user whose recordings these are: under sudo, pieces belong
   to the caller (private_file.h). In a folder of all users, others may choose any name. */
static bool is_ours(const char *path)
{
	const char *caller = g_getenv("SUDO_UID");
	struct stat status;
	guint64 uid;

	if (lstat(path, &status) || !S_ISREG(status.st_mode))
		return false;
	return status.st_uid == geteuid() ||
	       (!geteuid() && caller &&
		g_ascii_string_to_unsigned(caller, 10, 0, G_MAXUINT32 - 1, &uid, NULL) &&
		status.st_uid == uid);
}

/* What has more zeros than ours is not a piece. */
static void note_file(PieceNames *names, const char *name, const char *prefix)
{
	g_autofree char *path = NULL;
	Piece piece;

	if (!g_str_has_prefix(name, prefix) || !parse_piece(name + strlen(prefix), &piece))
		return;
	path = path_of(names, piece);
	if (!g_str_has_suffix(path, name) || !is_ours(path))
		return;
	names->newest = MAX(names->newest, piece.number);
	g_array_append_val(names->existing, piece);
}

PieceNames *piece_names_new(const char *path, GError **error)
{
	g_autoptr(PieceNames) names = g_new0(PieceNames, 1);
	bool has_suffix = g_str_has_suffix(path, suffix);
	g_autofree char *folder = g_path_get_dirname(path);
	g_autofree char *prefix = NULL;
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	int code = errno;
	const char *name;

	names->prefix = g_strndup(path, strlen(path) - (has_suffix ? strlen(suffix) : 0));
	names->existing = g_array_new(FALSE, FALSE, sizeof(Piece));
	if (!dir) {
		g_set_error(error, G_IO_ERROR, g_io_error_from_errno(code), "%s: %s", folder,
			    g_strerror(code));
		return NULL;
	}
	prefix = g_path_get_basename(names->prefix);
	while ((name = g_dir_read_name(dir)))
		note_file(names, name, prefix);
	g_array_sort(names->existing, compare_pieces);
	return g_steal_pointer(&names);
}

void piece_names_free(PieceNames *names)
{
	if (!names)
		return;
	g_free(names->prefix);
	g_array_unref(names->existing);
	g_free(names);
}

/* Whether something of others has this name, or will have it when it is complete. */
static bool is_taken(const PieceNames *names, Piece piece)
{
	for (int part = 0; part < 2; part++) {
		g_autofree char *path = NULL;
		struct stat status;

		piece.is_part = part;
		path = path_of(names, piece);
		if (!lstat(path, &status) && !is_ours(path))
			return true;
	}
	return false;
}

char *piece_names_next(PieceNames *names, GError **error)
{
	Piece piece = { .number = names->newest + 1 };

	while (piece.number <= NUMBER_MAX && is_taken(names, piece))
		piece.number++;
	/* A later run would not know such a piece, and never delete it. */
	if (piece.number > NUMBER_MAX) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
			    "%s: no number is left for the next piece: move those with the "
			    "highest numbers away",
			    names->prefix);
		return NULL;
	}
	names->newest = piece.number;
	g_array_append_val(names->existing, piece);
	return path_of(names, piece);
}

GPtrArray *piece_names_outdated(PieceNames *names, unsigned keep)
{
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
	guint outdated = names->existing->len - MIN(names->existing->len, keep);

	for (guint i = 0; i < outdated; i++)
		g_ptr_array_add(paths, path_of(names, g_array_index(names->existing, Piece, i)));
	if (outdated)
		g_array_remove_range(names->existing, 0, outdated);
	return paths;
}
