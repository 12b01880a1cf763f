/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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

/* Whether there are signals that are not taken. */
bool stop_signal_is_pending(void);

/* Takes the signals: returns how many there were. */
unsigned stop_signal_take(void);

/*
 * Whether a signal came since they are caught, taken or not. What is left to do is done then, but
 * whoever does not answer gets less time: returns how long to wait for that, as wanted, or less;
 * what was waited for in vain is told, because all of it together is bounded, too.
 */
bool stop_signal_came(void);
uint64_t stop_signal_patience_ns(uint64_t wanted_ns);
void stop_signal_waited(uint64_t ns);
