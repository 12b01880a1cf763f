/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"

/* Whether stdout gets the stream, --record=-, and nothing else may be written there. */
bool collect_request_streams(const CollectRequest *request);

/* Checks that all pids (element-type guint32) are processes of the host whose /proc lies below root
   ("": this one). Returns false with error set, one line of the options domain, if one of them is
   gone, or is a thread of another process. */
bool pids_exist(const char *root, const GArray *pids, GError **error);

/* Collects with that collector into the session, and into a recording where one was asked for. As
   CollectorType.collect. */
bool collect_live(const CollectorType *collector, const CollectRequest *request, Session *session,
		  CollectOutcome *outcome, GError **error);
