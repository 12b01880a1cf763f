/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * HostSnapshot writes what is needed to read a stream of addresses later and on other hosts: the
 * host, its clocks, the kernel's symbols, and the modules, again after each change.
 *
 * It reads the kernel's text files in /proc and /sys below a root folder, so that tests can provide
 * them.
 */
typedef struct HostSnapshot HostSnapshot;

/* Returns a snapshot of the host whose /proc and /sys lie below root ("": this host). */
HostSnapshot *host_snapshot_new(const char *root);
void host_snapshot_free(HostSnapshot *snapshot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HostSnapshot, host_snapshot_free)

/* Returns the highest possible CPU number plus one, and the current number of CPUs. At least 1. */
unsigned host_snapshot_cpu_numbers(const HostSnapshot *snapshot);
unsigned host_snapshot_cpus_online(const HostSnapshot *snapshot);

/* Ignores modules of this name (the probe module itself). */
void host_snapshot_ignore_module(HostSnapshot *snapshot, const char *name);

/* Appends the batches of epoch 0: facts, symbols, modules. */
void host_snapshot_write(HostSnapshot *snapshot, GByteArray *out);

/* Appends the batches of a new epoch if the modules have changed. Returns whether they have. */
bool host_snapshot_update(HostSnapshot *snapshot, GByteArray *out);

/* Returns why the written addresses are useless, and the remedy, in one line; NULL: they are not.
 */
const char *host_snapshot_hidden(const HostSnapshot *snapshot);

/* The same without writing a snapshot first. */
const char *host_snapshot_look_hidden(const HostSnapshot *snapshot);
