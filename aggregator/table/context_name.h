/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Returns the name of an enum KmtContext: "task", "softirq"; "interrupt" for unknown values from
   newer writers. */
const char *context_name(unsigned context);
