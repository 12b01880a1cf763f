/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only file that draws with ncurses: takes over terminal, signals and stderr, draws pages,
 * reads keys, and puts everything back. Registered with the watchdog, which does so after a kill.
 */
#include "config.h"

#include "screen/terminal.h"

#include "base/escape.h"
#include "process/watchdog.h"
#include "screen/page.h"

#include <curses.h>
#include <errno.h>
#include <gio/gio.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

enum { ESCAPE_DELAY_MS = 25, CHUNK_BYTES = 4096 };

/* Output to stderr while we draw; file NULL: it is not kept. */
typedef struct {
	int terminal; /* the original stderr */
	FILE *file;
	off_t seen; /* how much of it was shown */
} KeptStderr;

struct Terminal {
	FILE *in; /* owned unless it is stdin */
	SCREEN *screen;
	struct termios modes; /* original modes */
	struct termios drawn; /* while we draw */
	char path[PATH_MAX];
	char *farewell;
	KeptStderr kept;
	bool is_utf8;
	guint first; /* first visible line of the body */
};

static ssize_t stderr_read(const KeptStderr *kept, char *bytes, off_t at)
{
	return pread(fileno(kept->file), bytes, CHUNK_BYTES, at);
}

static void stderr_put_back(KeptStderr *kept)
{
	char bytes[CHUNK_BYTES];
	ssize_t length;

	if (!kept->file)
		return;
	fflush(stderr);
	dup2(kept->terminal, STDERR_FILENO);
	close(kept->terminal);
	for (off_t at = 0; (length = stderr_read(kept, bytes, at)) > 0; at += length)
		if (write(STDERR_FILENO, bytes, (size_t)length) != length)
			break;
	fclose(kept->file);
}

static bool terminal_refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool terminal_refuse(GError **error, const char *format, ...)
{
	g_autofree char *why = NULL;
	va_list arguments;

	va_start(arguments, format);
	why = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
		    "no interactive mode: %s; -C prints plain tables", why);
	return false;
}

/* initscr() would end the program if the terminal is unknown. */
static bool is_capable(GError **error)
{
	const char *name = g_getenv("TERM");
	const char *shown = name && *name && g_str_is_ascii(name) ? name : "not set";
	int known = 0;
	bool can_move;

	if (!isatty(STDOUT_FILENO))
		return terminal_refuse(error, "stdout is not a terminal");
	if (!name || setupterm(NULL, STDOUT_FILENO, &known) != OK || known != 1)
		return terminal_refuse(error, "unknown terminal type, TERM is %.40s", shown);
	can_move = cursor_address && clear_screen;
	del_curterm(cur_term);
	return can_move ||
	       terminal_refuse(error, "this terminal cannot move its cursor, TERM is %.40s", shown);
}

/* Appends a string of the terminal's description, without its delays. */
static void append_sequence(GString *out, const char *text)
{
	while (text && *text) {
		const char *delay = strstr(text, "$<");

		g_string_append_len(out, text, delay ? delay - text : (gssize)strlen(text));
		text = delay ? strchr(delay, '>') : NULL;
		text = text ? text + 1 : NULL;
	}
}

static WatchdogItem item_of(const Terminal *terminal)
{
	return (WatchdogItem){
		.kind = WATCHDOG_TERMINAL,
		.path = terminal->path,
		.modes = &terminal->modes,
		.text = terminal->farewell,
	};
}

static void terminal_watch(Terminal *terminal)
{
	GString *farewell = g_string_new(NULL);
	WatchdogItem item;

	append_sequence(farewell, keypad_local);
	append_sequence(farewell, exit_attribute_mode);
	append_sequence(farewell, cursor_normal);
	append_sequence(farewell, exit_ca_mode);
	terminal->farewell = g_string_free(farewell, FALSE);
	if (ttyname_r(STDOUT_FILENO, terminal->path, sizeof(terminal->path)))
		return;
	item = item_of(terminal);
	watchdog_add(&item);
}

static const struct {
	PageLook look;
	int attributes; /* without colours */
	short colour;   /* of the text; -1: default */
} looks[] = {
	[LOOK_PLAIN] = { LOOK_PLAIN, A_NORMAL, -1 },
	[LOOK_STATE] = { LOOK_STATE, A_NORMAL, COLOR_CYAN },
	[LOOK_TITLE] = { LOOK_TITLE, A_BOLD | A_UNDERLINE, COLOR_GREEN },
	[LOOK_SAYING] = { LOOK_SAYING, A_BOLD, COLOR_YELLOW },
	[LOOK_SUM] = { LOOK_SUM, A_BOLD, -1 },
	[LOOK_KEYS] = { LOOK_KEYS, A_NORMAL, COLOR_CYAN },
};

static int attributes_of(PageLook look)
{
	return (int)((unsigned)looks[look].attributes | (unsigned)COLOR_PAIR((int)look + 1));
}

/* Ctrl-C and Ctrl-Z become keys: while the program owns the terminal, it must not be stopped, and
   must keep reading events. */
static void terminal_begin(Terminal *terminal)
{
	const char *unwanted = g_getenv("NO_COLOR");

	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
	curs_set(0);
	if (!(unwanted && *unwanted) && has_colors() && start_color() == OK) {
		use_default_colors();
		for (size_t i = 0; i < G_N_ELEMENTS(looks); i++)
			init_pair((short)(i + 1), looks[i].colour, -1);
	}
	refresh();
	tcgetattr(fileno(terminal->in), &terminal->drawn);
}

static void terminal_free(Terminal *terminal)
{
	if (terminal->in && terminal->in != stdin)
		fclose(terminal->in);
	g_free(terminal->farewell);
	g_free(terminal);
}

static bool start(Terminal *terminal, GError **error)
{
	/* ncurses would end the program or draw from a handler of these signals, so the program's
	   own handlers are kept. */
	static const int kept_signals[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	struct sigaction kept_actions[G_N_ELEMENTS(kept_signals)];

	if (!is_capable(error))
		return false;
	terminal->in = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "re");
	if (!terminal->in || tcgetattr(fileno(terminal->in), &terminal->modes))
		return terminal_refuse(error, "no terminal to read keys from: %s",
				       g_strerror(errno));
	/* Only the character set depends on the locale. */
	setlocale(LC_CTYPE, "");
	terminal->is_utf8 = g_str_equal(nl_langinfo(CODESET), "UTF-8");
	for (size_t i = 0; i < G_N_ELEMENTS(kept_signals); i++)
		sigaction(kept_signals[i], NULL, &kept_actions[i]);
	terminal->screen = newterm(NULL, stdout, terminal->in);
	for (size_t i = 0; i < G_N_ELEMENTS(kept_signals); i++)
		sigaction(kept_signals[i], &kept_actions[i], NULL);
	return terminal->screen || terminal_refuse(error, "the terminal could not be set up");
}

Terminal *terminal_open(GError **error)
{
	Terminal *terminal = g_new0(Terminal, 1);
	KeptStderr *kept = &terminal->kept;

	if (!start(terminal, error)) {
		terminal_free(terminal);
		return NULL;
	}
	terminal_watch(terminal);
	terminal_begin(terminal);
	kept->file = isatty(STDERR_FILENO) ? tmpfile() : NULL;
	if (kept->file) {
		kept->terminal = dup(STDERR_FILENO);
		fflush(stderr);
		dup2(fileno(kept->file), STDERR_FILENO);
	}
	return terminal;
}

void terminal_close(Terminal *terminal)
{
	WatchdogItem item = item_of(terminal);

	endwin();
	tcsetattr(fileno(terminal->in), TCSANOW, &terminal->modes);
	watchdog_withdraw(&item);
	delscreen(terminal->screen);
	stderr_put_back(&terminal->kept);
	terminal_free(terminal);
}

bool terminal_is_utf8(const Terminal *terminal)
{
	return terminal->is_utf8;
}

int terminal_fd(const Terminal *terminal)
{
	return fileno(terminal->in);
}

int terminal_key(Terminal *terminal)
{
	int key = getch();

	(void)terminal;
	return key == ERR ? -1 : key;
}

char *terminal_news(Terminal *terminal)
{
	KeptStderr *kept = &terminal->kept;
	char bytes[CHUNK_BYTES + 1];
	GString *line;
	ssize_t length;
	char *start;

	if (!kept->file || (length = stderr_read(kept, bytes, kept->seen)) <= 0)
		return NULL;
	kept->seen += length;
	bytes[length] = '\0';
	g_strchomp(bytes);
	start = strrchr(bytes, '\n');
	line = g_string_new(NULL);
	escape_append(line, start ? start + 1 : bytes);
	return g_string_free(line, FALSE);
}

bool terminal_has_changed(Terminal *terminal)
{
	int in = fileno(terminal->in);
	struct termios modes;
	struct winsize size;
	bool is_resized = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col &&
			  (size.ws_row != LINES || size.ws_col != COLS);

	if (is_resized)
		resizeterm(size.ws_row, size.ws_col);
	/* If the program was stopped, the shell may have left its own modes. */
	if (tcgetpgrp(in) != getpgrp() || tcgetattr(in, &modes) ||
	    modes.c_lflag == terminal->drawn.c_lflag)
		return is_resized;
	tcsetattr(in, TCSANOW, &terminal->drawn);
	terminal_forget(terminal);
	return true;
}

void terminal_forget(Terminal *terminal)
{
	(void)terminal;
	endwin();
	clearok(curscr, TRUE);
	refresh();
}

unsigned terminal_width(const Terminal *terminal)
{
	(void)terminal;
	return (unsigned)COLS;
}

/* The width is checked again, whatever the source of the text: no line may wrap into the next. */
static void draw_line(const Terminal *terminal, int at, const PageLine *line, int attributes)
{
	g_autoptr(GString) text = g_string_new(NULL);

	fit_left(text, line->text, (unsigned)COLS, terminal->is_utf8);
	attrset(attributes);
	mvaddnstr(at, 0, text->str, (int)text->len);
	attrset(A_NORMAL);
}

static int draw_part(const Terminal *terminal, int at, const GArray *part)
{
	for (guint i = 0; i < part->len && at < LINES; i++) {
		const PageLine *line = &g_array_index(part, PageLine, i);

		draw_line(terminal, at++, line, attributes_of(line->look));
	}
	return at;
}

unsigned terminal_draw(Terminal *terminal, const Page *page)
{
	int foot = MAX(LINES - (int)page->foot->len, 0), at;
	unsigned seen;

	erase();
	at = draw_part(terminal, 0, page->head);
	seen = (unsigned)MAX(foot - at, 1);
	terminal->first = page_scroll(page, terminal->first, seen);
	for (guint i = terminal->first; i < page->body->len && at < foot; i++) {
		const PageLine *line = &g_array_index(page->body, PageLine, i);
		int selected = page->selected == (int)i ? A_REVERSE : 0;

		draw_line(terminal, at++, line, attributes_of(line->look) | selected);
	}
	draw_part(terminal, foot, page->foot);
	curs_set(page->cursor >= 0);
	if (page->cursor >= 0)
		move(LINES - 1, MIN(page->cursor, COLS - 1));
	refresh();
	return seen;
}

void terminal_drop_output(Terminal *terminal)
{
	(void)terminal;
	tcflush(STDOUT_FILENO, TCOFLUSH);
}
