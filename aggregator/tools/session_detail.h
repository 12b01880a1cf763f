/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_detail.h"
#include "session/session.h"

/* Returns a session's data so far about one slab cache: of a second collection, or of a run or a
   recording with stacks of its own. It takes as long as a report, so do not call it often. cells
   are as in RateDetailRequest. */
RateDetail *session_detail_new(Session *session, const char *cache, const Dimension *key,
			       const GArray *cells);
