/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/option_completion.h"

#include "tools/tool.h"

#include "fake_host.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(option_completion);

static const ToolStream stream = { NULL, NULL, NULL };
static const Tool tools[] = {
	{ .name = "kmalloc-top", .bit = TOOL_KMALLOC_TOP, .report = REPORT_STACKS },
	{ .name = "slabstack", .bit = TOOL_SLABSTACK, .report = REPORT_SLABSTACK },
	{ .name = "slabratetop", .bit = TOOL_SLABRATETOP, .caches_only = true, .stream = &stream },
	{ .name = "stack-top", .bit = TOOL_STACK_TOP, .report = REPORT_STACKS },
};

/* A host with names that a shell would not take as they are. */
static FakeHost *host_with_names(void)
{
	FakeHost *host = fake_host_new();

	fake_host_add_folder(host, "sys/kernel/slab/dentry");
	fake_host_add_folder(host, "sys/kernel/slab/kmalloc-1k");
	fake_host_add_folder(host, "sys/kernel/slab/:0000064");
	fake_host_write(host, "proc/slabinfo",
			"slabinfo - version: 2.1\n# name <active_objs>\ndentry 1 2\nfilp 3 4\n");
	fake_host_write_of_process(host, 7, "comm", "sshd\n");
	fake_host_write_of_process(host, 7, "cgroup", "0::/system.slice/sshd.service\n");
	fake_host_write_of_process(host, 8, "comm", "$(reboot)\n");
	fake_host_write_of_process(host, 8, "cgroup", "0::/\n");
	fake_host_write_of_process(host, 9, "comm", "a\tb c\n");
	fake_host_write_of_process(host, 9, "cgroup", "3:cpu:/`x`\n");
	fake_host_write_of_process(host, 10, "comm", "sshd\n");
	fake_host_write_of_process(host, 11, "comm", "\033[2J\n");
	fake_host_write_of_process(host, 11, "cgroup", "0::/a\033[2J.slice/b.service\n");
	fake_host_write(host, "sys/kernel/tracing/available_events",
			"vmscan:mm_vmscan_kswapd_wake\nkmem:kmalloc\n");
	return host;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the answers as they are printed. words: divided by '|'. The caller frees them with
 * free(). */
static char *answers_to(const FakeHost *host, const char *name, const char *words)
{
	char *const none[] = { (char *)"", NULL };
	/* g_strsplit() has no part of an empty text. */
	g_auto(GStrv) split = *words ? g_strsplit(words, "|", -1) : g_strdupv((char **)none);
	const Tool *tool = tools;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	while (!g_str_equal(tool->name, name))
		tool++;
	option_completion_print(tool, host, split, out);
	fclose(out);
	return text;
}

/* Returns the first words of the answers, sorted, joined by blanks. */
static char *completed(const FakeHost *host, const char *name, const char *words)
{
	char *text = answers_to(host, name, words);
	g_auto(GStrv) answers = g_strsplit(g_strchomp(text), "\n", -1);

	free(text);
	for (char **answer = answers; *answer; answer++)
		(*answer)[strcspn(*answer, "\t")] = '\0';
	qsort(answers, g_strv_length(answers), sizeof(char *), compare_lines);
	return g_strjoinv(" ", answers);
}

static const struct {
	const char *tool;
	const char *words; /* "" for one that is new */
	const char *answers;
} lines[] = {
	/* Options, and those of this command alone. */
	{ "kmalloc-top", "--min-b", "--min-bytes=" },
	{ "kmalloc-top", "--on", "--only-command" },
	{ "slabratetop", "--min-b", "" },
	{ "slabratetop", "--ro", "--rows=" },
	{ "kmalloc-top", "--debuginfod", "--debuginfod" },
	/* Values, attached or not. */
	{ "kmalloc-top", "--sort=req", "--sort=requested" },
	{ "kmalloc-top", "-s|req", "requested" },
	{ "kmalloc-top", "-qs|req", "requested" },
	{ "kmalloc-top", "--sort|req", "requested" },
	{ "kmalloc-top", "-e|-s|req", "" },
	{ "kmalloc-top", "--stacks=", "--stacks=full --stacks=none" },
	{ "kmalloc-top", "--per=e", "--per=event" },
	{ "kmalloc-top", "--collector|", "auto perf stap" },
	{ "kmalloc-top", "--import=allocinf", "--import=allocinfo" },
	{ "kmalloc-top", "--format=pr", "" },
	{ "slabratetop", "--format=pr", "--format=prometheus" },
	{ "kmalloc-top", "--nonsense=", "" },
	{ "kmalloc-top", "--human=", "" },
	/* Lists: what stands before the last comma remains. */
	{ "kmalloc-top", "--by=process,modu", "--by=process,module" },
	{ "kmalloc-top", "--by|process,modu", "process,module" },
	{ "kmalloc-top", "--events=+cac", "--events=+cache" },
	{ "kmalloc-top", "--events=kmalloc,cac", "--events=kmalloc,cache" },
	{ "slabratetop", "--events=pag", "" },
	{ "slabratetop", "--columns=ca", "--columns=+cache" },
	{ "slabratetop", "--columns=+bytes,+ca", "--columns=+bytes,+cache" },
	/* Names of the host. */
	{ "slabstack", "", "dentry filp kmalloc-1k" },
	{ "slabstack", "den", "dentry" },
	{ "slabstack", "dentry,f", "dentry,filp" },
	{ "slabratetop", "--cache=filp,d", "--cache=filp,dentry" },
	{ "kmalloc-top", "", "" },
	{ "kmalloc-top", "--process=", "--process=sshd" },
	{ "kmalloc-top", "-p|7,", "7,10 7,11 7,7 7,8 7,9" },
	{ "kmalloc-top", "--cgroup=", "--cgroup=b.service --cgroup=sshd.service" },
	{ "stack-top", "t:vm", "t:vmscan:mm_vmscan_kswapd_wake" },
	/* No presets here: they may be installed or not. */
	{ "stack-top", "--begin=k", "--begin=k: --begin=kr:" },
	{ "stack-top", "--begin=us", "--begin=usdt:" },
	/* What the shell knows. */
	{ "kmalloc-top", "-i|gr", ":file .kmr" },
	{ "kmalloc-top", "--output=", ":file" },
	{ "kmalloc-top", "-u|ro", ":user" },
	{ "kmalloc-top", "--source-path|", ":folder" },
	{ "kmalloc-top", "-c|", ":command" },
	{ "kmalloc-top", "-q|--|tar|-c", ":command 2" },
	{ "kmalloc-top", "-e|--|--min-b", "--min-bytes=" },
};

Test(option_completion, candidates_are_what_the_command_takes_there)
{
	g_autoptr(FakeHost) host = host_with_names();

	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autofree char *answers = completed(host, lines[i].tool, lines[i].words);

		cr_expect_str_eq(answers, lines[i].answers, "%s %s: %s", lines[i].tool,
				 lines[i].words, answers);
	}
}

Test(option_completion, names_that_anybody_can_give_are_escaped)
{
	g_autoptr(FakeHost) host = host_with_names();
	char *pids = answers_to(host, "kmalloc-top", "-p|");
	char *cgroups = answers_to(host, "kmalloc-top", "--cgroup=b");

	cr_expect_not_null(strstr(pids, "11\t\\x1b[2J\n"), "%s", pids);
	cr_expect_str_eq(cgroups, "--cgroup=b.service\t/a\\x1b[2J.slice/b.service\n");
	free(pids);
	free(cgroups);
}

Test(option_completion, no_word_is_no_error)
{
	char *const none[] = { NULL };
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	option_completion_print(&tools[0], "", none, out);
	fclose(out);
	cr_expect_str_eq(text, "");
	free(text);
}

Test(option_completion, a_host_without_files_has_no_names)
{
	g_autoptr(FakeHost) host = fake_host_new();
	g_autofree char *caches = completed(host, "slabstack", "");
	g_autofree char *processes = completed(host, "kmalloc-top", "--process=");

	cr_expect_str_eq(caches, "");
	cr_expect_str_eq(processes, "");
}
