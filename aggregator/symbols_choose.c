/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols_choose.h"

static SymbolStore *read_kallsyms(const char *path, GError **error)
{
	g_autoptr(SymbolStore) symbols = symbol_store_new();
	g_autofree char *text = NULL;
	gsize length;

	if (!g_file_get_contents(path, &text, &length, error))
		return NULL;
	symbol_store_add_kallsyms(symbols, 0, text, length);
	if (symbol_store_has_symbols(symbols))
		return g_steal_pointer(&symbols);
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
		    "%s: no addresses in the form of /proc/kallsyms", path);
	return NULL;
}

/* The recorded text range is not taken over: it goes with the recorded modules, and without them
   their frames would be taken for junk. */
static void replace_symbols(Session *session, SymbolStore *symbols)
{
	symbol_store_free(session->symbols);
	session->symbols = symbols;
}

/* Kernel addresses change with every boot. */
static bool is_this_boot(const Session *session)
{
	const char *recorded = run_info_text(session->info, KMT_FIELD_BOOT_ID);
	g_autofree char *boot_id = NULL;

	return recorded && *recorded &&
	       g_file_get_contents("/proc/sys/kernel/random/boot_id", &boot_id, NULL, NULL) &&
	       g_str_equal(g_strstrip(boot_id), recorded);
}

bool symbols_choose(Session *session, const char *kallsyms_path, GError **error)
{
	SymbolStore *symbols = NULL;

	if (kallsyms_path) {
		symbols = read_kallsyms(kallsyms_path, error);
		if (!symbols)
			return false;
	} else if (!symbol_store_has_symbols(session->symbols) && is_this_boot(session)) {
		/* Without the right to see them there are none: that was told at the start. */
		symbols = read_kallsyms("/proc/kallsyms", NULL);
	}
	if (symbols)
		replace_symbols(session, symbols);
	return true;
}
