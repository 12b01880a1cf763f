/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Interprets SystemTap's stderr: losses become numbers, failures become one line with a reason and
 * a remedy, other lines are passed on with a prefix.
 */
typedef struct StapMessages StapMessages;

typedef struct {
	uint64_t skipped; /* probe hits */
	uint64_t errors;
	uint64_t transport_failures; /* messages that the kernel side could not deliver */
	uint64_t lost_messages;      /* messages that stapio found missing */
	uint64_t lost_bytes;
	const char *failure; /* the most specific one, with its remedy; NULL: none; borrowed */
} StapMessageTotals;

/* Unknown lines go to pass_on (escaped, without their newline). */
StapMessages *stap_messages_new(void (*pass_on)(const char *line, void *user_data),
				void *user_data);
void stap_messages_free(StapMessages *messages);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapMessages, stap_messages_free)

/* Processes the next bytes of stderr, in chunks of any size. */
void stap_messages_feed(StapMessages *messages, const char *text, gsize length);

/* Ends the text; processes a last line without newline. */
void stap_messages_finish(StapMessages *messages);

/* Sets the kernel and the SystemTap version (as printed by stap) for failure texts. Default: the
   running kernel. */
void stap_messages_set_pair(StapMessages *messages, const char *kernel_release,
			    const char *stap_version);

/* The texts in the totals are valid until more is fed or messages is freed. */
StapMessageTotals stap_messages_totals(const StapMessages *messages);

/* Whether stap --poison-cache may avoid the failure. */
bool stap_messages_may_be_poisoned_cache(const StapMessages *messages);

/* Returns "reason; remedy" for a line that reports a failure, in one line. stap_version begins with
   the release of SystemTap ("5.6/0.196, ..."); NULL or other texts: unknown. */
char *stap_messages_explain(const char *line, const char *kernel_release, const char *stap_version);
