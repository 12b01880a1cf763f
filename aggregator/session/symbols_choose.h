/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

#include <glib.h>

/* Reads a file in the form of /proc/kallsyms. Returns NULL with error set when it has no symbols.
 */
GBytes *symbols_read(const char *path, GError **error);

/* Before a stream is read: what symbols_read() returned has a say in what counts; NULL: nothing. */
void symbols_prepare(Session *session, GBytes *kallsyms);

/*
 * Decides where names come from: what symbols_read() returned (NULL: no file was given) before all
 * else, then the stream itself, then this host while it is still in the boot of the stream.
 * Addresses stay raw otherwise.
 */
void symbols_choose(Session *session, GBytes *kallsyms);
