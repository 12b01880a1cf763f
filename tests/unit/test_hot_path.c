/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "bench/stream_builder.h"
#include "leaks.h"
#include "session/session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <malloc.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(hot_path);

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ALLOCATOR_IS_REPLACED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ALLOCATOR_IS_REPLACED
#endif

#if defined(ALLOCATOR_IS_REPLACED)
static unsigned long allocation_count(void)
{
	cr_skip_test("AddressSanitizer brings its own allocator, whose calls are not counted");
	return 0;
}
#else
/*
 * Every allocation of this program passes here, so that the tests can count them. glibc exports
 * its own functions under these names for that.
 */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

static volatile unsigned long allocations;

void *malloc(size_t bytes)
{
	allocations++;
	return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	allocations++;
	return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
	allocations++;
	return __libc_realloc(old, bytes);
}

static unsigned long allocation_count(void)
{
	return allocations;
}
#endif

enum { STACKS = 500, DEPTH = 20, TASKS = 3, EVENTS = 100000 };

typedef struct {
	StreamCpu cpu;
	GByteArray *bytes;
	uint64_t frames[STACKS][DEPTH];
} Source;

static Source *source_new(void)
{
	Source *source = g_new0(Source, 1);

	source->bytes = g_byte_array_new();
	source->cpu.frame_base = 0xffffffff00000000ULL;
	source->cpu.sink = stream_sink_bytes;
	source->cpu.user_data = source->bytes;
	for (unsigned i = 0; i < STACKS * DEPTH; i++)
		source->frames[i / DEPTH][i % DEPTH] = 0xffffffff81000000ULL + i * 64;
	return source;
}

static void source_free(Source *source)
{
	g_byte_array_unref(source->bytes);
	g_free(source);
}

/* The same stacks and tasks whenever it is called; only time goes on. */
static void source_fill(Source *source, unsigned events)
{
	g_byte_array_set_size(source->bytes, 0);
	for (unsigned i = 0; i < events; i++) {
		unsigned stack = i * 7 % STACKS;
		StreamTask task = { .tgid = 1 + i / STACKS % TASKS, .comm = "task" };
		StreamOrigin origin = { stack, source->frames[stack], DEPTH, 100, 128 };

		source->cpu.now_ns += 1000;
		stream_put_event(&source->cpu, &task, &origin, KMT_RECORD_ALLOC, 1 + i);
	}
	stream_close_batch(&source->cpu);
}

static void feed(Session *session, const GByteArray *bytes)
{
	const size_t chunk_bytes = 60001; /* cuts batches anywhere */

	for (size_t at = 0; at < bytes->len; at += chunk_bytes)
		session_feed(session, bytes->data + at, MIN(chunk_bytes, bytes->len - at));
}

Test(hot_path, known_stacks_are_counted_without_any_allocation)
{
	unsigned long before = allocation_count();
	Source *source = source_new();
	Session *session = session_new((size_t)64 << 20);
	size_t memory, in_use;

	source_fill(source, STACKS * TASKS);
	feed(session, source->bytes);
	source_fill(source, EVENTS);
	memory = profile_memory(session->profile);
	in_use = mallinfo2().uordblks;
	before = allocation_count();
	feed(session, source->bytes);

	/* Asserts allocate, too: the numbers are taken before the first one. */
	unsigned long calls = allocation_count() - before;
	size_t in_use_after = mallinfo2().uordblks;

	cr_expect(eq(u64, profile_totals(session->profile).events, STACKS * TASKS + EVENTS));
	cr_expect(eq(ulong, calls, 0), "calls of malloc, calloc or realloc");
	cr_expect(eq(sz, in_use_after, in_use));
	cr_expect(eq(sz, profile_memory(session->profile), memory));
	session_free(session);
	source_free(source);
}

/* The counter itself must be able to count, else the test above proves nothing. */
Test(hot_path, an_allocation_is_seen_by_the_counter)
{
	unsigned long before = allocation_count();
	void *volatile room = g_malloc(100);
	unsigned long after = allocation_count();

	g_free(room);
	cr_expect(eq(ulong, after - before, 1));
}
