/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * HostSnapshot writes down what a stream of addresses needs to be read elsewhere and later: the
 * host, its clocks, the kernel's symbols, its modules; and the modules again when they change.
 *
 * Text of the kernel is read from /proc and /sys below a root folder, so that tests bring theirs.
 */
typedef struct HostSnapshot HostSnapshot;

/* Returns a snapshot of the host whose /proc and /sys lie below root ("": this one). */
HostSnapshot *host_snapshot_new(const char *root);
void host_snapshot_free(HostSnapshot *snapshot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HostSnapshot, host_snapshot_free)

/* Returns one more than the highest number a CPU may have, and how many there are now. At least 1.
 */
unsigned host_snapshot_cpu_numbers(const HostSnapshot *snapshot);
unsigned host_snapshot_cpus_online(const HostSnapshot *snapshot);

/* Modules of this name (the probe module itself) are not looked at. */
void host_snapshot_ignore_module(HostSnapshot *snapshot, const char *name);

/* Appends the batches of epoch 0: facts, symbols, modules. */
void host_snapshot_write(HostSnapshot *snapshot, GByteArray *out);

/* Appends the batches of a new epoch when the modules are others than before. Returns whether they
   are. */
bool host_snapshot_update(HostSnapshot *snapshot, GByteArray *out);

/* Returns why the addresses written are useless and what helps, in one line; NULL when they are
   not. */
const char *host_snapshot_hidden(const HostSnapshot *snapshot);

/* The same without writing a snapshot first. */
const char *host_snapshot_look_hidden(const HostSnapshot *snapshot);

/* Returns the build id among ELF notes, in hexadecimal, or NULL; the caller frees it. */
char *build_id_of_notes(const void *notes, size_t length);
