/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/import_count.h"

#include "symbols/inner_kmallocs_find.h"

void import_count(Session *session, const EventText *events)
{
	if (!inner_kmallocs_have_text(events->text, events->length))
		session_take_text(session, events);
}
