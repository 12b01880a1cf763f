/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack, and the file whose code it calls: a header, the copy of the stack, then an ELF file,
 * which is mapped at the header's base. Code without a file is mapped behind it.
 */
#include "code/unwind/unwind_stack.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PROCESS = 1, OBJECT = 1, MAPPED_BYTES = 1 << 16, PLENTY = 256 << 20 };

typedef struct {
	uint64_t base;
	uint64_t stack_bytes;
	UnwindRegisters registers;
} Header;

/* libelf 0.188 leaks a little for files that are not valid. The process that reads them is
   short-lived and bounded. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf\nleak:libdw\n";
}

static void add_object(Unwinder *unwinder, const uint8_t *file, size_t size)
{
	int fd = memfd_create("object", MFD_CLOEXEC);

	if (fd < 0 || write(fd, file, size) != (ssize_t)size)
		abort();
	unwinder_add_object(unwinder, OBJECT, fd);
	close(fd);
}

static UserSpans *spans_at(uint64_t base)
{
	UserSpans *spans = user_spans_new();
	UserSpan file = {
		.start = base, .end = base + MAPPED_BYTES, .to_offset = -base, .object = OBJECT
	};
	UserSpan generated = { .start = file.end, .end = file.end + MAPPED_BYTES };

	if (file.end > file.start)
		user_spans_add(spans, &file, 2);
	if (generated.end > generated.start)
		user_spans_add(spans, &generated, 2);
	return spans;
}

static void expect_code(const UserSpans *spans, const UnwindStack *stack)
{
	if (!stack->depth || stack->depth > UNWIND_FRAMES_MAX ||
	    stack->end >= UNWIND_END_NOT_UNWOUND)
		abort();
	for (uint32_t i = 1; i < stack->depth; i++)
		if (!user_spans_find(spans, stack->frames[i], UINT64_MAX) &&
		    !user_spans_find(spans, stack->frames[i] - 1, UINT64_MAX))
			abort();
}

static void expect_same(const UnwindStack *a, const UnwindStack *b)
{
	if (a->end != b->end || a->depth != b->depth ||
	    memcmp(a->frames, b->frames, a->depth * sizeof(*a->frames)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(Unwinder) unwinder = unwinder_new(PLENTY);
	g_autoptr(GArray) spans = NULL;
	UnwindStack first, again;
	Header header;

	if (size < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	data += sizeof(header);
	size -= sizeof(header);
	header.stack_bytes = MIN(header.stack_bytes, size);
	UnwindCopy copy = { header.registers.values[UNWIND_SP], data, header.stack_bytes };

	spans = spans_at(header.base);
	add_object(unwinder, data + header.stack_bytes, size - header.stack_bytes);
	unwinder_set_maps(unwinder, PROCESS, spans);
	unwinder_walk(unwinder, PROCESS, &header.registers, &copy, &first);
	expect_code(spans, &first);
	/* Now from known rows. */
	unwinder_walk(unwinder, PROCESS, &header.registers, &copy, &again);
	expect_same(&first, &again);
	return 0;
}
