/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/line_table.h"

#include <glib.h>

/*
 * Reads the text of source lines (--source). Sources are looked for below the given folders
 * (element-type utf8), then where the debug data say that they are. Only files that everybody may
 * read are read: a hostile file could name one that the report must not show.
 */
void source_text_read(LineTable *lines, const GPtrArray *folders);
