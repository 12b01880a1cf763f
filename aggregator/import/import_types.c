/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The const table of importers. Its order is that of recognition: the importer that takes any lines
 * around stacks comes last.
 */
#include "import/import_types.h"

const ImportType *const import_types[] = {
	&import_hashkey,    &import_report,     &import_perf_script,
	&import_slab_text,  &import_allocinfo,  &import_alloc_traces,
	&import_page_owner, &import_count_text, NULL,
};

const ImportType *import_type_recognise(const char *text, size_t length)
{
	for (const ImportType *const *type = import_types; *type; type++) {
		if ((*type)->recognises(text, MIN(length, (size_t)IMPORT_SNIFF_BYTES)))
			return *type;
	}
	return NULL;
}
