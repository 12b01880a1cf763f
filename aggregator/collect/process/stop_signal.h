/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * SIGINT, SIGTERM and SIGHUP, for a program that must end in order and at once: the handler notes
 * them in a descriptor, so whatever the program waits for, it can wait for a signal, too.
 * None ends the program itself, however many come.
 */

/* Catches the signals from now on. SIGHUP stays ignored if it is (nohup). */
void stop_signal_catch(void);

/* The rest is to be finished in spite of signals: one that comes now, or is not taken yet, ends
   what waits, and all further ones are ignored. SIGHUP is ignored. */
void stop_signal_finish(void);

/* Returns a descriptor that is readable while signals are not taken; -1: they are not caught. */
int stop_signal_fd(void);

/* Takes the signals: returns how many there were. */
unsigned stop_signal_take(void);
