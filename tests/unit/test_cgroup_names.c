/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"

#include "leaks.h"
#include "names/cgroup_names.h"
#include "record/batch_writer.h"
#include "session/session.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(cgroup_names);

#define ID "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809"
#define ID_IN "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00"
#define POD "pod3f0e9a52_1c1f_4d0e_9d8e_0a1b2c3d4e5f"

static const struct {
	const char *path;
	const char *label;
} labels[] = {
	{ "/", "/" },
	{ "/kmt-test", "/kmt-test" },
	{ "/a/b", "/a/b" },
	/* systemd's units */
	{ "/init.scope", "init.scope" },
	{ "/system.slice", "system.slice" },
	{ "/system.slice/sshd.service", "sshd.service" },
	{ "/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service" },
	{ "/system.slice/systemd-fsck@dev-disk-by\\x2dlabel-a.service",
	  "systemd-fsck@dev-disk-by\\\\x2dlabel-a.service" },
	{ "/system.slice/containerd.service/kubepods-x", "containerd.service" },
	{ "/system.slice/run-user-0.mount", "run-user-0.mount" },
	{ "/user.slice/user-1000.slice", "user-1000.slice" },
	{ "/user.slice/user-1000.slice/session-3.scope", "session-3.scope" },
	{ "/user.slice/user-1000.slice/user@1000.service/app.slice/app-x.scope",
	  "user@1000.service" },
	{ "/system.slice/.service", "/system.slice/.service" },
	{ "/a.service.d/b.service", "/a.service.d/b.service" },
	/* containers, managed by systemd */
	{ "/system.slice/docker-" ID ".scope", "docker:1a2b3c4d5e6f" },
	{ "/system.slice/docker-" ID ".scope/init.scope", "docker:1a2b3c4d5e6f" },
	{ "/machine.slice/libpod-" ID ".scope/container", "libpod:1a2b3c4d5e6f" },
	{ "/machine.slice/libpod-conmon-" ID ".scope", "libpod-conmon:1a2b3c4d5e6f" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope",
	  "libpod:1a2b3c4d5e6f" },
	{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-" POD
	  ".slice/cri-containerd-" ID ".scope",
	  "cri-containerd:1a2b3c4d5e6f" },
	{ "/kubepods.slice/kubepods-" POD ".slice/crio-" ID ".scope", "crio:1a2b3c4d5e6f" },
	{ "/kubepods.slice/kubepods-" POD ".slice/" ID, "kubepods:1a2b3c4d5e6f" },
	{ "/kubepods.slice/kubepods-" POD ".slice", "kubepods-" POD ".slice" },
	{ "/machine.slice/systemd-nspawn@debian.service/payload", "nspawn:debian" },
	{ "/machine.slice/machine-qemu\\x2d1\\x2dweb.scope", "machine:qemu\\\\x2d1\\\\x2dweb" },
	{ "/system.slice/machine-x.scope", "machine-x.scope" },
	/* containers, managed by their engine */
	{ "/docker/" ID, "docker:1a2b3c4d5e6f" },
	{ "/docker/" ID "/docker/" ID_IN, "docker:c0ffee00c0ff" },
	{ "/docker/buildkit", "/docker/buildkit" },
	{ "/libpod_parent/libpod-" ID, "libpod:1a2b3c4d5e6f" },
	{ "/kubepods/burstable/" POD "/" ID, "kubepods:1a2b3c4d5e6f" },
	{ "/kubepods/" POD "/" ID, "kubepods:1a2b3c4d5e6f" },
	{ "/ecs/0123/" ID, "ecs:1a2b3c4d5e6f" },
	{ "/lxc.payload.web/system.slice/cron.service", "lxc:web" },
	{ "/lxc.monitor.web", "lxc-monitor:web" },
	{ "/lxc/web", "lxc:web" },
	/* what only looks so */
	{ "/system.slice/docker-" ID, "/system.slice/docker-" ID },
	{ "/system.slice/docker-.scope", "docker-.scope" },
	{ "/system.slice/docker-1a2b.scope", "docker-1a2b.scope" },
	{ "/" ID, "/" ID },
	{ "/../other", "/../other" },
	{ "/a\033[2Jb", "/a\\x1b[2Jb" },
	{ "/system.slice/\033.service", "\\x1b.service" },
	{ "/lxc/\033", "lxc:\\x1b" },
	{ "//", "//" },
	{ "", "" },
};

Test(cgroup_names, it_is_what_people_say)
{
	for (size_t i = 0; i < G_N_ELEMENTS(labels); i++) {
		g_autoptr(GString) label = g_string_new("in ");

		cgroup_label_append(label, labels[i].path, false);
		cr_expect_str_eq(label->str + 3, labels[i].label, "%s: %s", labels[i].path,
				 label->str);
	}
}

Test(cgroup_names, the_whole_path_is_only_escaped)
{
	g_autoptr(GString) label = g_string_new(NULL);

	cgroup_label_append(label, "/docker/" ID "/\n", true);
	cr_expect_str_eq(label->str, "/docker/" ID "/\\x0a");
}

/* A label of a path with half a million folders takes minutes. */
Test(cgroup_names, a_path_that_no_kernel_has_is_left_out)
{
	enum { KERNEL_MAX = 4096 };
	g_autoptr(Session) session = session_new(16 << 20);
	g_autofree char *longest = g_strnfill(KERNEL_MAX, '/');
	g_autofree char *lines = g_strdup_printf("7 %s\n8 %s/\n", longest, longest);
	g_autoptr(CgroupNames) names = NULL;

	made_session_feed_text(session, KMT_BATCH_CGROUPS, lines);
	names = cgroup_names_new(session->text);
	cr_expect_str_eq(cgroup_names_path(names, 7), longest);
	cr_expect_null(cgroup_names_path(names, 8));
}
