/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "process/child_port.h"
#include "process/child_sandbox.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A Child is a process in a sandbox (child_sandbox.h) that opens or reads files of strangers for
 * the program. It is forked from the program, so it has the program's memory, but only those
 * descriptors that it is given. The program never waits for it without a limit, and ends it; it
 * ends with the program, too.
 */

enum { CHILD_FDS_MAX = 4 };

typedef struct {
	const char *name; /* of the process: up to 15 characters */
	ChildRights rights;
	ChildLimits limits;
	void (*prepare)(void); /* called before the filter: loads what it needs; NULL: nothing */
	/* Its work: the process ends when this returns. data is as given to child_start(). */
	void (*run)(int socket, const int *fds, void *data);
} ChildType;

typedef struct {
	pid_t pid;  /* 0: there is none */
	int socket; /* -1: there is none; see child_port.h */
} Child;

/* Starts a child, and gives it copies of these descriptors; one may be -1. A place
   (trusted_file.h) is opened for reading in the child. Returns false with errno set. */
bool child_start(Child *child, const ChildType *type, const int *fds, unsigned count, void *data);

/* Ends a child, if there is one. One that the kernel cannot end, because it waits for a file
   system, is left behind, and ends when that answers. Returns its status, as waitpid() gives it;
   -1: it is not known. */
int child_end(Child *child);

/* Ends a child, if there is one, without waiting for that. */
void child_leave(Child *child);

/* Whether this is or was one of our children: what they do is ours. */
bool child_is_own(uint32_t pid);

/* Returns the CPU time that all of our children have taken, those that have ended, too. */
uint64_t child_cpu_ns(void);

/* How a call or a wait ended. */
typedef enum {
	CHILD_ANSWERED,
	CHILD_LATE,    /* it took longer than allowed */
	CHILD_STOPPED, /* a signal told the program to end (stop_signal.h) */
	CHILD_LOST,    /* it could not be started or set up, ended early, or wrote too much */
} ChildEnd;

/* Waits until a child says something or ends. Returns CHILD_ANSWERED; or CHILD_LATE or
   CHILD_STOPPED, and it did neither. */
ChildEnd child_wait(const Child *child, uint64_t until_ns);

typedef struct {
	const ChildType *type; /* its run() writes the answer with child_port_answer() */
	const int *fds;        /* at most CHILD_FDS_MAX */
	unsigned fds_count;
	void *data;
	/* Sends a file that the child asks for, which may be any, to its socket with that message.
	   Returns false if the child does not get it. NULL: it gets none. */
	bool (*give)(const char *path, int socket, const ChildMessage *message, void *user_data);
	void *give_data;
	uint64_t patience_ns;
	size_t answer_bytes_max;
} ChildCall;

/* Lets a child do something, and appends its answer. Unless it answered, *problem, owned by the
   caller, says why not: "the process that read it ended with status 1". */
ChildEnd child_call(const ChildCall *call, GString *answer, char **problem);
