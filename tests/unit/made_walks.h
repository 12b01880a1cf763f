/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the emitter's stack walk on many made-up stacks, beside the made-up kernel's. */
#pragma once

#include "record/format.h"
#include "made_stacks.h"

typedef struct {
	const char *name;
	const char *mode; /* of the parameter kmt_stack_walk */
	unsigned walks;
	unsigned routes; /* different stacks, but for the noise */
	unsigned calls_max, interrupts;
	unsigned depth;          /* 0: KMT_STACK_DEPTH_MAX */
	unsigned code_lives_for; /* walks; 0: for ever */
	Kind own;
	bool hostile;  /* damage a word of each stack, and walk again */
	bool unawares; /* the emitter does not hear that the code changes */
} Plan;

/* The emitter's CPU, the kernel's, and the hashes of the stacks in the open batch. */
static struct {
	struct kmt_cpu emitters, kernels;
	u32 hash[KMT_BUILD_BYTES / sizeof(struct KmtStack)];
	u64 noise;
	unsigned different, not_in_batch;
} walks;

static void open_batch(struct kmt_cpu *k)
{
	k->batch = k->batches;
	if (k->batch->length &&
	    kmt_build_has_room(k->batch, kmt_build_event_bytes(KMT_STACK_DEPTH_MAX)))
		return;
	k->batch_number++;
	kmt_build_open(k->batch, 0, 1, kmt.frame_base);
}

static const char *walks_start(const Plan *plan)
{
	memset(&walks, 0, sizeof(walks));
	memset(&kmt_walk, 0, sizeof(kmt_walk));
	memset(&kmt_difference, 0, sizeof(kmt_difference));
	walks.noise = 88172645463325252ULL;
	kmt.depth = plan->depth ? plan->depth : KMT_STACK_DEPTH_MAX;
	kmt.frame_base = TEXT;
	make_stack_memory();
	make_code(1, plan->own);
	kmt_stack_walk_parameter->set(plan->mode, NULL);
	return kmt_walk.why_not;
}

static void walks_end(void)
{
	kmt_stack_walk_parameter->free(NULL);
	free_stack_memory();
}

static bool same_walk(const struct KmtWalk *a, const struct KmtWalk *b)
{
	return a->depth == b->depth && a->truncated == b->truncated && a->hash == b->hash &&
	       a->narrow == b->narrow &&
	       !memcmp(a->frames, b->frames, a->depth * sizeof(*a->frames));
}

/* A memo knows which stack of the batch is its own. */
static bool stack_is_in_batch(struct kmt_cpu *k, struct KmtWalk *walk, struct kmt_memo *memo)
{
	u32 stacks;

	open_batch(k);
	stacks = k->batch->stacks;
	kmt_recall_stack(k, walk, memo);
	if (!walk->known)
		return true;
	if (walk->known > stacks)
		walks.hash[walk->known - 1] = walk->hash;
	return walk->known <= k->batch->stacks && walks.hash[walk->known - 1] == walk->hash;
}

static void walk_both_ways(void)
{
	struct KmtWalk ours = { .depth = 0 }, kernels = { .depth = 0 };
	struct kmt_memo *memo = NULL;

	kmt_walk_by_kernel(&walks.kernels, &kernels);
	kmt_walk_stack(&walks.emitters, 0, &ours, &memo, TEXT, 1);
	walks.not_in_batch += !stack_is_in_batch(&walks.emitters, &ours, memo);
	if (memo)
		kmt_memo_frames(memo, walks.emitters.frames);
	if (memo)
		ours.frames = walks.emitters.frames;
	walks.different += !same_walk(&ours, &kernels);
}

/* Damages BP, or one of the words that the kernel reads. */
static void walk_damaged_stack(void)
{
	unsigned reads = min(made.reads_n, (unsigned)ARRAY_SIZE(made.reads));
	unsigned long at = reads ? made.reads[random_below(&walks.noise, reads)] : 0, word;

	if (random_below(&walks.noise, 8) == 0)
		at = (unsigned long)&made.bp;
	else if ((at - made.begin[0] >= THREAD_SIZE && at - made.begin[1] >= THREAD_SIZE) || at % 8)
		return;
	word = WORD(at);
	WORD(at) = random_below(&walks.noise, 3) ? hostile_word(&walks.noise)
						 : word + 8UL * random_below(&walks.noise, 20) - 80;
	/* How many of its own frames the emitter skips is learned from whole stacks. */
	walks.emitters.own_frames = walks.kernels.own_frames = 0;
	walk_both_ways();
	WORD(at) = word;
}

/* The stack stays: a memo that is still known would find its words. */
static void other_code(const Plan *plan, unsigned seed)
{
	make_code(seed, plan->own);
	if (!plan->unawares)
		kmt_module_notifier.notifier_call(&kmt_module_notifier, 0, NULL);
	walk_both_ways();
}

static void walks_run(const Plan *plan)
{
	for (unsigned i = 0; i < plan->walks; i++) {
		u64 route = 1 + random_below(&walks.noise, plan->routes);

		if (plan->code_lives_for && i % plan->code_lives_for == plan->code_lives_for - 1)
			other_code(plan, i);
		make_stack(route * 0x9e3779b97f4a7c15ULL, plan->calls_max, plan->interrupts,
			   &walks.noise);
		made.reads_n = 0;
		walk_both_ways();
		if (plan->hostile)
			walk_damaged_stack();
	}
}

static inline const struct kmt_walk_counts *walk_counts(void)
{
	return &kmt_walkers[0]->counts;
}
