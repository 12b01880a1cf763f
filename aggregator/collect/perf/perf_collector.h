/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/stap/buffer_plan.h"
#include "collect/run/collector.h"

/* Plans the ring buffers of so many CPUs. As buffer_plan_init(). */
bool perf_plan_buffers(BufferPlan *plan, const CollectRequest *request, unsigned cpus,
		       uint64_t available_bytes, GError **error);
