/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What SystemTap says on stderr, understood: losses become numbers, failures become one line with
 * a reason and a remedy, the rest is passed on with a prefix.
 */
typedef struct StapMessages StapMessages;

typedef struct {
	uint64_t skipped; /* probe hits */
	uint64_t errors;
	uint64_t transport_failures; /* messages the kernel side could not hand over */
	uint64_t lost_messages;      /* messages that stapio found missing */
	uint64_t lost_bytes;
	const char *failure; /* the most specific one, with its remedy; NULL: none; borrowed */
} StapMessageTotals;

/* Lines that are no known message go to pass_on (escaped, without their newline). */
StapMessages *stap_messages_new(void (*pass_on)(const char *line, void *user_data),
				void *user_data);
void stap_messages_free(StapMessages *messages);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapMessages, stap_messages_free)

/* Reads the next bytes of stderr, chunked anywhere. */
void stap_messages_feed(StapMessages *messages, const char *text, gsize length);

/* Ends the text: a last line without newline counts. */
void stap_messages_finish(StapMessages *messages);

/* Failures name this kernel, its packages and this SystemTap (its version, as stap says it);
   without this call, the running kernel. */
void stap_messages_set_pair(StapMessages *messages, const char *kernel_release,
			    const char *stap_version);

/* The texts in the totals live as long as messages, and until more is fed. */
StapMessageTotals stap_messages_totals(const StapMessages *messages);

/* Whether the failure may vanish with stap --poison-cache. */
bool stap_messages_may_be_poisoned_cache(const StapMessages *messages);
