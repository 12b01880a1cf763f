/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/tasks/task_proc.h"

#include "fake_host.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(task_cgroup);

static const char v2_only[] = "23 1 0:20 / /proc rw shared:5 - proc proc rw\n"
			      "30 1 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n";
static const char v1_only[] =
	"30 1 0:26 / /cg ro - tmpfs tmpfs ro\n"
	"31 30 0:27 / /cg/cpu,cpuacct rw shared:9 master:2 - cgroup cgroup rw,cpu,cpuacct\n"
	"32 30 0:28 / /cg/memory rw shared:10 - cgroup cgroup rw,memory\n";
static const char hybrid[] = "31 30 0:27 / /cg/unified rw - cgroup2 cgroup2 rw,nsdelegate\n"
			     "32 30 0:28 / /cg/memory rw - cgroup cgroup rw,memory\n";

typedef struct {
	FakeHost *root;
	TaskCgroups *cgroups;
} Host;

static Host host_new(const char *mounts, const char *const *folders)
{
	Host host = { .root = fake_host_new() };

	fake_host_set_cgroups(host.root, mounts, folders);
	host.cgroups = task_cgroups_new(host.root);
	return host;
}
#define HOST(mounts, ...) host_new(mounts, (const char *const[]){ __VA_ARGS__, NULL })

static void host_clear(Host *host)
{
	task_cgroups_free(host->cgroups);
	fake_host_free(host->root);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Host, host_clear)

static uint64_t id_of(const Host *host, const char *lines)
{
	fake_host_write_of_process(host->root, 7, "cgroup", lines);
	return task_cgroups_of(host->cgroups, 7);
}

Test(task_cgroup, of_v2_it_is_the_folder)
{
	g_auto(Host) host = HOST(v2_only, "sys/fs/cgroup/a.slice/b: c.service");

	cr_expect(eq(u64, id_of(&host, "0::/a.slice\n"),
		     fake_host_cgroup_id(host.root, "sys/fs/cgroup/a.slice")));
	cr_expect(eq(u64, id_of(&host, "0::/a.slice/b: c.service\n"),
		     fake_host_cgroup_id(host.root, "sys/fs/cgroup/a.slice/b: c.service")));
	cr_expect(eq(u64, id_of(&host, "0::/\n"), fake_host_cgroup_id(host.root, "sys/fs/cgroup")));
	cr_expect(eq(u64, task_cgroups_outermost(host.cgroups),
		     fake_host_cgroup_id(host.root, "sys/fs/cgroup")));
}

Test(task_cgroup, of_v1_it_is_the_memory_controllers)
{
	g_auto(Host) host = HOST(v1_only, "cg/memory/m", "cg/cpu,cpuacct/c");

	cr_expect(eq(u64, id_of(&host, "4:cpu,cpuacct:/c\n3:memory:/m\n1:name=systemd:/x\n"),
		     fake_host_cgroup_id(host.root, "cg/memory/m")));
	cr_expect(eq(u64, id_of(&host, "4:cpu,cpuacct:/c\n3:memory:/\n"),
		     fake_host_cgroup_id(host.root, "cg/memory")));
	cr_expect(eq(u64, id_of(&host, "4:cpu,cpuacct:/c\n1:name=memory:/m\n"), 0));
	cr_expect(eq(u64, task_cgroups_outermost(host.cgroups),
		     fake_host_cgroup_id(host.root, "cg/memory")));
}

Test(task_cgroup, of_both_it_is_v2_unless_at_its_root)
{
	g_auto(Host) host = HOST(hybrid, "cg/memory/m", "cg/unified/u");

	cr_expect(eq(u64, id_of(&host, "3:memory:/m\n0::/u\n"),
		     fake_host_cgroup_id(host.root, "cg/unified/u")));
	cr_expect(eq(u64, id_of(&host, "3:memory:/m\n0::/\n"),
		     fake_host_cgroup_id(host.root, "cg/memory/m")));
	/* What a perf sample says is taken on the same terms. */
	cr_expect(task_cgroups_agree(host.cgroups, 4711));
	cr_expect(not(task_cgroups_agree(host.cgroups, TASK_CGROUP_ROOT_ID)));
}

Test(task_cgroup, the_root_of_v2_is_right_where_memory_has_no_other)
{
	g_auto(Host) host = HOST(v2_only, "sys/fs/cgroup");

	cr_expect(task_cgroups_agree(host.cgroups, TASK_CGROUP_ROOT_ID));
}

Test(task_cgroup, only_what_is_mounted_is_looked_at)
{
	g_auto(Host) host = HOST("30 1 0:26 /docker/a\\040b /mnt/c\\040g rw - cgroup2 cgroup2 rw\n",
				 "mnt/c g/in", "mnt/c gin");

	cr_expect(eq(u64, id_of(&host, "0::/docker/a b/in\n"),
		     fake_host_cgroup_id(host.root, "mnt/c g/in")));
	cr_expect(eq(u64, id_of(&host, "0::/docker/a b\n"),
		     fake_host_cgroup_id(host.root, "mnt/c g")));
	cr_expect(eq(u64, id_of(&host, "0::/docker/a bin\n"), 0));
	cr_expect(eq(u64, id_of(&host, "0::/in\n"), 0));
}

Test(task_cgroup, a_path_out_of_the_namespace_leads_nowhere)
{
	g_auto(Host) host = HOST(v2_only, "sys/fs/other", "sys/fs/cgroup/..dotted");

	cr_expect(eq(u64, id_of(&host, "0::/../other\n"), 0));
	cr_expect(eq(u64, id_of(&host, "0::/..\n"), 0));
	cr_expect(eq(u64, id_of(&host, "0::/..dotted\n"),
		     fake_host_cgroup_id(host.root, "sys/fs/cgroup/..dotted")));
}

Test(task_cgroup, what_is_gone_or_odd_is_not_known)
{
	g_auto(Host) host = HOST(v2_only, "sys/fs/cgroup");

	cr_expect(eq(u64, task_cgroups_of(host.cgroups, 8), 0));
	cr_expect(eq(u64, id_of(&host, "0::/a.slice (deleted)\n"), 0));
	cr_expect(eq(u64, id_of(&host, ""), 0));
	cr_expect(eq(u64, id_of(&host, "0\n::\n0:\n"), 0));
}

Test(task_cgroup, a_host_without_cgroups_has_none)
{
	g_auto(Host) host = HOST("cut\n31 30 0:27 / /cg - cgroup2\n", "cg");

	cr_expect(eq(u64, id_of(&host, "0::/\n"), 0));
	cr_expect(eq(u64, task_cgroups_outermost(host.cgroups), 0));
}

static bool sample_is_usable_with(const char *lines)
{
	g_autoptr(FakeHost) root = fake_host_new();

	fake_host_write(root, "proc/self/cgroup", lines);
	return task_cgroup_sample_is_usable(root);
}

Test(task_cgroup, samples_have_v2_unless_perf_event_has_a_hierarchy)
{
	cr_expect(sample_is_usable_with("0::/user.slice\n"));
	cr_expect(sample_is_usable_with("3:memory:/\n0::/\n"));
	cr_expect(not(sample_is_usable_with("3:perf_event:/\n0::/\n")));
	cr_expect(not(sample_is_usable_with("5:cpuset,perf_event:/\n0::/\n")));
	cr_expect(not(sample_is_usable_with("")));
}
