/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/stap/stap_messages.h"

#include "collect/facts/stap_tool.h"
#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(stap_messages);

static void collect(const char *line, void *user_data)
{
	g_string_append_printf(user_data, "%s\n", line);
}

/* What was understood of a text, fed in chunks. */
typedef struct {
	StapMessages *messages;
	GString *passed;
} Reading;

static Reading read_text(const char *text, gsize chunk)
{
	Reading reading = { .passed = g_string_new(NULL) };
	gsize length = strlen(text);

	reading.messages = stap_messages_new(collect, reading.passed);
	stap_messages_set_pair(reading.messages, "6.1.0-56-amd64",
			       "4.8/0.188, Debian version 4.8-2");
	for (gsize i = 0; i < length; i += chunk)
		stap_messages_feed(reading.messages, text + i, MIN(chunk, length - i));
	stap_messages_finish(reading.messages);
	return reading;
}

static void reading_clear(Reading *reading)
{
	stap_messages_free(reading->messages);
	g_string_free(reading->passed, TRUE);
}

typedef struct {
	const char *text;
	uint64_t skipped, errors, transport_failures, lost_messages, lost_bytes;
} LossCase;

static const LossCase losses[] = {
	{ "WARNING: Number of errors: 2, skipped probes: 101\n", 101, 2, 0, 0, 0 },
	{ "Number of errors: 0, skipped probes: 5", 5, 0, 0, 0, 0 },
	{ "\033[1;35mWARNING:\033[m Number of errors: 0, skipped probes: 5\n", 5, 0, 0, 0, 0 },
	{ "WARNING: There were 12 transport failures.\n", 0, 0, 12, 0, 0 },
	{ "WARNING: There were 12 transport failures. Try stap -s to increase the buffer size from "
	  "16.\n",
	  0, 0, 12, 0, 0 },
	{ "WARNING: There were 3 lost messages and 900 lost bytes.\n", 0, 0, 0, 3, 900 },
	{ "WARNING: There were 3 lost messages, 900 lost bytes, and 1 unexpected sequences.\n", 0,
	  0, 0, 3, 900 },
	{ "staprun:reader_thread:204: ERROR: bufhdr read error, attempting resync: Success\n"
	  "staprun:reader_thread:211: ERROR: bufhdr corrupt, attempting resync: Success\n",
	  0, 0, 0, 2, 0 },
	{ "WARNING: Skipped due to low stack: 3\n"
	  "WARNING: Skipped due to reentrancy: 4\n"
	  "WARNING: Skipped due to global 'x' lock timeout: 5\n"
	  "WARNING: Skipped due to missed kprobe on 'kernel.function(\"f\")': 6\n"
	  "WARNING: Skipped due to missed kretprobe/1 on 'kernel.function(\"f\").return': 7\n",
	  25, 0, 0, 0, 0 },
	{ "WARNING: Skipped due to reentrancy: 4\nWARNING: Number of errors: 0, skipped probes: "
	  "4\n",
	  4, 0, 0, 0, 0 },
};

Test(stap_messages, losses_become_numbers_in_any_chunking)
{
	for (guint i = 0; i < G_N_ELEMENTS(losses); i++) {
		for (gsize chunk = 1; chunk < 80; chunk += 26) {
			Reading reading = read_text(losses[i].text, chunk);
			StapMessageTotals totals = stap_messages_totals(reading.messages);

			cr_expect_eq(totals.skipped, losses[i].skipped, "%s", losses[i].text);
			cr_expect_eq(totals.errors, losses[i].errors, "%s", losses[i].text);
			cr_expect_eq(totals.transport_failures, losses[i].transport_failures, "%s",
				     losses[i].text);
			cr_expect_eq(totals.lost_messages, losses[i].lost_messages, "%s",
				     losses[i].text);
			cr_expect_eq(totals.lost_bytes, losses[i].lost_bytes, "%s", losses[i].text);
			cr_expect_null(totals.failure, "%s", losses[i].text);
			cr_expect_eq(reading.passed->len, 0, "%s", reading.passed->str);
			reading_clear(&reading);
		}
	}
}

Test(stap_messages, a_whole_run_is_added_up)
{
	g_autofree char *text = test_data("stap", "run_losses_5_6.txt");
	Reading reading = read_text(text, 7);
	StapMessageTotals totals = stap_messages_totals(reading.messages);

	cr_expect_eq(totals.skipped, 3);
	cr_expect_eq(totals.transport_failures, 5);
	cr_expect_eq(totals.lost_messages, 17);
	cr_expect_eq(totals.lost_bytes, 4096);
	reading_clear(&reading);
}

Test(stap_messages, an_older_releases_run_is_added_up)
{
	g_autofree char *text = test_data("stap", "run_losses_4_8.txt");
	Reading reading = read_text(text, 7);
	StapMessageTotals totals = stap_messages_totals(reading.messages);

	cr_expect_eq(totals.skipped, 101);
	cr_expect_eq(totals.errors, 1);
	cr_expect_eq(totals.transport_failures, 12);
	cr_expect_eq(totals.lost_messages, 1);
	reading_clear(&reading);
}

typedef struct {
	const char *text;
	const char *reason; /* parts of the one-line failure */
	const char *remedy;
} FailureCase;

#define INSERT "ERROR: Couldn't insert module '/tmp/kmt_1.ko': "

static const FailureCase failures[] = {
	{ INSERT "Key was rejected by service", "Secure Boot", "--sign-key" },
	{ INSERT "Required key not available", "Secure Boot", "mokutil" },
	{ INSERT "Operation not permitted", "lockdown", "--sign-key" },
	{ "ERROR: Couldn't insert module in FIPS mode '/tmp/kmt_1.ko': Operation not permitted",
	  "FIPS", "-i FILE" },
	{ INSERT "Invalid module format", "another kernel than 6.1.0-56-amd64", "6.1.0-56-amd64" },
	{ INSERT "Unknown symbol in module", "another kernel than 6.1.0-56-amd64", "install" },
	{ INSERT "Function not implemented", "cannot load modules", "-i FILE" },
	{ INSERT "File exists", "already loaded", "staprun -d" },
	{ INSERT "Cannot allocate memory", "not enough memory", "--buffer" },
	{ "ERROR: module version mismatch (#1 SMP A vs #1 SMP B), release 6.1.0",
	  "module version mismatch (#1 SMP A vs #1 SMP B)", "boot" },
	{ "ERROR: probe kernel.trace(\"kmem:kmalloc\") registration error [man warning::pass5] (rc "
	  "-22)",
	  "kernel.trace(\"kmem:kmalloc\")", "--events" },
	{ "ERROR: probe overhead (9 cycles) exceeded threshold (5 cycles) in last 7 cycles",
	  "overhead", "-o" },
	{ "ERROR: probe overhead exceeded threshold", "overhead", "-o" },
	{ "ERROR: Skipped too many probes, check MAXSKIPPED or try again with stap -t for more "
	  "details.",
	  "too many were skipped", "MAXSKIPPED" },
	{ "ERROR: MAXACTION exceeded near identifier 'x' at y.stp:1:1", "MAXACTION", "-o" },
	{ "ERROR: You are trying to run systemtap as a normal user.", "stapdev", "root" },
	{ "You should either be root, or be part of group \"stapusr\" and possibly the groups "
	  "\"stapsys\" "
	  "or \"stapdev\".",
	  "stapusr", "sudo" },
	{ "env: 'make': No such file or directory", "make", "make" },
	{ "/bin/sh: 1: gcc-12: not found", "compiler", "gcc" },
	{ "make[1]: gcc: No such file or directory", "compiler", "gcc" },
	{ "ERROR: something never seen\twith \033[31mcolour", "something never seen with colour",
	  "-v" },
};

Test(stap_messages, a_failure_is_one_line_with_its_remedy)
{
	for (guint i = 0; i < G_N_ELEMENTS(failures); i++) {
		Reading reading = read_text(failures[i].text, 16);
		const char *failure = stap_messages_totals(reading.messages).failure;

		cr_assert_not_null(failure, "%s", failures[i].text);
		cr_expect(strstr(failure, failures[i].reason) != NULL, "%s", failure);
		cr_expect(strstr(failure, failures[i].remedy) != NULL, "%s", failure);
		cr_expect_null(strchr(failure, '\n'), "%s", failure);
		cr_expect_null(strchr(failure, '{'), "%s", failure);
		cr_expect_null(strstr(failure, "debuginfo"), "%s", failure);
		reading_clear(&reading);
	}
}

static const FailureCase captured[] = {
	{ "no_headers.txt", "headers of kernel 6.1.0-56-amd64 are not installed",
	  "6.1.0-56-amd64" },
	{ "no_match.txt", "SystemTap 4.8 finds no tracepoints in kernel 6.1.0-56-amd64",
	  "--build-module=6.1.0-56-amd64" },
	{ "task_work_cancel.txt", "SystemTap 4.8 does not compile for kernel 6.1.0-56-amd64",
	  "--build-module" },
	{ "no_compiler.txt", "the compiler of this kernel is missing", "gcc" },
	{ "no_make.txt", "make is missing", "make" },
};

Test(stap_messages, whole_outputs_of_stap_are_understood)
{
	for (guint i = 0; i < G_N_ELEMENTS(captured); i++) {
		g_autofree char *text = test_data("stap", captured[i].text);
		Reading reading = read_text(text, 4096);
		const char *failure = stap_messages_totals(reading.messages).failure;

		cr_assert_not_null(failure, "%s", captured[i].text);
		cr_expect(strstr(failure, captured[i].reason) != NULL, "%s", failure);
		cr_expect(strstr(failure, captured[i].remedy) != NULL, "%s", failure);
		reading_clear(&reading);
	}
}

Test(stap_messages, the_most_specific_failure_is_kept)
{
	Reading reading = read_text("Pass 4: compilation failed.  [man error::pass4]\n"
				    "/bin/sh: 1: gcc-12: not found\n"
				    "ERROR: whatever\n",
				    5);

	cr_expect(strstr(stap_messages_totals(reading.messages).failure, "compiler"));
	cr_expect_not(stap_messages_may_be_poisoned_cache(reading.messages));
	reading_clear(&reading);
}

Test(stap_messages, no_match_may_be_a_poisoned_cache)
{
	g_autofree char *text = test_data("stap", "no_match.txt");
	Reading reading = read_text(text, 64);

	cr_expect(stap_messages_may_be_poisoned_cache(reading.messages));
	reading_clear(&reading);
}

Test(stap_messages, other_lines_pass_without_control_characters)
{
	Reading reading =
		read_text("WARNING: Kernel function symbol table missing [man warning::symbols]\n"
			  "hello \033[31mworld\033[m\r\n\nbell\a\x9b",
			  3);

	cr_expect_str_eq(reading.passed->str, "hello world\nbell\\x07\\x9b\n");
	reading_clear(&reading);
}

Test(stap_messages, a_line_without_end_stays_bounded)
{
	g_autofree char *text = g_strnfill(1000000, 'x');
	Reading reading = read_text(text, 65536);

	cr_expect_gt(reading.passed->len, 1000);
	cr_expect_lt(reading.passed->len, 10000);
	reading_clear(&reading);
}

typedef struct {
	const char *os_release;
	const char *headers;
} DistributionCase;

static const DistributionCase hosts[] = {
	{ "NAME=x\nID=debian\n", "apt install linux-headers-6.1.0" },
	{ "ID=ubuntu\nID_LIKE=debian\n", "apt install linux-headers-6.1.0" },
	{ "ID=\"rhel\"\nID_LIKE=\"fedora\"\n", "dnf install kernel-devel-6.1.0" },
	{ "ID=\"rhel\"\nID_LIKE=\"fedora\"\nVERSION_ID=\"7.9\"\n",
	  "yum install kernel-devel-6.1.0" },
	{ "ID=\"rhel\"\nID_LIKE=\"fedora\"\nVERSION_ID=\"8.10\"\n",
	  "dnf install kernel-devel-6.1.0" },
	{ "ID=\"centos\"\nID_LIKE=\"rhel fedora\"\nVERSION_ID=\"7\"\n",
	  "yum install kernel-devel-6.1.0" },
	{ "ID=\"ol\"\nID_LIKE=\"fedora\"\nVERSION_ID=\"7.9\"\n", "yum install kernel-devel-6.1.0" },
	{ "ID=fedora\nVERSION_ID=40\n", "dnf install kernel-devel-6.1.0" },
	{ "ID=debian\nVERSION_ID=\"7\"\n", "apt install linux-headers-6.1.0" },
	{ "ID=\"almalinux\"\nID_LIKE=\"rhel centos fedora\"\n", "dnf install kernel-devel-6.1.0" },
	{ "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n",
	  "zypper install kernel-default-devel (of kernel 6.1.0)" },
	{ "ID=other\n", "install the headers of kernel 6.1.0" },
	{ "", "install the headers of kernel 6.1.0" },
};

Test(stap_messages, the_headers_have_this_distributions_name)
{
	for (guint i = 0; i < G_N_ELEMENTS(hosts); i++) {
		g_autofree char *command = distribution_install_command_for(
			hosts[i].os_release, PACKAGE_KERNEL_HEADERS, "6.1.0");

		cr_expect_str_eq(command, hosts[i].headers, "%s: %s", hosts[i].os_release, command);
	}
}
