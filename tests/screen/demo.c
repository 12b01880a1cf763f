/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interactive mode without a run: `demo LOG TABLES` shows that many made tables, two a second,
 * and then the last one; what the user wants goes to the file LOG, one line a command. With
 * "message" as third word it ends with one on stderr after the last table, as a collector does that
 * fails.
 */
#include "process/watchdog.h"
#include "screen/made_tables.h"
#include "screen/screen.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_EVERY_US = 100000, LOOKS_A_TABLE = 5 };

typedef struct {
	Screen *screen;
	FILE *log;
	char *open; /* the cache; NULL: none */
	char key[32];
	unsigned looks_open;
	bool ended;
} Demo;

static volatile sig_atomic_t was_asked_to_end;

static void on_signal(int number)
{
	(void)number;
	was_asked_to_end = 1;
}

static void obey(Demo *demo, const ScreenCommand *command)
{
	static const char *const names[] = {
		[SCREEN_NOTHING] = "nothing",   [SCREEN_QUIT] = "quit",
		[SCREEN_INTERVAL] = "interval", [SCREEN_OPEN] = "open",
		[SCREEN_CLOSE] = "close",       [SCREEN_GROUP] = "group",
		[SCREEN_RECORD] = "record",     [SCREEN_STOP_RECORDING] = "stop recording",
		[SCREEN_HOLD] = "hold",         [SCREEN_PLAY] = "play",
		[SCREEN_STEP] = "step",         [SCREEN_TO_END] = "to end",
	};

	fprintf(demo->log, "%s %g %s\n", names[command->kind], command->seconds,
		command->text ? command->text : "-");
	fflush(demo->log);
	demo->ended |= command->kind == SCREEN_QUIT;
	if (command->kind == SCREEN_GROUP)
		g_strlcpy(demo->key, command->text, sizeof(demo->key));
	if (command->kind != SCREEN_OPEN && command->kind != SCREEN_CLOSE)
		return;
	g_free(demo->open);
	demo->open = g_strdup(command->text);
	demo->looks_open = 0;
}

static void give_detail(Demo *demo)
{
	if (demo->open && demo->looks_open++ % LOOKS_A_TABLE == LOOKS_A_TABLE - 1)
		screen_give_detail(demo->screen, made_detail(demo->open, 12, demo->key));
}

static void run(Demo *demo, unsigned tables, bool fails)
{
	for (unsigned look = 0; !demo->ended && !was_asked_to_end; look++) {
		ScreenCommand command;

		if (look % LOOKS_A_TABLE == 0 && look / LOOKS_A_TABLE < tables)
			screen_give_table(demo->screen, made_table(look / LOOKS_A_TABLE));
		if (fails && look / LOOKS_A_TABLE > tables) {
			fprintf(stderr, "demo: the collector is gone\n");
			return;
		}
		while (screen_next_command(demo->screen, &command)) {
			obey(demo, &command);
			g_free(command.text);
		}
		give_detail(demo);
		g_usleep(LOOK_EVERY_US);
	}
}

int main(int argc, char **argv)
{
	const ScreenOptions options = {
		.program = "demo",
		.columns = made_columns,
		.sort = rate_sort_default,
		.interval_s = 1,
		.collector = "perf",
		.covers = "kmalloc, cache",
	};
	g_autoptr(GError) error = NULL;
	Demo demo = { .key = "process" };

	if (argc < 3 || !(demo.log = fopen(argv[1], "we")) || !watchdog_start(NULL, NULL))
		return EXIT_FAILURE;
	signal(SIGTERM, on_signal);
	demo.screen = screen_start(&options, &error);
	if (!demo.screen) {
		fprintf(stderr, "demo: %s\n", error->message);
		return EXIT_FAILURE;
	}
	run(&demo, (unsigned)strtoul(argv[2], NULL, 10), argc > 3);
	screen_end(demo.screen);
	watchdog_end();
	fclose(demo.log);
	g_free(demo.open);
	return EXIT_SUCCESS;
}
