/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Keys without a name in ncurses. */
enum {
	KEY_CODE_ESCAPE = 0x1b,
	KEY_CODE_DELETE = 0x7f,
};

#define KEY_CODE_CTRL(letter) ((letter)&0x1f)
