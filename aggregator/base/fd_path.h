/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * Returns where an open file or folder is now, with no symbolic link in the path (/proc/PID/fd,
 * proc(5)), owned by the caller; NULL: it cannot be found out. A file that was removed has
 * " (deleted)" at the end, one that is outside the root folder no slash at the start.
 */
char *fd_path(int fd);
