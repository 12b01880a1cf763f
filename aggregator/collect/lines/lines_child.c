/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/lines/lines_child.h"

#include "base/clock.h"
#include "collect/process/child_files.h"
#include "collect/process/child_sandbox.h"
#include "collect/process/child_signals.h"
#include "collect/lines/debug_lines.h"
#include "collect/lines/debug_object.h"
#include "symbols/line_table.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PATIENCE_S = 60,
	PIECE_BYTES = 1 << 16,
	ANSWER_BYTES_MAX = 256 << 20,
	NS_PER_MS = 1000000,
};

/* A kernel's file has up to 1.5 GB. It is mapped; compressed sections of it are not. */
static const ChildLimits limits = {
	.address_space_bytes = (uint64_t)16 << 30,
	.data_bytes = (uint64_t)2 << 30,
};

/* The first line of an answer. */
#define ANSWER_BUILD_ID "b "
#define ANSWER_NO_DEBUG "n"

/* In the child. */

static void write_all(int fd, GString *text)
{
	gsize done = 0;

	while (done < text->len) {
		ssize_t bytes = write(fd, text->str + done, text->len - done);

		if (bytes < 0 && errno != EINTR)
			_exit(1);
		done += bytes > 0 ? (gsize)bytes : 0;
	}
	g_string_truncate(text, 0);
}

static void append_frames(GString *out, const LinesRequest *request, uint64_t offset,
			  const DebugFrame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		line_table_append_line(out, request->key, offset,
				       &(LineFrame){
					       .function = frames[i].function,
					       .root = frames[i].root,
					       .file = frames[i].file,
					       .line = (uint32_t)MAX(frames[i].line, 0),
				       });
}

static bool find_address(DebugObject *object, const LinesRequest *request, const LinesPlace *place,
			 Dwarf_Addr *address)
{
	switch (request->kind) {
	case CODE_OF_KERNEL:
		return debug_object_kernel_address(object, place->offset, address);
	case CODE_OF_MODULE:
		return debug_object_section_address(object, request->section, place->offset,
						    address);
	case CODE_OF_PROGRAM:
		*address = place->address;
		return true;
	}
	return false;
}

static void answer_request(DebugObject *object, DebugLines *lines, const LinesRequest *request,
			   GString *out)
{
	DebugFrame frames[DEBUG_DEPTH_MAX];

	for (guint i = 0; i < request->places->len; i++) {
		const LinesPlace *place = &g_array_index(request->places, LinesPlace, i);
		Dwarf_Addr address;

		if (!find_address(object, request, place, &address))
			continue;
		append_frames(out, request, place->offset, frames,
			      debug_lines_find(lines, address, frames));
	}
}

static void answer(int file, int pipe, const char *build_id, const LinesRequest *requests,
		   guint count)
{
	DebugObject *object = debug_object_new(file);
	g_autofree char *found = object ? debug_object_build_id(object) : NULL;
	GString *out = g_string_new(NULL);
	bool is_right = !g_strcmp0(found, build_id);
	Dwarf *dwarf = is_right ? debug_object_dwarf(object) : NULL;
	DebugLines *lines;

	if (object && !is_right)
		g_string_append_printf(out, ANSWER_BUILD_ID "%s\n", found ? found : "-");
	else if (!dwarf)
		g_string_append(out, ANSWER_NO_DEBUG "\n");
	else
		g_string_append_printf(out, ANSWER_BUILD_ID "%s\n", found);
	write_all(pipe, out);
	lines = dwarf ? debug_lines_new(dwarf) : NULL;
	for (guint i = 0; lines && i < count; i++) {
		answer_request(object, lines, &requests[i], out);
		write_all(pipe, out);
	}
}

static void G_GNUC_NORETURN become_reader(int file, int pipe, const char *build_id,
					  const LinesRequest *requests, guint count)
{
	int fds[] = { file, pipe };
	struct itimerval timer = { .it_value.tv_sec = PATIENCE_S };

	child_signals_default();
	child_signals_unblock();
	prctl(PR_SET_NAME, "kmt-lines");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	child_files_keep_only(fds, G_N_ELEMENTS(fds));
	child_sandbox_drop_privileges();
	child_sandbox_close(&limits);
	setitimer(ITIMER_REAL, &timer, NULL);
	answer(fds[0], fds[1], build_id, requests, count);
	_exit(0);
}

/* In the program. */

void lines_outcome_clear(LinesOutcome *outcome)
{
	g_clear_pointer(&outcome->build_id, g_free);
	g_clear_pointer(&outcome->problem, g_free);
}

/* Appends what arrives until the end. Returns false if it takes too long, or is too much. */
static bool read_answer(GString *answer, int fd)
{
	uint64_t until_ns = clock_monotonic_ns() + (PATIENCE_S + 1) * UINT64_C(1000000000);
	char piece[PIECE_BYTES];
	ssize_t bytes = 1;

	while (bytes && answer->len < ANSWER_BYTES_MAX) {
		uint64_t now_ns = clock_monotonic_ns();
		struct pollfd ready = { .fd = fd, .events = POLLIN };

		if (now_ns >= until_ns)
			return false;
		if (poll(&ready, 1, (int)((until_ns - now_ns) / NS_PER_MS + 1)) < 1)
			continue;
		bytes = read(fd, piece, sizeof(piece));
		if (bytes > 0)
			g_string_append_len(answer, piece, bytes);
	}
	return !bytes;
}

/* Only lines of places that were asked for count: a stranger's file may have taken the process
   over. */
static bool is_of_request(TextPart line, const LinesRequest *requests, guint count)
{
	TextPart rest = line;
	TextPart key;

	if (!text_part_is(text_part_next_word(&rest), "l"))
		return false;
	key = text_part_next_word(&rest);
	for (guint i = 0; i < count; i++)
		if (text_part_is(key, requests[i].key))
			return true;
	return false;
}

static void take_lines(GString *out, TextPart rest, const LinesRequest *requests, guint count)
{
	TextPart line;

	while (text_part_next_line(&rest, &line)) {
		if (!is_of_request(line, requests, count))
			continue;
		g_string_append_len(out, line.text, (gssize)line.length);
		g_string_append_c(out, '\n');
	}
}

static LinesOutcome take_answer(GString *out, const GString *text, const char *build_id,
				const LinesRequest *requests, guint count)
{
	TextPart rest = { text->str, text->len }, first = { text->str, 0 };
	LinesOutcome outcome = { .result = LINES_NO_DEBUG };
	g_autofree char *found = NULL;

	text_part_next_line(&rest, &first);
	if (!g_str_has_prefix(text->str, ANSWER_BUILD_ID))
		return outcome;
	found = g_strndup(first.text + strlen(ANSWER_BUILD_ID),
			  first.length - strlen(ANSWER_BUILD_ID));
	if (!g_strcmp0(found, build_id)) {
		outcome.result = LINES_FOUND;
		take_lines(out, rest, requests, count);
		return outcome;
	}
	outcome.result = LINES_OTHER_FILE;
	outcome.build_id = strcmp(found, "-") != 0 ? g_steal_pointer(&found) : NULL;
	return outcome;
}

static LinesOutcome failed(char *problem)
{
	return (LinesOutcome){ .result = LINES_FAILED, .problem = problem };
}

/* Why a process ended early; NULL: it did not. */
static char *problem_of(bool is_whole, int status)
{
	if (!is_whole || (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM))
		return g_strdup_printf("reading it took longer than %d s", PATIENCE_S);
	if (WIFSIGNALED(status))
		return g_strdup_printf("the process that read it was ended by signal %d (%s)",
				       WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return g_strdup_printf("the process that read it ended with status %d",
				       WEXITSTATUS(status));
	return NULL;
}

static LinesOutcome wait_for(GString *out, pid_t pid, int pipe, const char *build_id,
			     const LinesRequest *requests, guint count)
{
	g_autoptr(GString) text = g_string_new(NULL);
	bool is_whole = read_answer(text, pipe);
	char *problem;
	int status = 0;

	if (!is_whole)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	problem = problem_of(is_whole, status);
	return problem ? failed(problem) : take_answer(out, text, build_id, requests, count);
}

LinesOutcome lines_child_read(GString *out, int fd, const char *build_id,
			      const LinesRequest *requests, guint count)
{
	LinesOutcome outcome;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return failed(g_strdup(g_strerror(errno)));
	pid = child_signals_fork();
	if (!pid)
		become_reader(fd, ends[1], build_id, requests, count);
	close(ends[1]);
	outcome = pid < 0 ? failed(g_strdup(g_strerror(errno)))
			  : wait_for(out, pid, ends[0], build_id, requests, count);
	close(ends[0]);
	return outcome;
}
