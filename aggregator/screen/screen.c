/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen's thread: waits for data, keys and changes of the terminal, and draws. Two queues
 * connect it with the program: gifts in, commands out. Neither side waits for the other.
 */
#include "screen/screen.h"

#include "screen/keys.h"
#include "screen/replay.h"
#include "screen/terminal.h"
#include "screen/state.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	WRITTEN_COLUMNS_MIN = 200,
	LOOK_EVERY_MS = 100, /* how often to check the terminal's size and the output of stderr */
	END_PATIENCE_US = 2 * G_USEC_PER_SEC,
};

/* Something to show; one of the fields is set. */
typedef struct {
	RateTable *table;
	RateDetail *detail;
	char *saying;
	bool is_end; /* of the recording that is read */
	bool is_of_recording;
	char *recording;
} Gift;

struct Screen {
	ScreenState state; /* used by the thread only, like everything that is drawn */
	Terminal *terminal;
	GThread *thread;
	GAsyncQueue *gifts;    /* (element-type Gift*) */
	GAsyncQueue *commands; /* (element-type ScreenCommand*) */
	int wake_fd;
	gint is_ending; /* atomic */
	GMutex lock;    /* protects has_ended */
	GCond ended;
	bool has_ended;
};

static void gift_free(gpointer data)
{
	Gift *gift = data;

	g_clear_pointer(&gift->table, rate_table_free);
	g_clear_pointer(&gift->detail, rate_detail_free);
	g_free(gift->saying);
	g_free(gift->recording);
	g_free(gift);
}

static void command_free(gpointer data)
{
	ScreenCommand *command = data;

	g_free(command->text);
	g_free(command);
}

/* In the thread. */

/* Each of these returns whether there is something to draw. */

static bool take_gifts(Screen *screen)
{
	ScreenState *state = &screen->state;
	bool has_come = false;
	Gift *gift;

	for (; (gift = g_async_queue_try_pop(screen->gifts)); has_come = true) {
		if (gift->table)
			replay_take_table(state, g_steal_pointer(&gift->table));
		if (gift->detail)
			state_take_detail(state, g_steal_pointer(&gift->detail));
		if (gift->saying)
			state_say(state, "%s", gift->saying);
		if (gift->is_end)
			replay_end(state);
		if (gift->is_of_recording) {
			g_free(state->recording);
			state->recording = g_steal_pointer(&gift->recording);
		}
		gift_free(gift);
	}
	return has_come;
}

/* Writes the user's view to a file, with all its lines and full names. */
static bool write_view(Screen *screen)
{
	ScreenState *state = &screen->state;
	g_autoptr(GError) error = NULL;
	g_autoptr(Page) page = NULL;
	g_autofree char *path = g_steal_pointer(&state->write_to);

	if (!path)
		return false;
	page = views_page(state, MAX(terminal_width(screen->terminal), WRITTEN_COLUMNS_MIN));
	if (page_save(page, path, &error))
		state_say(state, "written: %s", path);
	else
		state_say(state, "%s", error->message);
	return true;
}

static void screen_draw(Screen *screen)
{
	g_autoptr(Page) page = views_page(&screen->state, terminal_width(screen->terminal));

	if (screen->state.wants_redraw)
		terminal_forget(screen->terminal);
	screen->state.wants_redraw = false;
	screen->state.lines = terminal_draw(screen->terminal, page);
}

/* Returns false when the terminal has gone. */
static bool wait_for_something(Screen *screen)
{
	struct pollfd files[] = {
		{ .fd = terminal_fd(screen->terminal), .events = POLLIN },
		{ .fd = screen->wake_fd, .events = POLLIN },
	};
	uint64_t count;

	poll(files, G_N_ELEMENTS(files), LOOK_EVERY_MS);
	if (files[1].revents & POLLIN)
		(void)!read(screen->wake_fd, &count, sizeof(count));
	return !(files[0].revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Takes keys, and messages, of which the last one is shown for a while. */
static bool take_input(Screen *screen)
{
	ScreenState *state = &screen->state;
	g_autofree char *line = NULL;
	bool has_come = false;
	int key;

	for (; (key = terminal_key(screen->terminal)) >= 0; has_come = true)
		keys_press(state, key);
	line = terminal_news(screen->terminal);
	if (line)
		state_say(state, "%s", line);
	if (!state->saying || g_get_monotonic_time() < state->saying_until_us)
		return has_come || line;
	state_unsay(state);
	return true;
}

static bool look_around(Screen *screen)
{
	bool changed = take_gifts(screen);

	changed |= take_input(screen);
	if (screen->state.tape)
		changed |= replay_tick(&screen->state, g_get_monotonic_time());
	changed |= write_view(screen);
	changed |= terminal_has_changed(screen->terminal);
	return changed;
}

static gpointer screen_live(gpointer data)
{
	Screen *screen = data;

	screen_draw(screen);
	while (!g_atomic_int_get(&screen->is_ending)) {
		if (!wait_for_something(screen)) {
			state_command(&screen->state, SCREEN_QUIT, 0, NULL);
			break;
		}
		if (look_around(screen))
			screen_draw(screen);
	}
	g_mutex_lock(&screen->lock);
	screen->has_ended = true;
	g_cond_signal(&screen->ended);
	g_mutex_unlock(&screen->lock);
	return NULL;
}

/* In the program. */

static void screen_wake(Screen *screen)
{
	uint64_t one = 1;

	(void)!write(screen->wake_fd, &one, sizeof(one));
}

Screen *screen_start(const ScreenOptions *options, GError **error)
{
	Terminal *terminal = terminal_open(error);
	sigset_t all, before;
	Screen *screen;

	if (!terminal)
		return NULL;
	screen = g_new0(Screen, 1);
	screen->terminal = terminal;
	screen->gifts = g_async_queue_new_full(gift_free);
	screen->commands = g_async_queue_new_full(command_free);
	screen->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	g_mutex_init(&screen->lock);
	g_cond_init(&screen->ended);
	state_init(&screen->state, options, screen->commands);
	screen->state.utf8 = terminal_is_utf8(terminal);
	/* The main thread handles signals. A thread inherits the blocked ones of its creator. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	screen->thread = g_thread_new("screen", screen_live, screen);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return screen;
}

static void screen_give(Screen *screen, Gift gift)
{
	g_async_queue_push(screen->gifts, g_memdup(&gift, sizeof(gift)));
	screen_wake(screen);
}

void screen_give_table(Screen *screen, RateTable *table)
{
	screen_give(screen, (Gift){ .table = table });
}

void screen_give_detail(Screen *screen, RateDetail *detail)
{
	screen_give(screen, (Gift){ .detail = detail });
}

void screen_say(Screen *screen, const char *text)
{
	screen_give(screen, (Gift){ .saying = g_strdup(text) });
}

void screen_end_recorded(Screen *screen)
{
	screen_give(screen, (Gift){ .is_end = true });
}

void screen_set_recording(Screen *screen, const char *path)
{
	screen_give(screen, (Gift){ .is_of_recording = true, .recording = g_strdup(path) });
}

bool screen_next_command(Screen *screen, ScreenCommand *command)
{
	ScreenCommand *next = g_async_queue_try_pop(screen->commands);

	*command = next ? *next : (ScreenCommand){ .kind = SCREEN_NOTHING };
	g_free(next);
	return next;
}

void screen_end(Screen *screen)
{
	gint64 until_us = g_get_monotonic_time() + END_PATIENCE_US;

	g_atomic_int_set(&screen->is_ending, 1);
	screen_wake(screen);
	g_mutex_lock(&screen->lock);
	while (!screen->has_ended) {
		if (g_cond_wait_until(&screen->ended, &screen->lock, until_us))
			continue;
		/* A terminal that accepts no output must not keep the program from ending. */
		terminal_drop_output(screen->terminal);
		until_us = g_get_monotonic_time() + END_PATIENCE_US;
	}
	g_mutex_unlock(&screen->lock);
	g_thread_join(screen->thread);
	terminal_close(screen->terminal);
	state_clear(&screen->state);
	g_async_queue_unref(screen->gifts);
	g_async_queue_unref(screen->commands);
	g_mutex_clear(&screen->lock);
	g_cond_clear(&screen->ended);
	close(screen->wake_fd);
	g_free(screen);
}
