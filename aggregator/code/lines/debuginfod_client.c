/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fetches debuginfo with libdebuginfod, which is loaded only then, as its 27 libraries take longer
 * than a start. Limits of size and time, and a signal, end a download. line_resolver.c calls it if
 * the user asks for servers.
 */
#include "config.h"

#include "code/lines/debug_files.h"

#include <gio/gio.h>

#ifdef HAVE_LIBDEBUGINFOD

#include "base/clock.h"
#include "base/escape.h"
#include "process/stop_signal.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES_PER_MB = 1000000, FETCH_S_MAX = 300 };

/* The debuginfo of a kernel has up to 1.5 GB, that of a browser 4 GB. */
#define FETCH_BYTES_MAX 4000000000ULL

/* They replace these limits, as in debuginfod_find_debuginfo(3), whose older versions have none. */
static const char bytes_variable[] = "DEBUGINFOD_MAXSIZE";
static const char seconds_variable[] = "DEBUGINFOD_MAXTIME";

/* The library needs 27 others (curl, TLS, Kerberos). Loading them takes 8 ms, three times as long
   as the rest of a start, so it is loaded only to fetch. */
#define LIBRARY "libdebuginfod.so.1"

/* Its functions; NULL: not loaded. */
static struct {
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_end) *end;
	__typeof__(debuginfod_find_debuginfo) *find_debuginfo;
	__typeof__(debuginfod_set_progressfn) *set_progressfn;
	__typeof__(debuginfod_set_user_data) *set_user_data;
	__typeof__(debuginfod_get_user_data) *get_user_data;
} library;

/* Where the address of a function goes. */
typedef struct {
	const char *name;
	void *at;
} Symbol;

static const Symbol symbols[] = {
	{ "debuginfod_begin", &library.begin },
	{ "debuginfod_end", &library.end },
	{ "debuginfod_find_debuginfo", &library.find_debuginfo },
	{ "debuginfod_set_progressfn", &library.set_progressfn },
	{ "debuginfod_set_user_data", &library.set_user_data },
	{ "debuginfod_get_user_data", &library.get_user_data },
};

struct DebuginfodClient {
	debuginfod_client *client; /* owned */
	bool shows_progress;
	const char *name;  /* of what is fetched, borrowed */
	uint64_t shown_ns; /* when progress was shown last, or the download began */
	bool has_line;     /* a line of progress is on the terminal */
	uint64_t begin_ns; /* of the download */
	uint64_t bytes_max, seconds_max;
	char *problem; /* why we ended the download, owned; NULL: we did not */
};

/* Loads the library, which stays loaded: curl cannot be unloaded. */
static bool debuginfod_client_load(void)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	for (gsize i = 0; handle && i < G_N_ELEMENTS(symbols); i++) {
		void *function = dlsym(handle, symbols[i].name);

		if (!function)
			return false;
		memcpy(symbols[i].at, &function, sizeof(function));
	}
	return handle;
}

bool debuginfod_client_is_built(void)
{
	return true;
}

static void show_progress(DebuginfodClient *client, long got, long all)
{
	uint64_t now_ns = clock_monotonic_ns();
	g_autoptr(GString) line = NULL;

	if (!client->shows_progress || now_ns - client->shown_ns < NS_PER_SECOND)
		return;
	client->shown_ns = now_ns;
	client->has_line = true;
	line = g_string_new(NULL);
	g_string_append_printf(line, "\r%s: fetching the debuginfo of ", g_get_prgname());
	escape_append(line, client->name);
	g_string_append_printf(line, ": %ld", got / BYTES_PER_MB);
	if (all > 0)
		g_string_append_printf(line, " of %ld", all / BYTES_PER_MB);
	fprintf(stderr, "%s MB", line->str);
	fflush(stderr);
}

/* Returns why the download is to end, owned by the caller; NULL: it goes on. */
static char *find_problem(const DebuginfodClient *client, long got, long all)
{
	uint64_t passed_ns = clock_monotonic_ns() - client->begin_ns;

	if ((uint64_t)MAX(got, 0) > client->bytes_max || (uint64_t)MAX(all, 0) > client->bytes_max)
		return g_strdup_printf("debuginfod: the file has more than %" G_GUINT64_FORMAT
				       " MB: set %s to allow more bytes",
				       client->bytes_max / BYTES_PER_MB, bytes_variable);
	if (passed_ns / NS_PER_SECOND >= client->seconds_max)
		return g_strdup_printf(
			"debuginfod: the download took longer than %" G_GUINT64_FORMAT
			" s: set %s to allow more seconds",
			client->seconds_max, seconds_variable);
	return stop_signal_is_pending() ? g_strdup("debuginfod: a signal ended the download")
					: NULL;
}

/* Called by libdebuginfod many times a second. A value other than 0 ends the download. */
static int look_at_progress(debuginfod_client *native, long got, long all)
{
	DebuginfodClient *client = library.get_user_data(native);

	show_progress(client, got, all);
	if (!client->problem)
		client->problem = find_problem(client, got, all);
	return client->problem != NULL;
}

/* Returns the number in a variable of the environment. */
static uint64_t limit_of(const char *variable, uint64_t otherwise)
{
	const char *text = g_getenv(variable);
	uint64_t number = text ? g_ascii_strtoull(text, NULL, 10) : 0;

	return number ? number : otherwise;
}

DebuginfodClient *debuginfod_client_new(const char *url, bool shows_progress, GError **error)
{
	DebuginfodClient *client;
	const char *urls = *url ? url : g_getenv(DEBUGINFOD_URLS_ENV_VAR);

	if (!urls || !*urls) {
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "--debuginfod: no server is known: use --debuginfod=URL or set "
			    "DEBUGINFOD_URLS");
		return NULL;
	}
	if (!debuginfod_client_load()) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
			    "--debuginfod needs the library " LIBRARY ": install libdebuginfod1 or "
			    "elfutils-debuginfod-client, or the debuginfo (--missing-debuginfo)");
		return NULL;
	}
	g_setenv(DEBUGINFOD_URLS_ENV_VAR, urls, TRUE);
	client = g_new0(DebuginfodClient, 1);
	client->client = library.begin();
	client->shows_progress = shows_progress;
	if (!client->client) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, LIBRARY " does not start");
		g_free(client);
		return NULL;
	}
	library.set_user_data(client->client, client);
	library.set_progressfn(client->client, look_at_progress);
	client->bytes_max = limit_of(bytes_variable, FETCH_BYTES_MAX);
	client->seconds_max = limit_of(seconds_variable, FETCH_S_MAX);
	return client;
}

void debuginfod_client_free(DebuginfodClient *client)
{
	if (!client)
		return;
	library.end(client->client);
	g_free(client->problem);
	g_free(client);
}

char *debuginfod_client_fetch(DebuginfodClient *client, const char *build_id, const char *name,
			      char **problem)
{
	char *path = NULL, *copy = NULL;
	int fd;

	client->name = name;
	client->begin_ns = client->shown_ns = clock_monotonic_ns();
	client->has_line = false;
	/* With length 0, the build id is hexadecimal. */
	fd = library.find_debuginfo(client->client, (const unsigned char *)build_id, 0, &path);
	if (client->has_line)
		fputc('\n', stderr);
	*problem = NULL;
	if (fd < 0) {
		/* We may have ended the download ourselves. */
		if (client->problem || fd == -ENOENT)
			*problem = g_steal_pointer(&client->problem);
		else
			*problem = g_strdup_printf("debuginfod: %s", g_strerror(-fd));
		return NULL;
	}
	close(fd);
	copy = g_strdup(path);
	free(path);
	return copy;
}

#else

bool debuginfod_client_is_built(void)
{
	return false;
}

DebuginfodClient *debuginfod_client_new(const char *url, bool shows_progress, GError **error)
{
	(void)url, (void)shows_progress;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
		    "--debuginfod: this build has no libdebuginfod: install the debuginfo "
		    "(--missing-debuginfo), or build with libdebuginfod-dev");
	return NULL;
}

void debuginfod_client_free(DebuginfodClient *client)
{
	(void)client;
}

char *debuginfod_client_fetch(DebuginfodClient *client, const char *build_id, const char *name,
			      char **problem)
{
	(void)client, (void)build_id, (void)name;
	*problem = NULL;
	return NULL;
}

#endif
