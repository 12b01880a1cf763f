/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"

/* Counts events of a stack that was imported, as profile_count_text() does, but for inner events of
   large kmallocs (count/inner_kmallocs.h), which other tracers print as well. */
void import_count(Profile *profile, const ProfileText *events);
