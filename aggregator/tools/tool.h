/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/tool_description.h"

/* As losses_remedy(), with remedies for this host if the session is of this host. */
const char *tool_loss_remedy(const Session *session, const Options *options);

/* The main() of a command. Returns its ExitStatus. */
int tool_main(const Tool *tool, int argc, char **argv);
