/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

/*
 * Returns the page size of the kernel that a text is from, in bytes: that of --page-size, or the
 * one that the architecture and the release in its header imply, or the usual one. Sets it as
 * KMT_FIELD_PAGE_BYTES, and whether it is only assumed. Importers call this when the size matters.
 */
uint64_t import_page_bytes(Session *session);
