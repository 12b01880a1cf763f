/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

#include <glib.h>

/* Reads a file in the format of /proc/kallsyms. Returns NULL with error set if it has no
   symbols. */
GBytes *symbols_read(const char *path, GError **error);

/* To call before a stream is read: the symbols influence what counts. kallsyms: from
   symbols_read(), or NULL. */
void symbols_prepare(Session *session, GBytes *kallsyms);

/*
 * Chooses the symbols: first those from symbols_read() (NULL: no file), then the stream's, then
 * this host's if it still runs the boot of the stream. Else addresses are not named.
 */
void symbols_choose(Session *session, GBytes *kallsyms);
