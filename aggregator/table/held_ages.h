/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/view.h"

/* Returns whether the ages of all objects of a row are known. */
bool view_held_ages(const View *view, const ViewStack *stack, HeldAges *ages);
