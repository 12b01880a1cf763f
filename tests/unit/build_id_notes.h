/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* A number below 256 in the byte order of this machine. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define WORD(byte) byte "\0\0\0"
#else
#define WORD(byte) "\0\0\0" byte
#endif

/* ELF notes. Lengths of name and description, and the type, come first; then 4 bytes of build id:
   deadbeef, and after another note 01020304. */
static const char build_id_note[] = WORD("\4") WORD("\4") WORD("\3") "GNU\0\xde\xad\xbe\xef";
static const char two_notes[] = WORD("\6") WORD("\3") WORD("\1") "Linux\0\0\0abc\0" WORD("\4")
	WORD("\4") WORD("\3") "GNU\0\1\2\3\4";
