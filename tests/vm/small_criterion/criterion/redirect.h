/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "criterion.h"

/* From here on, the test's standard error goes to a file. */
void cr_redirect_stderr(void);

/* Returns that file, to read what was written up to now. The caller closes it. */
FILE *cr_get_redirected_stderr(void);
