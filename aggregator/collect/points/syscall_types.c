/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A const table of the types of system calls' arguments: how many bytes of a register are the
 * value.
 */
#include "collect/points/syscall_types.h"

#include <glib.h>
#include <string.h>

static const SyscallType types[] = {
	{ "__s32", 4, true },         { "__u32", 4, false },
	{ "clockid_t", 4, true },     { "gid_t", 4, false },
	{ "int", 4, true },           { "key_serial_t", 4, true },
	{ "key_t", 4, true },         { "loff_t", 8, true },
	{ "long", 8, true },          { "mqd_t", 4, true },
	{ "off_t", 8, true },         { "old_gid_t", 2, false },
	{ "old_uid_t", 2, false },    { "pid_t", 4, true },
	{ "qid_t", 4, false },        { "rwf_t", 4, true },
	{ "s32", 4, true },           { "ssize_t", 8, true },
	{ "timer_t", 4, true },       { "u32", 4, false },
	{ "uid_t", 4, false },        { "umode_t", 2, false },
	{ "unsigned", 4, false },     { "unsigned char", 1, false },
	{ "unsigned int", 4, false }, { "unsigned short", 2, false },
};

const SyscallType *syscall_type_lookup(const char *name)
{
	if (g_str_has_prefix(name, "const "))
		name += strlen("const ");
	for (guint i = 0; i < G_N_ELEMENTS(types); i++)
		if (g_str_equal(types[i].name, name))
			return &types[i];
	return NULL;
}
