/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/symbol_store.h"

#include <glib.h>

/* FunctionNames names the functions that addresses lie in; each address is looked up once. */
typedef struct FunctionNames FunctionNames;

/* The store is borrowed, and no text may be added to it. */
FunctionNames *function_names_new(const SymbolStore *store);
void function_names_free(FunctionNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FunctionNames, function_names_free)

/* The texts are escaped, and live as long as the names. */
typedef struct {
	/* "tcp_sendmsg [kernel]", "[ext4]" where only the module is known, else the address. */
	const char *label;
	const char *name; /* "tcp_sendmsg"; NULL: not known */
} FunctionName;

/* Returns the function that a return address lies in, in the symbol epoch of its stack. */
FunctionName function_names_of(FunctionNames *names, uint64_t address, uint32_t epoch);
