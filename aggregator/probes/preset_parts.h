/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "probes/preset.h"

/* How presets are made, for the files preset*.c only. */

/* Returns a preset without names and points, for all collectors. */
Preset *preset_new(void);

/* Adds an empty point, owned by the preset. */
PresetPoint *preset_add_point(Preset *preset, const char *name);

/* Returns the point's value of this column; NULL: none. */
PresetValue *preset_point_value(const PresetPoint *point, const char *column);

/* Returns an empty array of PresetName. */
GArray *preset_names_new(void);

/* Parses a formula and puts it in place of the earlier one. */
bool preset_formula_set(PresetFormula *formula, const char *text, GError **error);
