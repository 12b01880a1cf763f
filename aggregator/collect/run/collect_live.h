/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"

/* Whether the stream goes to stdout (--record=-), so that nothing else may be written there. */
bool collect_request_streams(const CollectRequest *request);

/* Checks that all pids (element-type guint32) are processes of the host whose /proc lies below root
   ("": this host). Returns false with error set (options domain, one line) if a pid does not exist
   or is a thread of another process. */
bool pids_exist(const char *root, const GArray *pids, GError **error);

/* Collects with that collector into the session, and into a recording if requested. As
   CollectorType.collect. */
bool collect_live(const CollectorType *collector, const CollectRequest *request, Session *session,
		  CollectOutcome *outcome, GError **error);
