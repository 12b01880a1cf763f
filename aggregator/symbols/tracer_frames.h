/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/symbol_store.h"

#include <stdbool.h>

/* Whether this is code of a tracer, which stands above the traced function on a stack. */
bool symbol_is_tracer(const Symbol *symbol);
