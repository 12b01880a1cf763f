/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages between the program and its children, over a socket that keeps their borders. The length
 * of each message is checked on arrival. Nothing is kept but the number of the last question.
 */
#include "process/child_port.h"

#include "base/unconst.h"

#include <errno.h>
#include <glib.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

bool child_port_send(int socket, const ChildMessage *message, const void *body, size_t bytes,
		     int fd, bool waits)
{
	char room[CMSG_SPACE(sizeof(fd))] = { 0 };
	struct iovec parts[] = { { unconst(message), sizeof(*message) }, { unconst(body), bytes } };
	struct msghdr header = { .msg_iov = parts, .msg_iovlen = bytes ? 2 : 1 };
	ssize_t sent;

	if (fd >= 0) {
		header.msg_control = room;
		header.msg_controllen = sizeof(room);
		*CMSG_FIRSTHDR(&header) = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(fd)),
							    .cmsg_level = SOL_SOCKET,
							    .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&header)), &fd, sizeof(fd));
	}
	do
		sent = sendmsg(socket, &header, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));
	while (sent < 0 && errno == EINTR);
	return sent >= 0;
}

static int descriptor_of(struct msghdr *header)
{
	struct cmsghdr *part = CMSG_FIRSTHDR(header);
	int fd = -1;

	if (part && part->cmsg_type == SCM_RIGHTS && part->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(part), sizeof(fd));
	return fd;
}

/* Returns false with errno set unless a whole message came. */
static bool is_whole(ssize_t bytes, const struct msghdr *header)
{
	if (bytes < 0) {
		errno = errno == EINTR ? EAGAIN : errno;
		return false;
	}
	errno = bytes ? EBADMSG : EPIPE;
	return bytes >= (ssize_t)sizeof(ChildMessage) && !(header->msg_flags & MSG_TRUNC);
}

/* A process that ends before it has read everything resets the socket: what it said last is behind
   that error, which is reported once. */
static ssize_t receive(int socket, struct msghdr *header)
{
	const size_t room = header->msg_controllen;
	ssize_t bytes = recvmsg(socket, header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (bytes >= 0 || errno != ECONNRESET)
		return bytes;
	header->msg_controllen = room;
	return recvmsg(socket, header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
}

ssize_t child_port_receive(int socket, ChildMessage *message, void *body, size_t room, int *fd)
{
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec parts[] = { { message, sizeof(*message) }, { body, room } };
	struct msghdr header = { .msg_iov = parts,
				 .msg_iovlen = 2,
				 .msg_control = fd ? control : NULL,
				 .msg_controllen = fd ? sizeof(control) : 0 };
	ssize_t bytes = receive(socket, &header);

	if (fd)
		*fd = bytes > 0 ? descriptor_of(&header) : -1;
	if (is_whole(bytes, &header))
		return bytes - (ssize_t)sizeof(*message);
	if (fd && *fd >= 0)
		close(*fd);
	return -1;
}

void child_port_answer(int socket, const char *text, size_t bytes)
{
	const ChildMessage piece = { CHILD_MESSAGE_PIECE, 0 };

	while (bytes) {
		size_t length = MIN(bytes, (size_t)CHILD_BODY_BYTES_MAX);

		if (!child_port_send(socket, &piece, text, length, -1, true))
			_exit(1);
		text += length;
		bytes -= length;
	}
}

int child_port_ask(int socket, const char *path)
{
	static uint64_t question;
	ChildMessage message = { CHILD_MESSAGE_ASK, ++question };
	struct pollfd ready = { .fd = socket, .events = POLLIN };
	int file;

	if (!child_port_send(socket, &message, path, MIN(strlen(path), PATH_MAX), -1, true))
		_exit(1);
	for (;;) {
		poll(&ready, 1, -1);
		if (child_port_receive(socket, &message, NULL, 0, &file) < 0) {
			if (errno != EAGAIN)
				_exit(1);
			continue;
		}
		if (message.value == question)
			return file;
		/* An answer that was late. */
		if (file >= 0)
			close(file);
	}
}
