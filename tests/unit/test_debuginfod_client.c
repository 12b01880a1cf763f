/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/lines/debug_files.h"

#include "temporary.h"

#include <criterion/criterion.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A server with a file that never ends. */
typedef struct {
	pid_t pid;
	char *url; /* owned */
} Server;

static void G_GNUC_NORETURN serve(int listening, unsigned pause_us)
{
	static const char head[] = "HTTP/1.0 200 OK\r\n"
				   "Content-Type: application/octet-stream\r\n\r\n";
	static const char zeros[64 << 10];

	signal(SIGPIPE, SIG_IGN);
	for (;;) {
		int client = accept(listening, NULL, NULL);
		ssize_t sent = write(client, head, sizeof(head) - 1);

		while (sent > 0) {
			sent = write(client, zeros, sizeof(zeros));
			g_usleep(pause_us);
		}
		close(client);
	}
}

static Server start_server(unsigned pause_us)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	Server server;

	cr_assert_eq(bind(listening, (struct sockaddr *)&address, sizeof(address)), 0);
	cr_assert_eq(listen(listening, 8), 0);
	cr_assert_eq(getsockname(listening, (struct sockaddr *)&address, &length), 0);
	server.url = g_strdup_printf("http://127.0.0.1:%u", ntohs(address.sin_port));
	server.pid = fork();
	if (!server.pid)
		serve(listening, pause_us);
	close(listening);
	return server;
}

static void stop_server(Server *server)
{
	kill(server->pid, SIGKILL);
	waitpid(server->pid, NULL, 0);
	g_free(server->url);
}

/* Expects that the download ends with this problem. */
static void expect_problem(unsigned pause_us, const char *wanted)
{
	g_autoptr(TemporaryFolder) cache = temporary_folder();
	Server server = start_server(pause_us);
	g_autofree char *problem = NULL;
	g_autofree char *path = NULL;
	DebuginfodClient *client;

	g_setenv("DEBUGINFOD_CACHE_PATH", cache, TRUE);
	client = debuginfod_client_new(server.url, false, NULL);
	if (!client) {
		stop_server(&server);
		temporary_remove(cache);
		cr_skip_test("no libdebuginfod");
	}
	path = debuginfod_client_fetch(client, "0123456789abcdef0123", "vmlinux", &problem);
	cr_expect_null(path);
	cr_assert_not_null(problem);
	cr_expect_not_null(strstr(problem, wanted), "%s", problem);
	debuginfod_client_free(client);
	stop_server(&server);
}

Test(debuginfod_client, a_file_that_is_too_large_is_not_fetched, .timeout = 60)
{
	g_setenv("DEBUGINFOD_MAXSIZE", "20000000", TRUE);
	expect_problem(0, "the file has more than 20 MB");
}

Test(debuginfod_client, a_download_that_takes_too_long_is_ended, .timeout = 60)
{
	g_unsetenv("DEBUGINFOD_MAXSIZE");
	g_setenv("DEBUGINFOD_MAXTIME", "2", TRUE);
	expect_problem(10000, "took longer than 2 s");
}
