/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * The fixed parts of the page of --format=html: the files of the folder page/, which the script
 * "embed" makes part of the program. Nothing is read when the program runs.
 */

/* The page; @NAME@ stands for what render_html.c inserts. */
extern const char page_html[];
/* The contents of its style element and of its script element. */
extern const char page_css[];
extern const char page_js[];
