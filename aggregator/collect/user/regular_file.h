/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * Opens a regular file for reading. Others are not opened: opening a device may do something, and a
 * pipe may wait for ever. Returns the descriptor, which the caller closes; -1: there is none.
 */
int regular_file_open(const char *path);

/* The same, but the last part of the path may not be a symbolic link. */
int regular_file_open_no_link(const char *path);
