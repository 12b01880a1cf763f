/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file a probe of a program means: a path, a name in PATH, or a file that a process has
 * mapped (asked of the opener). Then both sides of the process that reads the symbols of this file;
 * the answer is a text of lines, described below. point_events.c calls it; the program believes
 * only lines that make sense.
 */
#include "collect/points/program_symbols.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/text_part.h"
#include "code/elf/elf_debug_file.h"
#include "code/elf/file_opener.h"
#include "code/elf/proc_maps.h"
#include "collect/points/function_symbols.h"
#include "collect/points/point_find.h"
#include "process/child.h"
#include "process/child_port.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

/* Returns NULL with error set if it could not be found out, without error if there is none. */
static char *find_mapped(const PointHost *host, const ProbeSpec *spec, GError **error)
{
	g_autoptr(FileOpener) opener = file_opener_new(host->root);
	char *path = file_opener_mapped_path(opener, (uint32_t)host->pid, spec->path);
	g_autofree char *why = NULL;

	if (path || errno == ENOENT)
		return path;
	why = file_opener_reason(opener, errno);
	point_fail(spec, G_IO_ERROR_FAILED, error, "what process %d has mapped cannot be read: %s",
		   host->pid ? (int)host->pid : (int)getpid(), why);
	return NULL;
}

static char *find_libc(const PointHost *host, const ProbeSpec *spec, GError **error)
{
	GError *problem = NULL;
	char *path = find_mapped(host, spec, &problem);

	if (problem)
		g_propagate_error(error, problem);
	else if (!path && host->pid)
		point_fail(spec, G_IO_ERROR_NOT_FOUND, error,
			   "process %d has ended, or has no C library: name its file, like "
			   "/proc/%d/exe",
			   (int)host->pid, (int)host->pid);
	else if (!path)
		point_fail(spec, G_IO_ERROR_NOT_FOUND, error,
			   "the C library is not found: name its file");
	return path;
}

char *program_file_find(const PointHost *host, const ProbeSpec *spec, GError **error)
{
	GError *problem = NULL;
	char *path;

	/* The absolute path: events may be opened again later. */
	if (strchr(spec->path, '/')) {
		g_autofree char *here = g_get_current_dir();

		return g_path_is_absolute(spec->path) ? g_strdup(spec->path)
						      : g_build_filename(here, spec->path, NULL);
	}
	if (g_str_equal(spec->path, MAPPED_PATH_LIBC))
		return find_libc(host, spec, error);
	path = g_find_program_in_path(spec->path);
	if (!path && host->pid)
		path = find_mapped(host, spec, &problem);
	if (problem)
		g_propagate_error(error, problem);
	else if (!path)
		point_fail(spec, G_IO_ERROR_NOT_FOUND, error,
			   "no program of this name is in PATH: name the path of the file");
	return path;
}

/*
 * The up to three files that have symbols of a program or library: itself, its debug file, and what
 * is packed into it (both: elf_debug_file.h). They are opened in the child, which frees nothing.
 */
enum { SYMBOL_FILES_MAX = 3 };

typedef struct {
	const ElfFile *files[SYMBOL_FILES_MAX]; /* count of them; the program itself is the first */
	unsigned count;
	int debug_fd;       /* owned; -1: none */
	GByteArray *packed; /* owned; NULL: none */
	ElfFile debug_file;
	ElfFile packed_file;
} SymbolFiles;

/* Opens them until the process ends: only a child that reads a program does so. path: of the image,
   which must live as long; root: folder of /usr/lib/debug. The structure must not be moved. */
static void symbol_files_open(SymbolFiles *files, const ElfImage *image, const char *path,
			      const char *root)
{
	*files = (SymbolFiles){ .files = { &image->file }, .count = 1 };
	files->debug_fd = elf_debug_file_open(&image->file, path, root);
	if (files->debug_fd >= 0 && elf_file_begin(&files->debug_file, files->debug_fd))
		files->files[files->count++] = &files->debug_file;
	files->packed = elf_mini_debug_unpack(&image->file);
	if (files->packed &&
	    elf_file_begin_memory(&files->packed_file, files->packed->data, files->packed->len))
		files->files[files->count++] = &files->packed_file;
}

/*
 * The child finds the places and answers with lines, each of which begins with a letter:
 *
 *	p                                          it is a program; the first line
 *	f ADDRESS BYTES IS_INDIRECT OFFSET|-       a function, or an address
 *	n NAME                                     a function
 *	u OFFSET SEMAPHORE PROVIDER NAME ARGUMENTS a USDT site; parted by tabs
 *
 * The program checks the lines. Numbers are hexadecimal.
 */

/* A large program on a slow disk takes seconds, and the user waits for this one. */
enum { PATIENCE_S = 10, ANSWER_BYTES_MAX = 64 << 20, SITE_WORDS = 5 };

#define HEX "%" G_GINT64_MODIFIER "x"
#define FILE_BYTES_MAX ((uint64_t)8 << 30)
#define MEMORY_BYTES ((uint64_t)1 << 30)

typedef struct {
	const char *path, *root;
	const ProbeSpec *spec;
	FileOpener *opener;
} Job;

bool program_symbols_address(const char *name, uint64_t *address)
{
	return g_str_has_prefix(name, "0x") &&
	       text_part_hexadecimal((TextPart){ name + 2, strlen(name + 2) }, address);
}

/* In the child. */

/* Whether a text from the file can be a part of a line. */
static bool is_plain(const char *text)
{
	return !strpbrk(text, "\n\t");
}

static void append_place(GString *out, const ElfImage *image, const FunctionSymbol *function,
			 uint64_t address)
{
	uint64_t offset;

	g_string_append_printf(out, "f " HEX " " HEX " %d ", address, function->bytes,
			       function->is_indirect);
	if (elf_file_offset(&image->file, address, &offset))
		g_string_append_printf(out, HEX "\n", offset);
	else
		g_string_append(out, "-\n");
}

/* Appends the functions of that name; all names if there is none to probe. */
static void append_functions(GString *out, const ElfImage *image, const Job *job)
{
	FunctionSymbols functions;
	SymbolFiles files;
	GHashTableIter iterator;
	void *name;
	bool has_names = true;

	symbol_files_open(&files, image, job->path, job->root);
	function_symbols_find(&functions, files.files, files.count, job->spec->name);
	for (guint i = 0; i < functions.found->len; i++) {
		const FunctionSymbol *function = &g_array_index(functions.found, FunctionSymbol, i);

		has_names = function->is_indirect;
		append_place(out, image, function, function->address + job->spec->offset);
	}
	g_hash_table_iter_init(&iterator, functions.names);
	while (has_names && g_hash_table_iter_next(&iterator, &name, NULL))
		if (is_plain(name))
			g_string_append_printf(out, "n %s\n", (const char *)name);
}

static void append_sites(GString *out, const ElfImage *image)
{
	g_autoptr(GPtrArray) sites = usdt_notes_read(image);

	for (guint i = 0; i < sites->len; i++) {
		const UsdtSite *site = sites->pdata[i];

		if (is_plain(site->provider) && is_plain(site->name) && is_plain(site->arguments))
			g_string_append_printf(out, "u\t" HEX "\t" HEX "\t%s\t%s\t%s\n",
					       site->offset, site->semaphore_offset, site->provider,
					       site->name, site->arguments);
	}
}

/* The run() of the child. The process ends with the answer: it frees nothing. */
static void program_symbols_answer(int socket, const int *fds, void *data)
{
	const Job *job = data;
	GString *out = g_string_new("p\n");
	const ElfImage *image = elf_image_new(fds[0]);
	uint64_t address;

	elf_debug_file_ask(socket);
	if (!image)
		return;
	if (job->spec->type == PROBE_USDT)
		append_sites(out, image);
	else if (program_symbols_address(job->spec->name, &address))
		append_place(out, image, &(FunctionSymbol){ 0 }, address + job->spec->offset);
	else
		append_functions(out, image, job);
	child_port_answer(socket, out->str, out->len);
}

static const ChildType symbols_child = {
	.name = "kmt-symbols",
	.rights = CHILD_READS,
	.limits = { .address_space_bytes = 2 * MEMORY_BYTES, .data_bytes = MEMORY_BYTES },
	.run = program_symbols_answer,
};

/* In the program. */

static void take_place(ProgramSymbols *symbols, TextPart line)
{
	ProgramPlace place = { 0 };
	TextPart offset;
	uint64_t is_indirect;

	if (!text_part_hexadecimal(text_part_next_word(&line), &place.address) ||
	    !text_part_hexadecimal(text_part_next_word(&line), &place.bytes) ||
	    !text_part_hexadecimal(text_part_next_word(&line), &is_indirect) ||
	    symbols->places->len >= FUNCTION_SYMBOLS_MAX)
		return;
	offset = text_part_next_word(&line);
	place.is_indirect = is_indirect;
	place.has_offset = text_part_hexadecimal(offset, &place.offset);
	g_array_append_val(symbols->places, place);
}

static bool read_number(const char *text, uint64_t *number)
{
	return text_part_hexadecimal((TextPart){ text, strlen(text) }, number);
}

static void take_site(ProgramSymbols *symbols, TextPart line)
{
	g_autofree char *text = g_strndup(line.text, line.length);
	g_auto(GStrv) words = g_strsplit(text, "\t", SITE_WORDS);
	uint64_t offset, semaphore;
	UsdtSite *site;

	if (g_strv_length(words) != SITE_WORDS || symbols->sites->len >= USDT_SITES_MAX ||
	    !read_number(words[0], &offset) || !read_number(words[1], &semaphore))
		return;
	site = g_new(UsdtSite, 1);
	*site = (UsdtSite){
		.provider = g_strdup(words[2]),
		.name = g_strdup(words[3]),
		.arguments = g_strdup(words[4]),
		.offset = offset,
		.semaphore_offset = semaphore,
	};
	g_ptr_array_add(symbols->sites, site);
}

static void take_line(ProgramSymbols *symbols, TextPart line)
{
	const TextPart rest = { line.text + 2, line.length > 2 ? line.length - 2 : 0 };

	if (!rest.length)
		return;
	if (line.text[0] == 'f')
		take_place(symbols, rest);
	else if (line.text[0] == 'n')
		g_ptr_array_add(symbols->names, g_strndup(rest.text, rest.length));
	else if (line.text[0] == 'u')
		take_site(symbols, rest);
}

static ProgramSymbols *program_symbols_fail(const char *path, const char *problem, int code,
					    GError **error)
{
	g_autoptr(GString) shown = g_string_new(NULL);

	escape_append(shown, path);
	g_set_error(error, G_IO_ERROR, code, "%s: %s", shown->str, problem);
	return NULL;
}

static ProgramSymbols *take_answer(const Job *job, TextPart rest, GError **error)
{
	g_autoptr(ProgramSymbols) symbols = NULL;
	TextPart line;

	if (!text_part_next_line(&rest, &line) || !text_part_is(line, "p"))
		return program_symbols_fail(
			job->path, "it is not an ELF program or library: name the program itself",
			G_IO_ERROR_INVALID_DATA, error);
	symbols = g_new(ProgramSymbols, 1);
	*symbols = (ProgramSymbols){
		.file = -1,
		.places = g_array_new(FALSE, FALSE, sizeof(ProgramPlace)),
		.names = g_ptr_array_new_with_free_func(g_free),
		.sites = usdt_sites_new(),
	};
	while (text_part_next_line(&rest, &line))
		take_line(symbols, line);
	return g_steal_pointer(&symbols);
}

static bool give_debug_file(const char *path, int socket, const ChildMessage *message,
			    void *user_data)
{
	const Job *job = user_data;

	return file_opener_give_debug_file(job->opener, path, job->path, socket, message);
}

static ProgramSymbols *read_file(Job *job, int file, GError **error)
{
	g_autoptr(GString) lines = g_string_new(NULL);
	const ChildCall call = {
		.type = &symbols_child,
		.fds = &file,
		.fds_count = 1,
		.data = job,
		.give = give_debug_file,
		.give_data = job,
		.patience_ns = (uint64_t)PATIENCE_S * NS_PER_SECOND,
		.answer_bytes_max = ANSWER_BYTES_MAX,
	};
	g_autofree char *problem = NULL;

	if (child_call(&call, lines, &problem) != CHILD_ANSWERED)
		return program_symbols_fail(job->path, problem, G_IO_ERROR_FAILED, error);
	return take_answer(job, (TextPart){ lines->str, lines->len }, error);
}

ProgramSymbols *program_symbols_read(const char *path, const char *root, const ProbeSpec *spec,
				     GError **error)
{
	g_autoptr(FileOpener) opener = file_opener_new(root);
	Job job = { path, root, spec, opener };
	int file = file_opener_file(opener, path, FILE_BYTES_MAX, NULL);
	ProgramSymbols *symbols;

	if (file < 0) {
		int reason = errno;
		g_autofree char *why = file_opener_reason(opener, reason);

		return program_symbols_fail(path,
					    reason == EINVAL ? "it is not a regular file" : why,
					    g_io_error_from_errno(reason), error);
	}
	symbols = read_file(&job, file, error);
	if (symbols)
		symbols->file = file;
	else
		close(file);
	return symbols;
}

void program_symbols_free(ProgramSymbols *symbols)
{
	if (!symbols)
		return;
	if (symbols->file >= 0)
		close(symbols->file);
	g_array_unref(symbols->places);
	g_ptr_array_unref(symbols->names);
	g_ptr_array_unref(symbols->sites);
	g_free(symbols);
}
