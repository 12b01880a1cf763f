/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/tool_description.h"
#include "render/text/render_text.h"

/* Lines of the text report, printed on stderr for a result that does not show them. */

/* Prints one line, if it has any text. */
void fact_line_print(const Facts *facts, FactLineOfRun *append);

/* Prints each reason for which a result is incomplete, with a remedy if there is one. */
void fact_lines_print_incomplete(const Session *session, const Options *options);
