/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* The user that a command runs as; prepared before the fork and used after it. */
typedef struct {
	bool change; /* to another user; else the other members but environment mean nothing */
	uid_t uid;
	gid_t gid;
	GArray *groups;     /* (element-type gid_t), owned */
	char **environment; /* owned */
} Identity;

/*
 * Looks up the user; NULL: the current one, with our environment. The environment of another user
 * has the variables that name the user, and of ours only those of a table: the rest may be secrets,
 * or paths into our home. Returns false with error set (G_OPTION_ERROR) if the user is not known,
 * or if we are not root.
 */
bool identity_init(Identity *identity, const char *name, GError **error);
void identity_clear(Identity *identity);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Identity, identity_clear)

/* In a child that will exec: takes the user's ids, without our keys and descriptors. Returns
   false with errno set on failure. */
bool identity_take(const Identity *identity);
