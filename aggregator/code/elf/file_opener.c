/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program's side of the process that opens files (opener_child.c). A request is sent, then its
 * answer is waited for: at most as long as a file may take, and no longer if a signal tells the
 * program to end. Time that was wasted is added up: after 10 seconds no more files are opened.
 */
#include "code/elf/file_opener.h"

#include "base/clock.h"
#include "base/trusted_file.h"
#include "process/stop_signal.h"
#include "code/elf/elf_debug_file.h"
#include "code/elf/proc_maps.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_BYTES_MAX ((uint64_t)8 << 30)

enum {
	LOST_MAX = 16, /* processes that ended without an answer */
	QUICK_MS = 1,  /* what takes no longer is not counted */
	RUN_PART = 64, /* of the time of a long run, slow files may take this part */
};

struct FileOpener {
	char *root;
	Child child;
	unsigned patience_ms;
	uint64_t start_ns;
	uint64_t slow_ns; /* time of requests that were not quick */
	FileOpenerLosses losses;
	/* The newest message. */
	ChildMessage message;
	char body[CHILD_BODY_BYTES_MAX];
	int file; /* that came with it; -1: none */
};

FileOpener *file_opener_new(const char *root)
{
	FileOpener *opener = g_new0(FileOpener, 1);

	opener->root = g_strdup(root);
	opener->child.socket = -1;
	opener->patience_ms = FILE_OPENER_PATIENCE_MS;
	opener->start_ns = clock_monotonic_ns();
	opener->file = -1;
	return opener;
}

void file_opener_free(FileOpener *opener)
{
	if (!opener)
		return;
	child_end(&opener->child);
	g_free(opener->losses.problem);
	g_free(opener->root);
	g_free(opener);
}

const char *file_opener_root(const FileOpener *opener)
{
	return opener->root;
}

void file_opener_set_patience(FileOpener *opener, unsigned milliseconds)
{
	opener->patience_ms = milliseconds;
}

FileOpenerLosses file_opener_losses(const FileOpener *opener)
{
	return opener->losses;
}

/* Messages. */

static bool is_given_up(FileOpener *opener)
{
	uint64_t run_ns = clock_monotonic_ns() - opener->start_ns;

	if (!opener->losses.problem &&
	    opener->slow_ns >= (uint64_t)FILE_OPENER_ALL_MS * NS_PER_MS + run_ns / RUN_PART)
		opener->losses.problem = g_strdup_printf(
			"opening files took %d s in all: the other ones were not opened",
			FILE_OPENER_ALL_MS / 1000);
	return opener->losses.problem;
}

static bool is_running(FileOpener *opener)
{
	if (is_given_up(opener) || !stop_signal_patience_ns(1))
		return false;
	if (opener->child.socket >= 0)
		return true;
	if (!child_start(&opener->child, &opener_child, NULL, 0, opener->root))
		opener->losses.problem = g_strdup_printf(
			"the process that opens files cannot be started: %s", g_strerror(errno));
	return opener->child.socket >= 0;
}

/* The process is not needed any more, does not answer, or was lost. */
static void give_up_process(FileOpener *opener, uint64_t begin_ns, int reason)
{
	child_end(&opener->child);
	opener->losses.late += reason == ETIMEDOUT;
	opener->losses.lost += reason == EPIPE;
	if (reason == ETIMEDOUT)
		stop_signal_waited(clock_monotonic_ns() - begin_ns);
	if (opener->losses.lost >= LOST_MAX && !opener->losses.problem)
		opener->losses.problem =
			g_strdup("the process that opens files is ended again and again");
}

/* Receives the next message. Returns 0, or why none came: ETIMEDOUT, EINTR, or EPIPE. */
static int next_message(FileOpener *opener, uint64_t until_ns, ssize_t *bytes)
{
	static const int reasons[] = { [CHILD_LATE] = ETIMEDOUT, [CHILD_STOPPED] = EINTR };
	ChildEnd end = CHILD_ANSWERED;

	while (end == CHILD_ANSWERED) {
		*bytes = child_port_receive(opener->child.socket, &opener->message, opener->body,
					    sizeof(opener->body), &opener->file);
		if (*bytes >= 0)
			return 0;
		if (errno != EAGAIN)
			return EPIPE;
		end = child_wait(&opener->child, until_ns);
	}
	return reasons[end];
}

/* A step of the sandbox may have failed: the process said so before it ended. */
static void note_problem(FileOpener *opener, ssize_t bytes)
{
	if (opener->message.type == CHILD_MESSAGE_FAILED && !opener->losses.problem)
		opener->losses.problem = g_strndup(opener->body, (size_t)bytes);
}

/* Receives the next message. Returns the length of its body; -1 with errno set: none came in time,
   and the process was ended. */
static ssize_t file_opener_receive(FileOpener *opener)
{
	uint64_t begin_ns = clock_monotonic_ns();
	uint64_t patience_ns = stop_signal_patience_ns((uint64_t)opener->patience_ms * NS_PER_MS);
	ssize_t bytes = -1;
	int reason = next_message(opener, begin_ns + patience_ns, &bytes);
	uint64_t spent_ns = clock_monotonic_ns() - begin_ns;

	/* Also of files that come in the end: a stranger may have thousands of them. */
	if (spent_ns > (uint64_t)QUICK_MS * NS_PER_MS)
		opener->slow_ns += spent_ns;
	/* Of a process that was taken over: closing what is no place may wait. */
	if (!reason && opener->file >= 0 && !file_is_place(opener->file)) {
		opener->file = -1;
		reason = EPIPE;
	}
	if (!reason) {
		note_problem(opener, bytes);
		return bytes;
	}
	give_up_process(opener, begin_ns, reason);
	errno = reason;
	return -1;
}

/* A process that cannot be sent anything has ended, but may have said why. */
static void leave_ended(FileOpener *opener)
{
	ssize_t bytes = child_port_receive(opener->child.socket, &opener->message, opener->body,
					   sizeof(opener->body), NULL);

	if (bytes >= 0)
		note_problem(opener, bytes);
	child_end(&opener->child);
}

/* Sends a request with a descriptor; -1: without one. Returns false, with errno set as
   file_opener_receive() does, if there is no process, or no time left. */
static bool request_with(FileOpener *opener, const ChildMessage *message, const void *body,
			 size_t bytes, int fd)
{
	for (int i = 0; i < 2 && !stop_signal_is_pending() && is_running(opener); i++) {
		if (child_port_send(opener->child.socket, message, body, bytes, fd, false))
			return true;
		/* It may have been ended for want of memory. */
		leave_ended(opener);
	}
	errno = is_given_up(opener) ? ETIMEDOUT : EPIPE;
	if (stop_signal_is_pending() || !stop_signal_patience_ns(1))
		errno = EINTR;
	return false;
}

static bool file_opener_request(FileOpener *opener, uint64_t type, uint64_t value, const void *body,
				size_t bytes)
{
	const ChildMessage message = { type, value };

	return request_with(opener, &message, body, bytes, -1);
}

char *file_opener_reason(const FileOpener *opener, int reason)
{
	if (opener->losses.problem)
		return g_strdup(opener->losses.problem);
	switch (reason) {
	case ETIMEDOUT:
		return g_strdup("its file system does not answer in time");
	case EINTR:
		return g_strdup("a signal ended the opening");
	case EPIPE:
		return g_strdup("the process that opens files was lost");
	default:
		return g_strdup(g_strerror(reason));
	}
}

/* The errno of an answer; else that of file_opener_receive(), which is set. */
static int file_opener_answered(const FileOpener *opener, ssize_t bytes)
{
	if (bytes < 0)
		return errno;
	return opener->message.type == OPENER_OPENED ? (int)(opener->message.value & INT_MAX)
						     : EPIPE;
}

/* Returns the place of an answer; -1: there is none, with errno set. */
static int file_opener_opened(FileOpener *opener, ssize_t bytes)
{
	int file = opener->file;

	opener->file = -1;
	errno = file_opener_answered(opener, bytes);
	/* The kernel drops what finds no room. */
	if (file < 0 && !errno)
		errno = EMFILE;
	return file;
}

/* Files. */

/* *use: of a file that was opened, as the answer says. */
static int opened_for(FileOpener *opener, unsigned *use)
{
	int file = file_opener_opened(opener, file_opener_receive(opener));

	*use = file < 0 ? 0 : (unsigned)(opener->message.value >> OPENER_USE_SHIFT);
	return file;
}

int file_opener_mapping(FileOpener *opener, const UserMapLine *mapping, unsigned *use)
{
	g_autoptr(GString) line = g_string_new(NULL);

	*use = 0;
	user_map_line_append(line, mapping);
	if (!file_opener_request(opener, OPENER_MAPPING, 0, line->str, line->len - 1))
		return -1;
	return opened_for(opener, use);
}

int file_opener_jit_map(FileOpener *opener, JitProcess *process)
{
	ssize_t bytes;

	if (!file_opener_request(opener, OPENER_JIT_MAP, 0, process, sizeof(*process)))
		return -1;
	bytes = file_opener_receive(opener);
	if (bytes == sizeof(*process) && opener->message.type == OPENER_OPENED)
		memcpy(process, opener->body, sizeof(*process));
	return file_opener_opened(opener, bytes);
}

int file_opener_file(FileOpener *opener, const char *path, uint64_t bytes_max, unsigned *use)
{
	unsigned unused;

	if (!file_opener_request(opener, OPENER_FILE, bytes_max, path,
				 MIN(strlen(path), (size_t)USER_PATH_BYTES_MAX)))
		return -1;
	return opened_for(opener, use ? use : &unused);
}

static void close_file(FileOpener *opener)
{
	if (opener->file >= 0)
		close(opener->file);
	opener->file = -1;
}

/* Whether the answer to a request without a place is good, and has so many bytes. */
static bool is_done(FileOpener *opener, size_t wanted)
{
	ssize_t bytes = file_opener_receive(opener);
	int reason = file_opener_answered(opener, bytes);

	close_file(opener);
	if (!reason && bytes != (ssize_t)wanted)
		reason = EPIPE;
	errno = reason;
	return !reason;
}

/* The place was opened before, and events may be arriving. */
bool file_opener_pass(FileOpener *opener, int file, int socket, const ChildMessage *message)
{
	const ChildMessage target = { OPENER_TARGET, 0 }, pass = { OPENER_PASS, 0 };
	unsigned patience_ms;
	bool is_passed;

	if (!file_is_place(file)) {
		is_passed = child_port_send(socket, message, NULL, 0, file, false);
		errno = is_passed || errno != EAGAIN ? errno : ENOBUFS;
		return is_passed;
	}
	/* Only a place needs the opener: without one, there are no places. */
	patience_ms = opener->patience_ms;
	opener->patience_ms = MIN(patience_ms, (unsigned)FILE_OPENER_LIVE_MS);
	is_passed = request_with(opener, &target, message, sizeof(*message), socket) &&
		    request_with(opener, &pass, NULL, 0, file) && is_done(opener, 0);
	opener->patience_ms = patience_ms;
	return is_passed;
}

bool file_opener_give_debug_file(FileOpener *opener, const char *asked, const char *path,
				 int socket, const ChildMessage *message)
{
	unsigned use = 0;
	int place = elf_debug_file_may_ask(asked, path, opener->root)
			    ? file_opener_file(opener, asked, DEBUG_BYTES_MAX, &use)
			    : -1;
	bool is_given = place >= 0 &&
			(g_str_has_suffix(asked, ".debug") || use == FILE_IS_PUBLIC) &&
			file_opener_pass(opener, place, socket, message);

	if (place >= 0)
		close(place);
	return is_given;
}

bool file_opener_look(FileOpener *opener, int place, uint64_t offset, OpenerLook *look)
{
	const ChildMessage message = { OPENER_LOOK, offset };

	if (!request_with(opener, &message, NULL, 0, place) || !is_done(opener, sizeof(*look)))
		return false;
	memcpy(look, opener->body, sizeof(*look));
	return true;
}

char *file_opener_mapped_path(FileOpener *opener, uint32_t tgid, const char *name)
{
	OpenerMapped mapped = { .tgid = tgid };
	ssize_t bytes;
	int reason;

	errno = ENOENT;
	if (g_strlcpy(mapped.name, name, sizeof(mapped.name)) >= sizeof(mapped.name) ||
	    !file_opener_request(opener, OPENER_MAPPED, 0, &mapped, sizeof(mapped)))
		return NULL;
	bytes = file_opener_receive(opener);
	reason = file_opener_answered(opener, bytes);
	close_file(opener);
	errno = reason;
	return reason || !bytes ? NULL : g_strndup(opener->body, (size_t)bytes);
}

/* What is mapped. */

typedef struct {
	FileOpener *opener;
	FileOpenerTaker taker;
	void *user_data;
	GString *lines; /* of the process that is being read */
	OpenerScan wanted;
	uint64_t until_ns;
} Scan;

static void end_process(Scan *scan, bool is_left_out)
{
	scan->opener->losses.processes += is_left_out;
	if (scan->lines->len && !is_left_out)
		scan->taker(scan->lines->str, scan->lines->len, scan->user_data);
	g_string_truncate(scan->lines, 0);
}

/* Takes the next message. Returns false at the end, or if the process was lost. */
static bool take_answer(Scan *scan, bool *is_complete)
{
	FileOpener *opener = scan->opener;
	ssize_t bytes = file_opener_receive(opener);

	close_file(opener);
	if (bytes < 0 || opener->losses.problem)
		return false;
	if (opener->message.type == OPENER_PROCESS)
		scan->wanted.after = (uint32_t)opener->message.value;
	else if (opener->message.type == OPENER_DONE)
		end_process(scan, opener->message.value);
	else if (opener->message.type == OPENER_LINES &&
		 scan->lines->len + (size_t)bytes <= PROC_MAPS_BYTES_MAX)
		g_string_append_len(scan->lines, opener->body, bytes);
	*is_complete = opener->message.type == CHILD_MESSAGE_END;
	return !*is_complete && clock_monotonic_ns() < scan->until_ns;
}

/* Lists the processes behind `after`. The one at which the opener was lost is left out. */
static bool scan_on(Scan *scan)
{
	bool is_complete = false;

	if (!file_opener_request(scan->opener, OPENER_SCAN, 0, &scan->wanted, sizeof(scan->wanted)))
		return true;
	while (take_answer(scan, &is_complete))
		continue;
	if (is_complete)
		return true;
	end_process(scan, true);
	child_end(&scan->opener->child);
	return clock_monotonic_ns() >= scan->until_ns;
}

void file_opener_scan(FileOpener *opener, uint64_t time_ns, bool with_data, FileOpenerTaker taker,
		      void *user_data)
{
	Scan scan = {
		.opener = opener,
		.taker = taker,
		.user_data = user_data,
		.lines = g_string_new(NULL),
		.wanted = { .time_ns = time_ns, .with_data = with_data },
		.until_ns = clock_monotonic_ns() + (uint64_t)FILE_OPENER_ALL_MS * NS_PER_MS,
	};

	while (!scan_on(&scan))
		continue;
	g_string_free(scan.lines, TRUE);
}
