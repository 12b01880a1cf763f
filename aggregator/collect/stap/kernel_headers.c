/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the headers of a kernel that stap compiles against, in the folders of distributions, and
 * says which package is missing.
 */
#include "collect/stap/kernel_headers.h"

#include "collect/facts/stap_tool.h"
#include "collect/facts/host_facts.h"

#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Returns the string in a line '#define NAME "string"', or NULL. */
static char *header_string(const char *folder, const char *file, const char *name)
{
	g_autofree char *path = g_build_filename(folder, "include", "generated", file, NULL);
	g_autofree char *before = g_strdup_printf("#define %s \"", name);

	return line_value_of_file(path, before, "\"");
}

/* Distributions split headers into two folders. The link "source" or the Makefile shows the second
   one. */
static char *find_source(const char *modules, const char *build)
{
	g_autofree char *link = g_build_filename(modules, "source", NULL);
	g_autofree char *makefile = g_build_filename(build, "Makefile", NULL);
	g_autofree char *included = NULL;

	if (g_file_test(link, G_FILE_TEST_IS_DIR))
		return realpath(link, NULL);
	included = line_value_of_file(makefile, "include /", "/Makefile");
	return included ? g_strconcat("/", included, NULL) : g_strdup(build);
}

/* Kernels that sign no modules may have CONFIG_MODULE_SIG_HASH="". */
static char *find_sign_hash(const char *build)
{
	static const char letters[] = G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-";
	g_autofree char *path = g_build_filename(build, ".config", NULL);
	g_autofree char *hash = line_value_of_file(path, "CONFIG_MODULE_SIG_HASH=\"", "\"");

	if (hash && *hash && *hash != '-' && !hash[strspn(hash, letters)])
		return g_steal_pointer(&hash);
	return g_strdup("sha256");
}

/* Returns ", only those of 6.1.0-56-amd64 are" or "". */
static char *other_headers(const char *modules_folder)
{
	g_autoptr(GDir) dir = g_dir_open(modules_folder, 0, NULL);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *list = NULL;
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *config =
			g_build_filename(modules_folder, name, "build", ".config", NULL);

		if (g_file_test(config, G_FILE_TEST_EXISTS))
			g_ptr_array_add(names, g_strdup(name));
	}
	if (names->len == 0)
		return g_strdup("");
	g_ptr_array_add(names, NULL);
	list = g_strjoinv(", ", (char **)names->pdata);
	return g_strdup_printf(", only those of %s are", list);
}

static bool fail_missing(const char *modules_folder, const char *release, GError **error)
{
	g_autofree char *command = distribution_install_command(PACKAGE_KERNEL_HEADERS, release);
	g_autofree char *others = other_headers(modules_folder);

	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
		    "the headers of kernel %s are not installed%s: %s", release, others, command);
	return false;
}

static bool fail_other_build(const char *theirs, const char *running, const char *release,
			     GError **error)
{
	g_autofree char *command = distribution_install_command(PACKAGE_KERNEL_HEADERS, release);

	g_set_error(
		error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
		"the installed headers are of kernel %s, but %s is running; boot that kernel, or "
		"install the running one's: %s",
		theirs, running, command);
	return false;
}

static bool is_release_name(const char *release)
{
	return *release && *release != '.' && *release != '-' && strlen(release) < 65 &&
	       strspn(release, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._+~-") == strlen(release);
}

static bool headers_read(KernelHeaders *headers, const char *modules_folder, GError **error)
{
	g_autofree char *modules = g_build_filename(modules_folder, headers->release, NULL);
	g_autofree char *link = g_build_filename(modules, "build", NULL);
	g_autofree char *config = g_build_filename(link, ".config", NULL);
	g_autofree char *theirs = NULL;

	if (!g_file_test(config, G_FILE_TEST_EXISTS))
		return fail_missing(modules_folder, headers->release, error);
	headers->build = realpath(link, NULL);
	headers->source = find_source(modules, headers->build);
	headers->sign_hash = find_sign_hash(headers->build);
	headers->version = header_string(headers->build, "utsversion.h", "UTS_VERSION");
	if (!headers->version)
		headers->version = header_string(headers->build, "compile.h", "UTS_VERSION");
	theirs = header_string(headers->build, "utsrelease.h", "UTS_RELEASE");
	if (theirs && strcmp(theirs, headers->release) != 0)
		return fail_other_build(theirs, headers->release, headers->release, error);
	return true;
}

KernelHeaders *kernel_headers_find_for(const char *modules_folder, const char *release,
				       const char *running_release, const char *running_version,
				       GError **error)
{
	g_autoptr(KernelHeaders) headers = g_new0(KernelHeaders, 1);

	if (!is_release_name(release)) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
			    "'%s' is not a kernel release as printed by uname -r", release);
		return NULL;
	}
	headers->release = g_strdup(release);
	if (!headers_read(headers, modules_folder, error))
		return NULL;
	/* After an upgrade without a reboot, the same release may be another build. */
	if (strcmp(release, running_release) == 0 && headers->version &&
	    strcmp(headers->version, running_version) != 0) {
		fail_other_build(headers->version, running_version, release, error);
		return NULL;
	}
	return g_steal_pointer(&headers);
}

KernelHeaders *kernel_headers_find(const char *modules_folder, const char *release, GError **error)
{
	struct utsname names;

	if (uname(&names) < 0) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED,
				    "the kernel's name is not known");
		return NULL;
	}
	return kernel_headers_find_for(modules_folder ? modules_folder : "/lib/modules",
				       release ? release : names.release, names.release,
				       names.version, error);
}

void kernel_headers_free(KernelHeaders *headers)
{
	if (!headers)
		return;
	g_free(headers->release);
	g_free(headers->version);
	g_free(headers->build);
	g_free(headers->source);
	g_free(headers->sign_hash);
	g_free(headers);
}

bool kernel_headers_contain(const KernelHeaders *headers, const char *name, const char *text)
{
	const char *roots[] = { headers->source, headers->build };

	for (guint i = 0; i < G_N_ELEMENTS(roots); i++) {
		g_autofree char *path = g_build_filename(roots[i], "include", "linux", name, NULL);
		g_autofree char *content = NULL;

		if (g_file_get_contents(path, &content, NULL, NULL) && strstr(content, text))
			return true;
	}
	return false;
}

bool kernel_config_has_option(const char *config, const char *option)
{
	g_autofree char *line = g_strdup_printf("%s=y", option);
	g_auto(GStrv) lines = g_strsplit(config, "\n", -1);

	return g_strv_contains((const char *const *)lines, line);
}

bool kernel_headers_have_option(const KernelHeaders *headers, const char *option)
{
	g_autofree char *path = g_build_filename(headers->build, ".config", NULL);
	g_autofree char *config = NULL;

	return g_file_get_contents(path, &config, NULL, NULL) &&
	       kernel_config_has_option(config, option);
}
