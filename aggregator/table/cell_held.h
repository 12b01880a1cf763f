/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/view_source.h"

/* Returns whether anything is known about the held objects of a cell, from pairing or from the
   kernel's record; *sums is set then. */
bool cell_held(const ViewSource *source, const ProfileCell *cell, HeldSums *sums);

/* Adds all that is known of a cell to the sums of its row. */
void cell_add_sums(const ViewSource *source, const ProfileCell *cell, RowSums *sums);
