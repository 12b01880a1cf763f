/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/stap/stap_start.h"

#include "fake_host.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

TEST_SUITE_WITHOUT_LEAKS(stap_start);

/* A host with a staprun that removes what it is asked to. */
typedef struct {
	FakeHost *root;
	char *sys;
	char *staprun;
	char *gone; /* a leftover: of a name that no other test has, whose staprun may be seen */
} Host;

static void count_gone(const Host *host, const char *references)
{
	fake_host_load_module(host->root, host->gone, references, true);
}

static Host host_new(void)
{
	Host host = { .root = fake_host_new() };
	g_autofree char *script = g_strdup_printf(
		"#!/bin/sh\necho $2 >>%s/removed\nrm -r %s/sys/module/$2\n", host.root, host.root);

	host.sys = g_build_filename(host.root, "sys", NULL);
	host.staprun = fake_host_add_program(host.root, "staprun", script);
	host.gone = g_strdup_printf("kmt_%d", (int)getpid());
	count_gone(&host, "0\n");
	fake_host_load_module(host.root, "kmt_live", "3\n", true);
	/* Of that name, but somebody else's. */
	fake_host_load_module(host.root, "kmt_driver", "0\n", false);
	return host;
}

static void host_clear(Host *host)
{
	fake_host_free(host->root);
	g_free(host->sys);
	g_free(host->staprun);
	g_free(host->gone);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Host, host_clear)

static char *removed(const Host *host)
{
	char *text = fake_host_read(host->root, "removed");

	return text ? g_strchomp(text) : g_strdup("");
}

static int lock(const Host *host, int operation)
{
	int fd = open(host->staprun, O_RDONLY | O_CLOEXEC);

	cr_assert(zero(int, flock(fd, operation)));
	return fd;
}

Test(stap_start, a_start_removes_them)
{
	g_auto(Host) host = host_new();
	StapStart start = stap_start_begin(host.staprun, host.sys, host.root);
	g_autofree char *names = removed(&host);

	cr_expect(start.alone);
	cr_expect(eq(str, names, host.gone));
	stap_start_end(&start);
	stap_start_end(&start);
}

Test(stap_start, a_start_beside_another_removes_none)
{
	g_auto(Host) host = host_new();
	StapStart first, second;
	g_autofree char *names = NULL;

	count_gone(&host, "1\n");
	first = stap_start_begin(host.staprun, host.sys, host.root);
	/* Its module, not opened yet. */
	count_gone(&host, "0\n");
	second = stap_start_begin(host.staprun, host.sys, host.root);
	names = removed(&host);
	cr_expect(not(second.alone));
	cr_expect(eq(str, names, (char *)""));
	stap_start_end(&first);
	stap_start_end(&second);
}

Test(stap_start, a_start_that_is_over_does_not_hinder_the_next)
{
	g_auto(Host) host = host_new();
	StapStart start = stap_start_begin(host.staprun, host.sys, host.root);
	int fd = open(host.staprun, O_RDONLY | O_CLOEXEC);

	cr_expect(ne(int, flock(fd, LOCK_EX | LOCK_NB), 0));
	stap_start_end(&start);
	cr_expect(zero(int, flock(fd, LOCK_EX | LOCK_NB)));
	close(fd);
}

/* Whoever may read staprun can do this. */
Test(stap_start, somebody_elses_lock_does_not_hinder_a_start_for_long, .timeout = 60)
{
	g_auto(Host) host = host_new();
	int fd = lock(&host, LOCK_EX);
	StapStart start = stap_start_begin(host.staprun, host.sys, host.root);
	g_autofree char *names = removed(&host);

	cr_expect(not(start.alone));
	cr_expect(eq(str, names, (char *)""));
	stap_start_end(&start);
	close(fd);
}

/* What the setting is after a start during which staprun makes it 1. */
static char *kptr_restrict_after(const char *before)
{
	static const char setting[] = "proc/sys/kernel/kptr_restrict";
	g_auto(Host) host = host_new();
	StapStart start;

	fake_host_write(host.root, setting, before);
	start = stap_start_begin(host.staprun, host.sys, host.root);
	fake_host_write(host.root, setting, "1\n");
	stap_start_end(&start);
	return fake_host_read(host.root, setting);
}

Test(stap_start, what_staprun_lowers_is_put_back)
{
	g_autofree char *hidden = kptr_restrict_after("2\n");
	g_autofree char *by_right = kptr_restrict_after("1\n");
	g_autofree char *shown = kptr_restrict_after("0\n");

	cr_expect(eq(str, hidden, (char *)"2\n"));
	cr_expect(eq(str, by_right, (char *)"1\n"));
	/* Not ours: staprun does not raise it. */
	cr_expect(eq(str, shown, (char *)"1\n"));
}
