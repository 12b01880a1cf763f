/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program without frame pointers, whose stacks test_unwind_stack.c finds: functions with frames
 * of each kind. Each work() touches pages that no one has touched.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define NOT_INLINE __attribute__((noinline, noclone))

enum { PAGE = 4096, PAGES = 40, DEEP = 200, COPY_SKIP = 20000 };

/* Keeps a frame behind each call: no tail calls. */
static volatile uint64_t seen;

NOT_INLINE void work(void);
NOT_INLINE void plain(unsigned depth);
NOT_INLINE void with_alloca(size_t bytes);
NOT_INLINE void with_aligned_frame(unsigned depth);
NOT_INLINE void on_signal(int number);
NOT_INLINE void *in_thread(void *argument);
NOT_INLINE void deep(unsigned depth);
NOT_INLINE void with_large_frame(void);

void work(void)
{
	char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	if (pages == MAP_FAILED)
		return;
	for (size_t at = 0; at < PAGES; at++)
		((volatile char *)pages)[at * PAGE] = 1;
	munmap(pages, PAGES * PAGE);
	seen++;
}

void plain(unsigned depth)
{
	if (depth)
		plain(depth - 1);
	else
		work();
	seen += depth;
}

/* The size of the frame is known only when it runs. */
void with_alloca(size_t bytes)
{
	volatile char *room = alloca(bytes);

	room[0] = 1;
	plain(3);
	seen += (uint64_t)room[bytes - 1];
}

/* The compiler aligns the stack: the frame is found by another register. */
void with_aligned_frame(unsigned depth)
{
	_Alignas(64) volatile char room[128];

	room[0] = (char)depth;
	with_alloca(100 + depth * 16);
	seen += (uint64_t)room[0];
}

void on_signal(int number)
{
	(void)number;
	plain(2);
	seen++;
}

void *in_thread(void *argument)
{
	with_aligned_frame(7);
	return argument;
}

void deep(unsigned depth)
{
	volatile uint64_t local = depth;

	if (depth)
		deep(depth - 1);
	else
		work();
	seen += local;
}

/* What is behind it is in no copy. */
void with_large_frame(void)
{
	volatile char room[COPY_SKIP];

	for (size_t i = 0; i < sizeof(room); i++)
		room[i] = 0;
	work();
	seen += (uint64_t)room[1];
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "plain";
	pthread_t thread;

	if (!strcmp(what, "plain"))
		plain(5);
	if (!strcmp(what, "frames"))
		with_aligned_frame(3);
	if (!strcmp(what, "deep"))
		deep(DEEP);
	if (!strcmp(what, "large"))
		with_large_frame();
	if (!strcmp(what, "signal")) {
		signal(SIGUSR1, on_signal);
		raise(SIGUSR1);
	}
	if (!strcmp(what, "thread") && !pthread_create(&thread, NULL, in_thread, NULL))
		pthread_join(thread, NULL);
	return 0;
}
