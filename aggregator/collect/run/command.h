/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The user's command: forked early and held, so that its pid is known before the probes are, and
 * released when they are live. It is never killed and never waited for.
 */
typedef struct Command Command;

/*
 * Splits the text of -c into words as a shell would, without one. Returns NULL with error set
 * (G_OPTION_ERROR) when the text can only be meant for a shell.
 */
char **command_split(const char *text, GError **error);

/* Returns the words as one line that a shell would split into them again. */
char *command_quote(char **argv);

/* Checks that the command could be started: its program is found, its user exists. The error is a
   G_OPTION_ERROR. user may be NULL. */
bool command_check(char **argv, const char *user, GError **error);

/*
 * Forks a child that will become the command, as that user (NULL: as we are), and holds it.
 * Returns NULL with error set.
 */
Command *command_hold(char **argv, const char *user, GError **error);

/* A command that was not released ends without having run; a running one is left alone. */
void command_free(Command *command);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Command, command_free)

pid_t command_pid(const Command *command);

/* Lets the command run. Returns false with error set when its program could not be executed. */
bool command_release(Command *command, GError **error);

/* Returns CLOCK_MONOTONIC just before the command's execve; 0 before it was released. */
uint64_t command_start_ns(const Command *command);
