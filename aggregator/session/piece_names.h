/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/*
 * PieceNames are the files of a flight recorder, by number: NAME.000001.kmr and so on, of
 * --record=NAME.kmr. Files of earlier runs are among them, also those that were not completed.
 */
typedef struct PieceNames PieceNames;

/* Looks for the files of earlier runs. Returns NULL with error set if the folder cannot be read. */
PieceNames *piece_names_new(const char *path, GError **error);
void piece_names_free(PieceNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PieceNames, piece_names_free)

/* Returns the path of the next file, whose name nobody else has, and counts it as existing. The
   caller frees it. Returns NULL with error set if no number is left that a later run would know. */
char *piece_names_next(PieceNames *names, GError **error);

/* Returns the paths of the oldest files beyond the last keep ones (element-type utf8), and forgets
   them. The caller frees the array. */
GPtrArray *piece_names_outdated(PieceNames *names, unsigned keep);
