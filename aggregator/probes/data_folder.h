/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Returns the path of a folder of the program's data, owned by the caller: the one beside the
   program if there is one, as in a build tree, else the installed one. Whoever could write into the
   former could replace the program, too. */
char *data_folder(const char *name);
