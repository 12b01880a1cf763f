/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tells two runs apart: boot, start, end and number of events, else the path. older_run.c and
 * many_inputs.c compare it.
 */
#include "tools/run_identity.h"

#include "record/format.h"
#include "session/losses.h"

#include <stdlib.h>

/* Pieces of one run have the same start, but not the same events. Without facts about the run, the
   file tells. */
char *run_identity(const Session *session, const char *path)
{
	const RunInfo *info = session->info;
	const char *boot = run_info_text(info, KMT_FIELD_BOOT_ID);
	const char *host = run_info_text(info, KMT_FIELD_HOST);
	uint64_t start_ns = run_info_start_ns(info);

	if (!boot || !start_ns) {
		char *real = realpath(path, NULL);

		return real ? real : g_strdup(path);
	}
	return g_strdup_printf(
		"%s\n%s\n%" G_GUINT64_FORMAT "\n%" G_GUINT64_FORMAT "\n%" G_GUINT64_FORMAT, boot,
		host ? host : "", start_ns, session_end_ns(session), losses_counted(session));
}

uint32_t run_identity_add(RunNames *names, const Session *session, const char *path)
{
	const RunIdentity run = {
		.host = run_info_text(session->info, KMT_FIELD_HOST),
		.boot_id = run_info_text(session->info, KMT_FIELD_BOOT_ID),
		.path = path,
	};

	return run_names_add(names, &run);
}
