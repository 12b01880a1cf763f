/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * The fixed parts of pictures, which the script "embed" makes part of the program. The page of
 * --format=html has the files of the folder page/. Nothing is read when the program runs.
 */

/* The page; @NAME@ stands for what render_html.c inserts. */
extern const char page_html[];
/* The contents of its style element and of its script element. */
extern const char page_css[];
extern const char page_js[];

/* The style and the script of --format=svg, from the folder graph/. */
extern const char graph_css[];
extern const char graph_js[];
