/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/elf/proc_maps.h"

#include "fake_host.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(proc_maps);

/* Recorded on Linux 6.18, with fewer lines. */
static const char recorded[] =
	"55d0c8a00000-55d0c8a02000 r--p 00000000 103:05 131 /usr/bin/a b\n"
	"55d0c8a02000-55d0c8a07000 r-xp 00002000 103:05 131 /usr/bin/a b\n"
	"7f5e30000000-7f5e30021000 rwxp 00000000 00:00 0 \n"
	"7f5e34000000-7f5e34001000 rwxs 00001000 00:01 77 /memfd:doublemapper (deleted)\n"
	"7ffd1f9f5000-7ffd1f9f7000 r-xp 00000000 00:00 0                          [vdso]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

/* What was read. */
typedef struct {
	GString *lines;
	unsigned begun, left_out;
} Reading;

static void begin(uint32_t tgid, void *user_data)
{
	(void)tgid;
	((Reading *)user_data)->begun++;
}

static void end(TextPart lines, bool is_left_out, void *user_data)
{
	Reading *reading = user_data;

	g_string_append_len(reading->lines, lines.text, (gssize)lines.length);
	reading->left_out += is_left_out;
}

static unsigned read_maps(GString *out, const char *root, uint64_t time_ns, unsigned *left_out)
{
	Reading reading = { .lines = out };
	const ProcMapsRequest request = {
		.root = root,
		.time_ns = time_ns,
		.begin = begin,
		.end = end,
		.user_data = &reading,
	};
	unsigned read = proc_maps_read(&request);

	cr_expect(ge(uint, reading.begun, read));
	if (left_out)
		*left_out = reading.left_out;
	return read;
}

Test(proc_maps, executable_mappings_of_all_processes_are_written)
{
	g_autoptr(FakeHost) host = fake_host_new();
	g_autoptr(GString) out = g_string_new(NULL);

	fake_host_write_of_process(host, 42, "maps", recorded);
	fake_host_write(host, "proc/self/maps", recorded);
	cr_expect(eq(uint, read_maps(out, host, 7, NULL), 1));
	cr_expect(eq(str, out->str,
		     "m 7 42 55d0c8a02000 5000 2000 259:5 83 0 - /usr/bin/a b\n"
		     "m 7 42 7f5e30000000 21000 0 0:0 0 0 - \n"
		     "m 7 42 7f5e34000000 1000 1000 0:1 4d 0 - /memfd:doublemapper (deleted)\n"
		     "m 7 42 7ffd1f9f5000 2000 0 0:0 0 0 - [vdso]\n"
		     "m 7 42 ffffffffff600000 1000 0 0:0 0 0 - [vsyscall]\n"));
}

Test(proc_maps, damaged_lines_are_left_out)
{
	static const char damaged[] = "\n-\n1-\n1000 r-xp 0 0:0 0\n2000-1000 r-xp 0 0:0 0\n"
				      "1000-2000 r-xp x 0:0 0\n1000-2000 r-xp 0 00 0\n"
				      "1000-2000 r-xp 0 0:0 x\n1000-2000 r-\n1000-2000 r-xp 0 0:0";
	g_autoptr(FakeHost) host = fake_host_new();
	g_autoptr(GString) out = g_string_new(NULL);

	fake_host_write_of_process(host, 42, "maps", damaged);
	read_maps(out, host, 7, NULL);
	cr_expect(eq(str, out->str, ""));
}

Test(proc_maps, this_process_is_among_those_of_this_host)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *start = g_strdup_printf("m 99 %d ", getpid());

	cr_expect(ge(uint, read_maps(out, "", 99, NULL), 1));
	cr_expect(ne(ptr, strstr(out->str, start), NULL));
}

/* As a stranger can make them: 65,000 mappings of a file with a path of 3.8 KB. */
Test(proc_maps, a_process_with_too_many_mappings_is_left_out)
{
	enum { PATH_BYTES = 3800, MAPPINGS = 65000 };
	g_autoptr(FakeHost) host = fake_host_new();
	g_autoptr(GString) out = g_string_new(NULL);
	g_autoptr(GString) many = g_string_new(NULL);
	g_autofree char *path = g_strnfill(PATH_BYTES, 'p');
	unsigned left_out;

	for (unsigned i = 0; i < MAPPINGS; i++)
		g_string_append_printf(many, "%x000-%x000 r-xp 00000000 08:01 7 /%s\n", 2 * i + 1,
				       2 * i + 2, path);
	fake_host_write_of_process(host, 41, "maps", many->str);
	fake_host_write_of_process(host, 42, "maps", recorded);
	cr_expect(eq(uint, read_maps(out, host, 7, &left_out), 2));
	cr_expect(eq(uint, left_out, 1));
	cr_expect(eq(ptr, strstr(out->str, "m 7 41 "), NULL));
	cr_expect(ne(ptr, strstr(out->str, "m 7 42 "), NULL));
}

/* After a process at which the reader was lost, the next ones are read. */
Test(proc_maps, processes_are_read_in_the_order_of_their_ids)
{
	g_autoptr(FakeHost) host = fake_host_new();
	g_autoptr(GString) out = g_string_new(NULL);
	Reading reading = { .lines = out };
	const ProcMapsRequest request = {
		.root = host,
		.after = 9,
		.begin = begin,
		.end = end,
		.user_data = &reading,
	};

	for (unsigned i = 8; i < 12; i++)
		fake_host_write_of_process(host, i, "maps", "1000-2000 r-xp 0 0:0 0 [vdso]\n");
	cr_expect(eq(uint, proc_maps_read(&request), 2));
	cr_expect(eq(str, out->str,
		     "m 0 10 1000 1000 0 0:0 0 0 - [vdso]\nm 0 11 1000 1000 0 0:0 0 0 - [vdso]\n"));
}
