/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_detail.h"
#include "session/session.h"

/* Returns what a session knows by now of one slab cache: of a second collection, or of a run or a
   recording that has stacks itself. It takes as long as a report: call it now and then. cells are
   as in RateDetailRequest. */
RateDetail *session_detail_new(Session *session, const char *cache, const Dimension *key,
			       const GArray *cells);
