/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes requests of file_opener.c one after the other, until the program ends. Its only data are
 * the requests, and the socket for files that the program passes on.
 */
#include "code/elf/file_opener.h"

#include "base/trusted_file.h"
#include "code/elf/jit_map.h"
#include "code/elf/proc_maps.h"
#include "code/elf/object_open.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* <linux/magic.h> of older kernels lacks it. */
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

typedef struct {
	int socket;
	const char *root;
	union {
		char text[CHILD_BODY_BYTES_MAX];
		JitProcess process;
		OpenerScan scan;
		OpenerMapped mapped;
		ChildMessage message;
	} body;
	size_t bytes; /* of the body */
	int file;     /* that came with it; -1: none */
	/* Where OPENER_PASS sends a file, and with which message. */
	int target;
	ChildMessage target_message;
} Request;

static void opener_child_say(const Request *request, uint64_t type, uint64_t value,
			     const void *body, size_t bytes, int fd)
{
	const ChildMessage message = { type, value };

	if (!child_port_send(request->socket, &message, body, bytes, fd, true))
		_exit(0);
}

/* A file is closed before the answer: that may wait for its file system, too. */

/* Answers with the place of a file, which is closed, or with errno. */
static void opener_child_give(const Request *request, int file, unsigned use, const void *body,
			      size_t bytes)
{
	int place = file < 0 ? -1 : file_place(file);
	uint64_t value = place < 0 ? (uint64_t)errno : (uint64_t)use << OPENER_USE_SHIFT;

	if (file >= 0)
		close(file);
	opener_child_say(request, OPENER_OPENED, value, body, bytes, place);
	if (place >= 0)
		close(place);
}

/* A server of FUSE may say anything about owners. */
static bool is_of_root(int file)
{
	struct stat status;
	struct statfs system;

	return !fstat(file, &status) && !status.st_uid && !(status.st_mode & (S_IWGRP | S_IWOTH)) &&
	       !fstatfs(file, &system) && (uint32_t)system.f_type != FUSE_SUPER_MAGIC;
}

static void open_mapping(Request *request)
{
	UserMapLine mapping;
	int file = -1;

	errno = EINVAL;
	if (user_map_line_parse((TextPart){ request->body.text, request->bytes }, &mapping))
		file = object_open(request->root, &mapping);
	opener_child_give(request, file, file >= 0 && is_of_root(file) ? FILE_IS_OF_ROOT : 0, NULL,
			  0);
}

static void open_jit_map(Request *request)
{
	JitProcess process = request->body.process;
	int file = -1;

	if (request->bytes != sizeof(process))
		return;
	errno = ENOENT;
	if (process.user_is_known || jit_process_find(&process, request->root, process.tgid))
		file = jit_map_open(&process, request->root);
	opener_child_give(request, file, 0, &process, sizeof(process));
}

/* Whether all users may enter the folders of an open file. */
static bool is_reachable(int file)
{
	g_autofree char *path = fd_path(file);
	struct stat status;
	char *slash;

	if (!path || *path != '/')
		return false;
	while ((slash = strrchr(path, '/')) > path) {
		*slash = '\0';
		if (stat(path, &status) || !(status.st_mode & S_IXOTH))
			return false;
	}
	return true;
}

static void open_file(const Request *request, uint64_t bytes_max)
{
	g_autofree char *path = g_strndup(request->body.text, request->bytes);
	int file = regular_file_open(path, REGULAR_FILE_STORED, bytes_max);
	struct stat status;
	unsigned use = 0;

	if (file >= 0 && !fstat(file, &status) && status.st_mode & S_IROTH)
		use |= FILE_IS_READABLE;
	if (file >= 0 && is_reachable(file))
		use |= FILE_IS_REACHABLE;
	opener_child_give(request, file, use, NULL, 0);
}

static void find_mapped(const Request *request)
{
	const OpenerMapped *mapped = &request->body.mapped;
	g_autofree char *id = mapped->tgid ? g_strdup_printf("%u", mapped->tgid) : g_strdup("self");
	g_autofree char *process = g_strconcat(request->root, "/proc/", id, NULL);
	g_autofree char *path = NULL;

	if (request->bytes != sizeof(*mapped))
		return;
	path = mapped_path_find(process, mapped->name);
	opener_child_say(request, OPENER_OPENED, path ? 0 : ENOENT, path, path ? strlen(path) : 0,
			 -1);
}

static void look(const Request *request, uint64_t offset)
{
	OpenerLook look = { 0 };
	struct stat status;
	int file = file_place_open(request->file);
	bool is_seen = file >= 0 && !fstat(file, &status) &&
		       pread(file, look.bytes, sizeof(look.bytes), (off_t)offset) >= 0;
	uint64_t reason = is_seen ? 0 : (uint64_t)errno;

	look.file_bytes = is_seen ? (uint64_t)status.st_size : 0;
	if (file >= 0)
		close(file);
	opener_child_say(request, OPENER_OPENED, reason, &look, sizeof(look), -1);
}

static void set_target(Request *request)
{
	if (request->bytes != sizeof(request->target_message))
		return;
	if (request->target >= 0)
		close(request->target);
	request->target = request->file;
	request->file = -1;
	request->target_message = request->body.message;
}

/* If the socket is full, or what the user has in flight, the program tries again. */
static void opener_child_pass(const Request *request)
{
	int file = file_place_open(request->file);
	uint64_t reason = file < 0 ? (uint64_t)errno : 0;

	if (!reason &&
	    !child_port_send(request->target, &request->target_message, NULL, 0, file, false))
		reason = errno == EAGAIN || errno == ETOOMANYREFS ? ENOBUFS : (uint64_t)errno;
	if (file >= 0)
		close(file);
	opener_child_say(request, OPENER_OPENED, reason, NULL, 0, -1);
}

static void begin_process(uint32_t tgid, void *user_data)
{
	opener_child_say(user_data, OPENER_PROCESS, tgid, NULL, 0, -1);
}

static void end_process(TextPart lines, bool is_left_out, void *user_data)
{
	const Request *request = user_data;

	while (lines.length) {
		size_t length = MIN(lines.length, (size_t)CHILD_BODY_BYTES_MAX);

		opener_child_say(request, OPENER_LINES, 0, lines.text, length, -1);
		lines.text += length;
		lines.length -= length;
	}
	opener_child_say(request, OPENER_DONE, is_left_out, NULL, 0, -1);
}

static void scan(Request *request)
{
	const OpenerScan *scan = &request->body.scan;
	const ProcMapsRequest wanted = {
		.root = request->root,
		.time_ns = scan->time_ns,
		.with_data = scan->with_data,
		.after = scan->after,
		.begin = begin_process,
		.end = end_process,
		.user_data = request,
	};

	proc_maps_read(&wanted);
	opener_child_say(request, CHILD_MESSAGE_END, 0, NULL, 0, -1);
}

static void opener_child_take(Request *request, const ChildMessage *message)
{
	switch (message->type) {
	case OPENER_MAPPING:
		open_mapping(request);
		break;
	case OPENER_JIT_MAP:
		open_jit_map(request);
		break;
	case OPENER_FILE:
		open_file(request, message->value);
		break;
	case OPENER_MAPPED:
		find_mapped(request);
		break;
	case OPENER_LOOK:
		look(request, message->value);
		break;
	case OPENER_TARGET:
		set_target(request);
		break;
	case OPENER_PASS:
		opener_child_pass(request);
		break;
	case OPENER_SCAN:
		scan(request);
	}
}

/* Ends when the program has closed the socket. */
static void opener_child_run(int socket, const int *fds, void *data)
{
	static Request request;
	ChildMessage message;
	ssize_t bytes;

	(void)fds;
	request.socket = socket;
	request.root = data;
	request.target = -1;
	for (;;) {
		struct pollfd ready = { .fd = socket, .events = POLLIN };

		poll(&ready, 1, -1);
		bytes = child_port_receive(socket, &message, &request.body, sizeof(request.body),
					   &request.file);
		if (bytes < 0 && errno != EAGAIN)
			_exit(0);
		request.bytes = bytes < 0 ? 0 : (size_t)bytes;
		if (bytes < 0)
			continue;
		opener_child_take(&request, &message);
		if (request.file >= 0)
			close(request.file);
	}
}

const ChildType opener_child = {
	.name = "kmt-open",
	.rights = CHILD_OPENS,
	.limits = { .address_space_bytes = (uint64_t)256 << 20, .data_bytes = (uint64_t)64 << 20 },
	.run = opener_child_run,
};
