/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session.h"

/*
 * Decides where names come from: the file (as /proc/kallsyms; NULL: none given) before all else,
 * then the stream itself, then this host while it is still in the boot that the stream tells of.
 * Addresses stay raw otherwise. Returns false with error set when the file has no symbols.
 */
bool symbols_choose(Session *session, const char *kallsyms_path, GError **error);
