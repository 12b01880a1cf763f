/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that is given as a kernel module, of which the program reads the notes. */
#include "collect/stap/module_file.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void expect_shown(const char *value)
{
	for (; value && *value; value++)
		if (g_ascii_iscntrl(*value))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("module", MFD_CLOEXEC);
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
	g_autoptr(ModuleFile) file = NULL;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	file = module_file_read(path, NULL);
	if (file) {
		expect_shown(file->name);
		expect_shown(file->kernel_release);
		expect_shown(file->kernel_version);
		expect_shown(file->events);
		expect_shown(file->stap_release);
	}
	close(fd);
	return 0;
}
