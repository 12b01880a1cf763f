/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "process/child_sandbox.h"

/* Restricts this process to the system calls of its rights; others fail with EPERM, and calls in
   the numbers of another machine, such as of 32 bits, end it. Returns false with errno set if the
   kernel refuses the filter, or there is none for this machine. */
bool call_filter_set(ChildRights rights);
