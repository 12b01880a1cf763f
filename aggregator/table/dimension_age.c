/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table/dimension_kinds.h"

void age_label(const GroupNaming *naming, uint32_t age_class, GString *out)
{
	unsigned from_s = age_class ? held_age_limit_s(age_class - 1) : 0;
	unsigned to_s = held_age_limit_s(age_class);

	(void)naming;
	if (!from_s)
		g_string_append_printf(out, "below %u s", to_s);
	else if (to_s)
		g_string_append_printf(out, "%u to %u s", from_s, to_s);
	else
		g_string_append_printf(out, "from %u s", from_s);
}
