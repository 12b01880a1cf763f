/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Returns the name of an enum KmtContext: "task", "softirq"; a kind that only a newer writer knows
   is an "interrupt". */
const char *context_name(unsigned context);
