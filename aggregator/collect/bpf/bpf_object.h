/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

/* The object that was compiled from kmt.bpf.c: the build makes kmt_bpf_object.c of it. */
extern const unsigned char kmt_bpf_object[];
extern const size_t kmt_bpf_object_bytes;
