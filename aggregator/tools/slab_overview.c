/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/slab_overview.h"

#include "collect/slab_facts.h"
#include "record/batch_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define SECONDS_DEFAULT 1.0

static bool is_readable(GError **error)
{
	int file = open("/proc/slabinfo", O_RDONLY | O_CLOEXEC);
	int code = errno;

	if (file >= 0) {
		close(file);
		return true;
	}
	g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "/proc/slabinfo: %s: %s",
		    g_strerror(code),
		    code == EACCES ? "only root may read it, as with sudo"
				   : "this kernel lists no caches; name one: slabstack CACHE");
	return false;
}

static void read_page_size(Session *session)
{
	const InfoField field = { KMT_FIELD_PAGE_BYTES, (uint64_t)sysconf(_SC_PAGESIZE), NULL };
	g_autoptr(GByteArray) facts = g_byte_array_new();

	batch_write_info(facts, &field, 1);
	session_feed(session, facts->data, facts->len);
}

static void read_once(Session *session, enum KmtReading reading)
{
	g_autoptr(GByteArray) facts = g_byte_array_new();

	slab_facts_append(facts, "", reading);
	session_feed(session, facts->data, facts->len);
}

bool slab_overview_read(const Options *options, Session *session, GError **error)
{
	double seconds = options->request.duration_seconds;

	if (!is_readable(error))
		return false;
	read_page_size(session);
	read_once(session, KMT_READING_START);
	g_usleep((gulong)((seconds > 0 ? seconds : SECONDS_DEFAULT) * G_USEC_PER_SEC));
	read_once(session, KMT_READING_END);
	session_finish(session);
	return true;
}
