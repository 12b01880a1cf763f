/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a hostile stream to stdout: make_hostile SHAPE [PARTS]. Alone it lists the shapes. */
#include "bench/hostile_shapes.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	const HostileShape *shape = argc > 1 ? hostile_shape_lookup(argv[1]) : NULL;
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	for (const HostileShape *all = hostile_shapes; argc == 1 && all->name; all++)
		printf("%s\t%u %s\n", all->name, all->parts, all->what);
	if (argc == 1)
		return 0;
	if (!shape) {
		fprintf(stderr, "make_hostile: no such shape: %s\n", argv[1]);
		return 2;
	}
	shape->append(bytes,
		      argc > 2 ? (unsigned)g_ascii_strtoull(argv[2], NULL, 10) : shape->parts);
	return fwrite(bytes->data, 1, bytes->len, stdout) == bytes->len ? 0 : 1;
}
