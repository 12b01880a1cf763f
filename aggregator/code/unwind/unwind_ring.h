/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/unwind/unwind_wire.h"

#include <stdbool.h>

/* The ring has one writer, whose position is its own, and one reader. */

/*
 * Returns room for a record with a body of that size, after its header, which is filled; NULL: the
 * reader has not made room yet. *head is the writer's position; the record is read after
 * unwind_ring_publish(). A reader whose position makes no sense gets no records.
 */
void *unwind_ring_reserve(UnwindShared *shared, uint64_t *head, UnwindRecordType type,
			  uint64_t process, size_t body_bytes);
void unwind_ring_publish(UnwindShared *shared, uint64_t head);

/* Returns the next record, NULL: none. It is valid until unwind_ring_release(). */
const UnwindRecord *unwind_ring_next(UnwindShared *shared);
void unwind_ring_release(UnwindShared *shared, const UnwindRecord *record);
