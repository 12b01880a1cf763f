/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/user/proc_maps.h"

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

Test(proc_maps, executable_mappings_of_all_processes_are_written)
{
	g_autoptr(FakeHost) host = fake_host_new();
	g_autoptr(GString) out = g_string_new(NULL);

	fake_host_write_of_process(host, 42, "maps", recorded);
	fake_host_write(host, "proc/self/maps", recorded);
	cr_expect(eq(uint, proc_maps_write(out, host, 7, false), 1));
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
	proc_maps_write(out, host, 7, false);
	cr_expect(eq(str, out->str, ""));
}

Test(proc_maps, this_process_is_among_those_of_this_host)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *start = g_strdup_printf("m 99 %d ", getpid());

	cr_expect(ge(uint, proc_maps_write(out, "", 99, false), 1));
	cr_expect(ne(ptr, strstr(out->str, start), NULL));
}
