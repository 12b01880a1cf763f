/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* ELF notes. Lengths of name and description, and the type, come first; then 4 bytes of build id:
   deadbeef, and after another note 01020304. */
static const char build_id_note[] = "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\xde\xad\xbe\xef";
static const char two_notes[] = "\6\0\0\0\3\0\0\0\1\0\0\0Linux\0\0\0abc\0"
				"\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\1\2\3\4";
