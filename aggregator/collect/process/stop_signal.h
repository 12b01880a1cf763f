/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * SIGINT, SIGTERM and SIGHUP, for a program that must end in order and at once: the handler notes
 * them in a descriptor, so whatever the program waits for, it can wait for a signal, too.
 * However many come, none ends the program itself.
 */

/* Catches the signals from now on. SIGHUP stays ignored if it is (nohup). */
void stop_signal_catch(void);

/* Returns a descriptor that is readable while signals are not taken; -1: they are not caught. */
int stop_signal_fd(void);

/* Takes the signals: returns how many there were. */
unsigned stop_signal_take(void);
