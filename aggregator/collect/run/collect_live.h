/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"

/* Whether stdout gets the stream, --record=-, and nothing else may be written there. */
bool collect_request_streams(const CollectRequest *request);

/* Collects with that collector into the session, and into a recording where one was asked for. As
   CollectorType.collect. */
bool collect_live(const CollectorType *collector, const CollectRequest *request, Session *session,
		  CollectOutcome *outcome, GError **error);
