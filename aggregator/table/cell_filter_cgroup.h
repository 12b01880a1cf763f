/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/cell_filter.h"

/* --cgroup: keeps what tasks allocated whose cgroup's path or label matches the argument, a glob;
   what interrupts allocated is no cgroup's. */
extern const CellFilterType cell_filter_cgroup;
