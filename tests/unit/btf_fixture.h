/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "temporary.h"

#include <bpf/btf.h>
#include <criterion/criterion.h>
#include <glib.h>

/* Writes types to a file below a folder, and frees them. */
static inline void btf_fixture_write(struct btf *btf, const char *folder, const char *name)
{
	uint32_t bytes;
	const void *data = btf__raw_data(btf, &bytes);

	cr_assert_not_null(data);
	temporary_write(folder, name, data, (gssize)bytes);
	btf__free(btf);
}
