/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/import.h"
#include "session/session.h"

#include <stddef.h>
#include <stdint.h>

/* What libFuzzer (or replay.c) calls for each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In pieces of how many bytes this input is fed: seeds stay plain files of their format. */
size_t fuzz_chunk_bytes(size_t size);

/* Makes views of everything, one for each way to group, and prints their reports, which must be fit
   for a terminal. */
void fuzz_report(const Session *session);

/* Lets all code in the stacks have source lines and inlined functions, with odd texts. */
void fuzz_add_lines(Session *session);

/* Makes tables of the rates in a stream, and prints them alike. */
void fuzz_rates(const uint8_t *data, size_t size, size_t memory_bytes);

/* The same of a text that says when its events were; of another one there are none. */
void fuzz_text_rates(const ImportType *type, const char *text, size_t size, size_t memory_bytes);

/* Aborts unless all of the text can be shown on a terminal. Parts of the text may be escaped. */
void fuzz_expect_visible(const char *text);

/* Aborts unless both sessions counted the same: chunking must not change what is read. */
void fuzz_expect_same(const Session *whole, const Session *pieces);
