/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "collect/tasks/cgroup_paths.h"

#include "collect/tasks/task_proc.h"
#include "event_batch.h"
#include "made_session.h"
#include "fake_host.h"
#include "leaks.h"
#include "names/cgroup_names.h"
#include "session/session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(cgroup_paths);

enum { PLENTY = 64 << 20, GONE_ID = 0x7ffffff0 };

static const char v2_only[] = "30 1 0:26 / /cg rw shared:4 - cgroup2 cgroup2 rw\n";
static const char v1_only[] = "32 30 0:28 / /mem rw shared:10 - cgroup cgroup rw,memory\n";
static const char part_of_v2[] = "30 1 0:26 /docker/1a /cg rw shared:4 - cgroup2 cgroup2 rw\n";

/* A host with cgroups that are plain folders, and what a stream of it says. */
typedef struct {
	FakeHost *root;
	Session *session;
	CgroupPaths *paths;
	GByteArray *stream;
} Host;

static Host host_new(const char *mounts, const char *const *folders)
{
	Host host = {
		.root = fake_host_new(),
		.session = session_new(PLENTY),
		.stream = g_byte_array_new(),
	};

	fake_host_set_cgroups(host.root, mounts, folders);
	host.paths = cgroup_paths_new(host.root);
	session_add_sink(host.session, cgroup_paths_take, host.paths);
	return host;
}
#define HOST(mounts, ...) host_new(mounts, (const char *const[]){ __VA_ARGS__, NULL })

static void host_clear(Host *host)
{
	session_remove_sink(host->session, cgroup_paths_take);
	cgroup_paths_free(host->paths);
	g_byte_array_unref(host->stream);
	session_free(host->session);
	fake_host_free(host->root);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Host, host_clear)

static void feed(Host *host)
{
	made_session_feed(host->session, host->stream);
	g_byte_array_set_size(host->stream, 0);
}

/* An allocation by a task of that cgroup. */
static void allocate_in(Host *host, uint32_t tgid, uint64_t cgroup_id)
{
	static const uint32_t frames[] = { 0x81000210 };
	EventBatch batch = event_batch_begin(host->stream, 0, 0, 1000);
	guint at = host->stream->len;

	event_batch_task(&batch, tgid, "httpd");
	((struct KmtTask *)(void *)(host->stream->data + at))->cgroup_id = cgroup_id;
	event_batch_event(&batch, KMT_RECORD_ALLOC, event_batch_origin(&batch, frames, 1, 8, 8), 0,
			  KMT_CONTEXT_TASK, 0x1000);
	event_batch_end(&batch, 1);
	feed(host);
}

static bool look(Host *host)
{
	bool found = cgroup_paths_update(host->paths, host->stream);

	feed(host);
	return found;
}

static bool look_last(Host *host)
{
	bool found = cgroup_paths_finish(host->paths, host->stream);

	feed(host);
	return found;
}

static void expect_path(const Host *host, uint64_t id, const char *path)
{
	g_autoptr(CgroupNames) names = cgroup_names_new(host->session->text);

	cr_expect(eq(str, (char *)cgroup_names_path(names, id), (char *)path));
}

static void expect_no_path(const Host *host, uint64_t id)
{
	g_autoptr(CgroupNames) names = cgroup_names_new(host->session->text);

	cr_expect_null(cgroup_names_path(names, id));
}

Test(cgroup_paths, a_live_process_shows_its_own)
{
	g_auto(Host) host = HOST(v2_only, "cg/a.slice/b c");
	uint64_t id = fake_host_cgroup_id(host.root, "cg/a.slice/b c");

	fake_host_write_of_process(host.root, 7, "cgroup", "0::/a.slice/b c\n");
	allocate_in(&host, 7, id);
	cr_expect(look(&host));
	expect_path(&host, id, "/a.slice/b c");
}

Test(cgroup_paths, a_cgroup_is_looked_for_once)
{
	g_auto(Host) host = HOST(v2_only, "cg/a");
	uint64_t id = fake_host_cgroup_id(host.root, "cg/a");

	fake_host_write_of_process(host.root, 7, "cgroup", "0::/a\n");
	allocate_in(&host, 7, id);
	cr_expect(look(&host));
	cr_expect(not(look(&host)));
	allocate_in(&host, 8, id);
	cr_expect(not(look(&host)));
	cr_expect(not(look_last(&host)));
}

Test(cgroup_paths, the_id_decides_where_a_process_moved_on)
{
	g_auto(Host) host = HOST(v2_only, "cg/a/old", "cg/new");
	uint64_t id = fake_host_cgroup_id(host.root, "cg/a/old");

	fake_host_write_of_process(host.root, 7, "cgroup", "0::/new\n");
	allocate_in(&host, 7, id);
	look(&host);
	look_last(&host);
	expect_path(&host, id, "/a/old");
}

Test(cgroup_paths, the_processes_may_be_gone)
{
	g_auto(Host) host = HOST(v1_only, "mem/a/b");
	uint64_t id = fake_host_cgroup_id(host.root, "mem/a/b"),
		 root_id = fake_host_cgroup_id(host.root, "mem");

	allocate_in(&host, 7, id);
	allocate_in(&host, 8, root_id);
	allocate_in(&host, 9, GONE_ID);
	look(&host);
	look_last(&host);
	expect_path(&host, id, "/a/b");
	expect_path(&host, root_id, "/");
	expect_no_path(&host, GONE_ID);
}

/* From here on this process opens nothing by its handle, as in a container. */
static void give_up_handles(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	cr_assert_eq(syscall(SYS_capget, &header, sets), 0);
	sets[0].effective &= ~(1U << CAP_DAC_READ_SEARCH);
	cr_assert_eq(syscall(SYS_capset, &header, sets), 0);
}

Test(cgroup_paths, without_handles_folders_are_walked_at_the_end)
{
	give_up_handles();
	g_auto(Host) host = HOST(v2_only, "cg/a/b", "cg/c/d/e", "cg/f");
	uint64_t id = fake_host_cgroup_id(host.root, "cg/c/d/e");

	allocate_in(&host, 7, id);
	allocate_in(&host, 8, GONE_ID);
	cr_expect(not(look(&host)));
	cr_expect(look_last(&host));
	expect_path(&host, id, "/c/d/e");
	expect_no_path(&host, GONE_ID);
}

Test(cgroup_paths, without_handles_another_process_may_show_it)
{
	give_up_handles();
	g_auto(Host) host = HOST(v2_only, "cg/a");
	uint64_t id = fake_host_cgroup_id(host.root, "cg/a");

	allocate_in(&host, 7, id);
	cr_expect(not(look(&host)));
	fake_host_write_of_process(host.root, 8, "cgroup", "0::/a\n");
	allocate_in(&host, 8, id);
	cr_expect(look(&host));
	expect_path(&host, id, "/a");
}

Test(cgroup_paths, what_is_mounted_need_not_be_the_root)
{
	g_auto(Host) host = HOST(part_of_v2, "cg/in");
	uint64_t id = fake_host_cgroup_id(host.root, "cg/in"),
		 top_id = fake_host_cgroup_id(host.root, "cg");

	allocate_in(&host, 7, id);
	allocate_in(&host, 8, top_id);
	look(&host);
	look_last(&host);
	expect_path(&host, id, "/docker/1a/in");
	expect_path(&host, top_id, "/docker/1a");
}

Test(cgroup_paths, where_nothing_is_mounted_ids_stay_alone)
{
	g_auto(Host) host = HOST("", "cg");

	fake_host_write_of_process(host.root, 7, "cgroup", "0::/a\n");
	allocate_in(&host, 7, 99);
	allocate_in(&host, 8, 0);
	cr_expect(not(look(&host)));
	cr_expect(not(look_last(&host)));
}

Test(cgroup_paths, a_name_with_a_line_end_is_not_recorded)
{
	g_auto(Host) host = HOST(v2_only, "cg/a\n5 /etc");
	uint64_t id = fake_host_cgroup_id(host.root, "cg/a\n5 /etc");

	allocate_in(&host, 7, id);
	look(&host);
	cr_expect(not(look_last(&host)));
	expect_no_path(&host, id);
	expect_no_path(&host, 5);
}

Test(cgroup_paths, handles_lead_to_folders_below)
{
	g_auto(Host) host = HOST(v2_only, "cg/a", "cgroup", "xy/a");
	uint64_t below = fake_host_cgroup_id(host.root, "cg/a"),
		 self = fake_host_cgroup_id(host.root, "cg");
	uint64_t longer = fake_host_cgroup_id(host.root, "cgroup"),
		 other = fake_host_cgroup_id(host.root, "xy/a");
	g_autofree char *expected = NULL;
	const GString *written;

	allocate_in(&host, 7, below);
	allocate_in(&host, 8, self);
	allocate_in(&host, 9, longer);
	allocate_in(&host, 10, other);
	if (!look(&host))
		cr_skip("the file system of the tests gives no handles like those of cgroups, or "
			"this user may not open them");
	expected =
		g_strdup_printf("%" G_GUINT64_FORMAT " /a\n%" G_GUINT64_FORMAT " /\n", below, self);
	written = run_text_of(host.session->text, KMT_BATCH_CGROUPS, 0);
	cr_expect(eq(str, written->str, expected));
}

Test(cgroup_paths, of_this_host_they_are_found)
{
	g_autoptr(TaskCgroups) cgroups = task_cgroups_new("");
	uint64_t id = task_cgroups_of(cgroups, (uint32_t)getpid());
	g_autofree char *path = task_cgroups_path_of(cgroups, (uint32_t)getpid(), id);
	g_auto(Host) host = HOST("", "");

	if (!id)
		cr_skip("no hierarchy of cgroups is mounted here");
	session_remove_sink(host.session, cgroup_paths_take);
	cgroup_paths_free(host.paths);
	host.paths = cgroup_paths_new("");
	session_add_sink(host.session, cgroup_paths_take, host.paths);
	allocate_in(&host, 0, id);
	look(&host);
	look_last(&host);
	expect_path(&host, id, path);
}
