/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which symbols name a stream's addresses: those of --kallsyms, else the stream's own, else
 * those of this host if it is the same boot. Called when a stream was read, before its report.
 */
#include "session/symbols_choose.h"

#include "record/format.h"

#include <errno.h>
#include <stdio.h>

/* With many modules, /proc/kallsyms has some 20 MB. */
enum { PIECE_BYTES = 1 << 16, KALLSYMS_BYTES_MAX = 1 << 28 };

static GBytes *read_whole(const char *path, GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autofree guint8 *piece = g_malloc(PIECE_BYTES);
	FILE *file = fopen(path, "re");
	int cause = file ? 0 : errno;
	size_t got;

	while (file && bytes->len < KALLSYMS_BYTES_MAX &&
	       (got = fread(piece, 1, PIECE_BYTES, file)))
		g_byte_array_append(bytes, piece, (guint)got);
	if (file && ferror(file))
		cause = errno;
	else if (bytes->len >= KALLSYMS_BYTES_MAX)
		cause = EFBIG;
	if (file)
		fclose(file);
	if (!cause)
		return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
	g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(cause), "%s: %s", path,
		    g_strerror(cause));
	return NULL;
}

/* Returns NULL if the text has no addresses. */
static SymbolStore *parse_kallsyms(GBytes *kallsyms)
{
	g_autoptr(SymbolStore) symbols = symbol_store_new();
	gsize length;
	const char *text = g_bytes_get_data(kallsyms, &length);

	symbol_store_add_kallsyms(symbols, 0, text, length);
	return symbol_store_has_symbols(symbols) ? g_steal_pointer(&symbols) : NULL;
}

GBytes *symbols_read(const char *path, GError **error)
{
	g_autoptr(GBytes) kallsyms = read_whole(path, error);
	g_autoptr(SymbolStore) symbols = NULL;

	if (!kallsyms)
		return NULL;
	symbols = parse_kallsyms(kallsyms);
	if (symbols)
		return g_steal_pointer(&kallsyms);
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
		    "%s: no addresses in the form of /proc/kallsyms", path);
	return NULL;
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

void symbols_prepare(Session *session, GBytes *kallsyms)
{
	g_autoptr(SymbolStore) symbols = kallsyms ? parse_kallsyms(kallsyms) : NULL;

	if (symbols)
		session_find_inner_kmallocs(session, symbols);
}

void symbols_choose(Session *session, GBytes *kallsyms)
{
	g_autoptr(GBytes) of_host = NULL;
	SymbolStore *symbols;

	/* Without permission, addresses are hidden: that was reported at the start. */
	if (!kallsyms && !symbol_store_has_symbols(session->symbols) && is_this_boot(session))
		kallsyms = of_host = read_whole("/proc/kallsyms", NULL);
	symbols = kallsyms ? parse_kallsyms(kallsyms) : NULL;
	if (!symbols)
		return;
	/* The recorded text range is not copied: it belongs to the recorded modules, and without
	   these their frames would be discarded as invalid. */
	symbol_store_free(session->symbols);
	session->symbols = symbols;
}
