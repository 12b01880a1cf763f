/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <errno.h>
#include <glib.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

/* As on a host that forbids it: from now on, a system call of this process and its children fails
   with EPERM. Returns false if that is not possible. */
static inline bool refused_call_from_now(uint16_t number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
		      &(struct sock_fprog){ G_N_ELEMENTS(code), code }, 0, 0);
}
