/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The encoder of hits of probe points: adds their records to a batch of batch_build.h. Like that
 * header, it is made for both the program and the kernel module, and allocates nothing.
 */
#ifndef KMT_RECORD_POINT_BUILD_H
#define KMT_RECORD_POINT_BUILD_H

#ifndef __KERNEL__
#include "record/batch_build.h"
#endif

/* A hit of a probe point. */
struct KmtPointFacts {
	uint64_t value;
	uint32_t weight;
	uint16_t point;
};

/* The maximum length in bytes of a hit with stacks of these depths. */
static inline uint32_t kmt_build_point_bytes(uint32_t depth, uint32_t user_depth)
{
	return sizeof(struct KmtTask) + 2 * sizeof(struct KmtStack) + (depth + user_depth) * 8 +
	       sizeof(struct KmtPointOrigin) + sizeof(struct KmtValue);
}

static inline uint16_t kmt_build_user_flags(const struct KmtWalk *walk)
{
	return (walk->truncated ? KMT_STACK_TRUNCATED : 0) |
	       (walk->with_data ? KMT_STACK_WITH_DATA : 0);
}

static inline bool kmt_build_user_stack_is(const struct KmtStack *stack, const struct KmtWalk *walk)
{
	const uint64_t *frames = (const uint64_t *)(stack + 1);
	uint32_t i;

	if (stack->head.type != KMT_RECORD_USTACK || stack->depth != walk->depth ||
	    stack->flags != kmt_build_user_flags(walk))
		return false;
	for (i = 0; i < walk->depth; i++)
		if (frames[i] != walk->frames[i])
			return false;
	return true;
}

static inline uint32_t kmt_build_define_user_stack(struct KmtBuilder *b, const struct KmtWalk *walk)
{
	struct KmtStack *stack =
		kmt_build_append(b, KMT_RECORD_USTACK, b->stacks, sizeof(*stack) + walk->depth * 8);
	uint64_t *frames = (uint64_t *)(stack + 1);
	uint32_t i;

	stack->depth = (uint16_t)walk->depth;
	stack->flags = kmt_build_user_flags(walk);
	for (i = 0; i < walk->depth; i++)
		frames[i] = walk->frames[i];
	return b->stacks++;
}

/* Returns the index of a stack of user frames, defining it if necessary. Measures the walk. */
static inline uint32_t kmt_build_user_stack(struct KmtBuilder *b, struct KmtWalk *walk)
{
	KmtOffset *seen;

	if (!walk->depth)
		return KMT_NONE;
	kmt_build_measure(walk, 0);
	seen = &b->stack_seen[walk->hash & (KMT_BUILD_SEEN - 1)];
	if (*seen && kmt_build_user_stack_is(kmt_build_at(b, *seen), walk))
		return ((const struct KmtStack *)kmt_build_at(b, *seen))->head.index;
	*seen = (KmtOffset)b->length;
	return kmt_build_define_user_stack(b, walk);
}

static inline bool kmt_build_point_origin_is(const struct KmtPointOrigin *a,
					     const struct KmtPointOrigin *b)
{
	return a->head.type == b->head.type && a->stack == b->stack &&
	       a->user_stack == b->user_stack && a->point == b->point && a->task == b->task;
}

/* Returns the index of a hit's origin, defining it if necessary. wanted: without its index. */
static inline uint32_t kmt_build_point_origin(struct KmtBuilder *b,
					      const struct KmtPointOrigin *wanted)
{
	uint32_t hash = (wanted->stack * 0x9e3779b1U) ^ (wanted->user_stack * 0x85ebca6bU) ^
			((uint32_t)wanted->point << 16 | wanted->task) * 0xc2b2ae35U;
	KmtOffset *seen = &b->origin_seen[(hash ^ hash >> 16) & (KMT_BUILD_SEEN - 1)];
	struct KmtPointOrigin *origin = kmt_build_at(b, *seen);
	struct KmtRecordHead head;

	if (*seen && kmt_build_point_origin_is(origin, wanted))
		return origin->head.index;
	*seen = (KmtOffset)b->length;
	origin = kmt_build_append(b, KMT_RECORD_POINT_ORIGIN, b->origins, sizeof(*origin));
	head = origin->head;
	*origin = *wanted;
	origin->head = head;
	return b->origins++;
}

/*
 * Appends a hit by the current task. stack: index of its kernel frames, or KMT_NONE. The caller has
 * made room for kmt_build_point_bytes() and added the task.
 */
static inline void kmt_build_point(struct KmtBuilder *b, const struct KmtPointFacts *facts,
				   uint32_t when, uint32_t stack, struct KmtWalk *user_walk)
{
	uint32_t user_stack = kmt_build_user_stack(b, user_walk);
	const struct KmtTask *task = kmt_build_at(b, b->task_at);
	const struct KmtPointOrigin origin = {
		.head = { .type = KMT_RECORD_POINT_ORIGIN },
		.stack = (uint16_t)stack,
		.user_stack = (uint16_t)user_stack,
		.point = facts->point,
		.task = user_stack == KMT_NONE ? KMT_NONE : task->head.index,
	};
	uint32_t index = kmt_build_point_origin(b, &origin);
	struct KmtValue *value = kmt_build_append(b, KMT_RECORD_VALUE, index, sizeof(*value));

	value->when = when;
	value->value = facts->value;
	value->weight = facts->weight;
	value->reserved = 0;
	b->events++;
}

/* Appends the columns of the hit that was appended last; text_bytes: at most
   KMT_COLUMNS_BYTES_MAX. */
static inline void kmt_build_columns(struct KmtBuilder *b, const char *text, uint32_t text_bytes)
{
	struct KmtColumns *columns =
		kmt_build_append(b, KMT_RECORD_COLUMNS, 0, sizeof(*columns) + text_bytes);

	/* Clears the padding, and some bytes that are written below. */
	memset(b->data + b->length - KMT_RECORD_UNIT_BYTES, 0, KMT_RECORD_UNIT_BYTES);
	columns->text_bytes = text_bytes;
	memcpy(columns + 1, text, text_bytes);
}

#endif
