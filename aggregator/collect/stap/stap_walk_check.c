/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line of --check about who walks stacks, from the kernel's release and configuration.
 * stap_check.c calls it.
 */
#include "collect/stap/stap_walk_check.h"

#include "collect/facts/host_snapshot.h"
#include "collect/stap/kernel_headers.h"

#include <gio/gio.h>
#include <string.h>

enum {
	/* Upper bounds of the tables that the emitter allocates before its probes are armed. */
	CPU_KILOBYTES = 128,
	SHARED_KILOBYTES = 112,
	CONFIG_BYTES_MAX = 4 << 20, /* of a kernel's configuration; they have about 300 KB */
};

#define ORC_OPTION "CONFIG_UNWINDER_ORC"

/* Returns the text of a compressed file; NULL if it cannot be read, or is too long. */
static char *read_compressed(const char *path)
{
	g_autoptr(GFile) file = g_file_new_for_path(path);
	g_autoptr(GFileInputStream) packed = g_file_read(file, NULL, NULL);
	g_autoptr(GConverter) converter =
		G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
	g_autoptr(GInputStream) stream = NULL;
	g_autofree char *text = NULL;
	gsize length;

	if (!packed)
		return NULL;
	stream = g_converter_input_stream_new(G_INPUT_STREAM(packed), converter);
	text = g_malloc(CONFIG_BYTES_MAX);
	if (!g_input_stream_read_all(stream, text, CONFIG_BYTES_MAX, &length, NULL, NULL) ||
	    length == CONFIG_BYTES_MAX)
		return NULL;
	text[length] = '\0';
	return g_steal_pointer(&text);
}

/* Returns the configuration of the kernel; NULL if none can be read. */
static char *kernel_config(const CheckHost *host)
{
	static const struct {
		const char *before; /* the release of the kernel */
		const char *behind;
	} places[] = {
		{ "/boot/config-", "" },
		{ "/lib/modules/", "/config" },
		{ "/lib/modules/", "/build/.config" },
	};
	g_autofree char *packed = g_strconcat(host->root, "/proc/config.gz", NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
		g_autofree char *path =
			g_strconcat(places[i].before, host->release, places[i].behind, NULL);
		char *config = check_read(host, path);

		if (config)
			return config;
	}
	return read_compressed(packed);
}

typedef enum { ORC_UNKNOWN, ORC_ABSENT, ORC_THERE } Orc;

/* Returns why the module cannot walk on this host; NULL: it can, or that is not known. */
static const char *stap_walk_check_obstacle(const CheckHost *host, Orc orc)
{
	char *end;
	guint64 major = g_ascii_strtoull(host->release, &end, 10);
	guint64 minor = *end == '.' ? g_ascii_strtoull(end + 1, NULL, 10) : 0;

	if (!g_str_equal(host->machine, "x86_64"))
		return "the module walks stacks on x86_64 only";
	if (major < 4 || (major == 4 && minor < 17))
		return "the module walks stacks from Linux 4.17 on";
	return orc == ORC_ABSENT ? "it has no ORC unwinder, " ORC_OPTION "=y" : NULL;
}

static CheckVerdict by_module(const CheckHost *host, Orc orc, GString *text)
{
	g_autoptr(HostSnapshot) snapshot = host_snapshot_new(host->root);
	unsigned cpus = host_snapshot_cpus_online(snapshot);

	g_string_append(text, host->request->stap.walk == STACK_WALK_COMPARE
				      ? "by the module and by the kernel, to compare them"
				      : "by the module");
	if (orc == ORC_UNKNOWN)
		g_string_append(text, " if the kernel has the ORC unwinder, which is found out "
				      "when the module is loaded");
	g_string_append_printf(text, "; its tables take at most %u KB (%d KB x %u CPU%s + %d KB)",
			       CPU_KILOBYTES * cpus + SHARED_KILOBYTES, CPU_KILOBYTES, cpus,
			       cpus == 1 ? "" : "s", SHARED_KILOBYTES);
	return orc == ORC_UNKNOWN ? CHECK_NOTE : CHECK_OK;
}

CheckVerdict stap_look_at_walks(const CheckHost *host, GString *text)
{
	const CollectRequest *request = host->request;
	g_autofree char *config = NULL;
	Orc orc = ORC_UNKNOWN;
	const char *why;

	if (!request->what.stack_depth)
		return CHECK_OK;
	if (request->stap.walk == STACK_WALK_KERNEL) {
		g_string_append(text, "by the kernel (--stack-walk=kernel)");
		return CHECK_OK;
	}
	config = kernel_config(host);
	if (config)
		orc = kernel_config_has_option(config, ORC_OPTION) ? ORC_THERE : ORC_ABSENT;
	why = stap_walk_check_obstacle(host, orc);
	if (!why)
		return by_module(host, orc, text);
	g_string_append_printf(text, "by the kernel, which costs more: %s", why);
	return CHECK_NOTE;
}
