/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>

/*
 * ProbeSpec is a probe point as the user writes it. Only the spelling is checked here: whether a
 * kernel or a file has the point is found out by those who open it.
 */
typedef enum {
	PROBE_TRACEPOINT, /* t:GROUP:NAME, with globs (* ? [...]) in both */
	PROBE_SOFTWARE,   /* sw:NAME, a software event of perf */
	PROBE_KPROBE,     /* k:FUNCTION[+OFFSET] */
	PROBE_KRETPROBE,  /* kr:FUNCTION */
	PROBE_UPROBE,     /* u:FILE:SYMBOL[+OFFSET] */
	PROBE_URETPROBE,  /* ur:FILE:SYMBOL */
	PROBE_USDT,       /* usdt:FILE:PROVIDER:NAME */
	PROBE_STAP,       /* SystemTap's own spelling: kernel.function("vfs_read") */
} ProbeType;

typedef struct {
	ProbeType type;
	char *text;      /* as written, without surrounding blanks */
	char *path;      /* of uprobes and USDT: a path, or a name like "libc"; else NULL */
	char *group;     /* of tracepoints their group, of USDT the provider; else NULL */
	char *name;      /* tracepoint, event, function, symbol; of PROBE_STAP the whole text */
	uint64_t offset; /* in bytes from the start of the function */
} ProbeSpec;

/* Returns the probe point, owned by the caller, or NULL with error set (G_OPTION_ERROR). The text
   is untrusted; the parts of the result have no control characters, and a group or a name of a
   tracepoint has no '/'. */
ProbeSpec *probe_spec_parse(const char *text, GError **error);
void probe_spec_free(ProbeSpec *spec);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProbeSpec, probe_spec_free)

/* Returns how the probe points of a kind begin: "t:"; NULL behind the last kind. */
const char *probe_spec_prefix(guint index);

/* Parses "a | b", of which the first that the kernel has is used. Returns an array of ProbeSpec
   that owns them, never empty, or NULL with error set. */
GPtrArray *probe_alternatives_parse(const char *text, GError **error);
