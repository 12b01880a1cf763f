/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What the program and its children say to each other: messages on a socket (SOCK_SEQPACKET), with
 * a type, a number, a body, and at most one descriptor. A child may have been taken over: the
 * program checks all that it says.
 */
enum { CHILD_BODY_BYTES_MAX = 32 << 10 };

/* Types that all children have. Types of their own begin with CHILD_MESSAGE_OWN. */
enum {
	CHILD_MESSAGE_FAILED = 1, /* by it: it cannot work; the body says why */
	CHILD_MESSAGE_PIECE,      /* by it: a part of its answer */
	CHILD_MESSAGE_END,        /* by it: of its answer */
	CHILD_MESSAGE_ASK,        /* by it: it asks for the file with the path in the body */
	CHILD_MESSAGE_FILE,       /* to it: that file; without a descriptor: it does not get it */
	CHILD_MESSAGE_OWN,
};

typedef struct {
	uint64_t type;
	uint64_t value;
} ChildMessage;

/* Sends a message; fd -1: without a descriptor. waits: until there is room. Returns false with
   errno set if it was not sent. */
bool child_port_send(int socket, const ChildMessage *message, const void *body, size_t bytes,
		     int fd, bool waits);

/* Receives a message, without waiting. *fd is its descriptor, which the caller closes; -1: none. A
   NULL fd accepts none. Returns the length of the body, or -1 with errno set: EAGAIN if there is no
   message, EPIPE if none will come, EBADMSG if it makes no sense. */
ssize_t child_port_receive(int socket, ChildMessage *message, void *body, size_t room, int *fd);

/* In a child: sends a part of its answer, or asks for a file that all users may read. Ends the
   process if the program has ended. Returns the descriptor, which the caller closes; -1: it does
   not get it. */
void child_port_answer(int socket, const char *text, size_t bytes);
int child_port_ask(int socket, const char *path);
