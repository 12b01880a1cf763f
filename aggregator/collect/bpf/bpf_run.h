/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"

/* Loads the programs, holds and releases the command, and reads the rings into the session.
   ring_bytes: of each CPU, a power of two. As CollectorType.collect. */
bool bpf_run(uint64_t ring_bytes, uint64_t buffer_bytes, const CollectRun *parts, GError **error);
