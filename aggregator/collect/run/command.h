/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The user's command. It is forked early and held, because the probes need its pid, and released
 * when they are live. The program never kills it and never waits for it.
 */
typedef struct Command Command;

/*
 * Splits the text of -c into words as a shell would, without running a shell. Returns NULL with
 * error set (G_OPTION_ERROR) if only a shell could run the text.
 */
char **command_split(const char *text, GError **error);

/* Returns the words as one line, quoted so that a shell splits it into the same words. */
char *command_quote(char **argv);

/* Checks that the command can be started: its program and its user exist. The error is a
   G_OPTION_ERROR. user may be NULL. */
bool command_check(char **argv, const char *user, GError **error);

/*
 * Forks a child that will become the command, as that user (NULL: the current one), and holds it.
 * Another user's command gets a terminal of its own instead of the program's (terminal_relay.h).
 * Returns NULL with error set.
 */
Command *command_hold(char **argv, const char *user, GError **error);

/* A command that was not released ends without being executed; a running one is left alone. */
void command_free(Command *command);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Command, command_free)

/* Returns the pid of the command itself. */
pid_t command_pid(const Command *command);

/* Returns the pid of the child to wait for: it ends when the command ends, with the same status,
   and after the command's output. */
pid_t command_child(const Command *command);

/* Lets the command run. without_keys: its terminal has no input, because the program reads the
   keyboard. Returns false with error set if its program could not be executed. */
bool command_release(Command *command, bool without_keys, GError **error);

/* Returns CLOCK_MONOTONIC just before the command's execve, or 0 if it was not released yet. */
uint64_t command_start_ns(const Command *command);

/* The relay of a released command says here how it changes the user's terminal; -1: there is none.
   command_take_change() lets the watchdog know, and returns false at the end. */
int command_relay_fd(const Command *command);
bool command_take_change(const Command *command);

/* The program prints its report: the user's terminal is as before, the command has no input any
   more. */
void command_leave_terminal(Command *command);
