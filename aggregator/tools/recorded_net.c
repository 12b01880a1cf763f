/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/recorded_net.h"

#include "import/input.h"
#include "session/losses.h"
#include "names/cache_names.h"
#include "session/session.h"

enum { PAGE_BYTES = 4096 }; /* what slabs take is not looked at */

static void count_cells(const Session *session, NetCheck *check)
{
	g_autoptr(CacheNames) caches =
		cache_names_new(session->profile, session->info, session->text);

	for (uint32_t i = 0; i < profile_cell_count(session->profile); i++) {
		const ProfileCell *cell = profile_cell(session->profile, i);
		const ProfileOrigin *origin = profile_origin(session->profile, cell->origin);
		const char *name = cache_names_of(caches, origin).name;

		if (name)
			net_check_count(check, name, origin->free ? 0 : cell->events,
					origin->free ? cell->events : 0);
	}
}

static Slabinfo *reading_of(const Session *session, enum KmtReading reading)
{
	const GString *text = run_text_of(session->text, KMT_BATCH_SLABINFO, reading);

	return text ? slabinfo_new(text, PAGE_BYTES) : NULL;
}

NetCheck *recorded_net_check(const char *path, size_t memory_bytes_max)
{
	g_autoptr(Session) session = NULL;
	g_autoptr(NetCheck) check = NULL;
	g_autoptr(Slabinfo) end = NULL;
	NetReading reading;
	Losses losses;

	if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return NULL;
	session = session_new(memory_bytes_max);
	if (!input_read(path, session, NULL))
		return NULL;
	check = net_check_new((unsigned)run_info_number(session->info, KMT_FIELD_CPUS_ONLINE, 1));
	end = reading_of(session, KMT_READING_END);
	losses = losses_of(session);
	reading = (NetReading){ .slabinfo = end, .events_lost = losses_all(&losses).high };
	net_check_set_start(check, reading_of(session, KMT_READING_START));
	count_cells(session, check);
	net_check_judge(check, &reading);
	return g_steal_pointer(&check);
}
