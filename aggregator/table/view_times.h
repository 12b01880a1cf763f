/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/view.h"

/* Returns the times of the objects of a row, or of all rows if stack is NULL; all 0: not known. */
HeldTimes view_times(const View *view, const ViewStack *stack);
