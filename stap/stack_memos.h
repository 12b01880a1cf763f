/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memos of whole stacks: each CPU remembers the stacks that it walked by rules, and recognises them
 * by comparing their words. The build copies this into the emitter.
 *
 * Why a memo is right if all of its words are still there: the walk starts at a fixed place in our
 * own code. The rule of that address says where the first return address lies; the memo has found
 * its own there, so the walk would find it, too. The rule of that one says where the next one lies,
 * and so on. Rules depend on the code alone, and a memo is dropped with the rules.
 *
 * A memo has parts. In a part all words have fixed distances from its base. Where the distance is
 * not fixed, a new part starts, whose base is a word of an earlier part: the end of the interrupt
 * stack, the registers of an interrupt, or a saved BP (do_syscall_64() moves the stack at random).
 * Other frames found by BP stay in the part: their BP is remembered as a distance.
 */
#ifndef KMT_STACK_MEMOS_H
#define KMT_STACK_MEMOS_H

#ifdef KMT_HAS_OWN_WALK
enum {
	KMT_MEMO_SLOTS = 474, /* even */
	KMT_MEMO_SLOT_WORDS = 32,
	KMT_MEMO_PARTS = 4,
	KMT_MEMO_TRIES = 8,
	KMT_MEMO_VICTIMS = 8, /* the oldest of so many memos makes room for a new one */
	KMT_MEMO_INDEX_BITS = 11,
	KMT_MEMO_HINT_BITS = 9,
	KMT_MEMO_PART_SHIFT = 14,
	KMT_MEMO_AT_MAX = (1 << KMT_MEMO_PART_SHIFT) - 1,

	KMT_MEMO_OTHER = 1, /* for the next key: not a return address is different */

	KMT_TURNS_MAX = 12,
};

/* Where a walk is. */
struct kmt_place {
	unsigned long ip, sp, bp;
};

enum kmt_stack_kind { KMT_STACK_TASK, KMT_STACK_IRQ };

/* A stack's first byte, and the one after its last. */
struct kmt_bounds {
	unsigned long begin, end;
};

/* A step of a walk to a frame at no fixed distance from the one before. */
struct kmt_turn {
	unsigned char frame; /* index of the frame found by it */
	unsigned char kind;  /* KMT_STEP_... */
	unsigned char stack; /* that the frame lies on: enum kmt_stack_kind */
	unsigned long from;  /* address of the word that was read; 0: BP was in its register */
	unsigned long value; /* ... and the word */
	/* KMT_STEP_BP_SAVED: address of the word that has the frame's address, and that address. */
	unsigned long saved, frame_address;
};

/* A walk by rules, beside the return addresses. */
struct kmt_trail {
	unsigned epoch;                          /* of the rules when it began */
	unsigned turns;                          /* may be more than there is room for */
	struct kmt_turn turn[KMT_TURNS_MAX + 1]; /* the last is for a step that is not kept */
	unsigned long at[KMT_WALK_FRAMES_MAX];   /* addresses of the return addresses */
	unsigned long user_regs;  /* address of the registers at the end; 0: there are none */
	unsigned char user_stack; /* the stack at the end */
};

struct kmt_memo_part {
	u8 words;     /* number of return addresses in this part ... */
	u8 distances; /* ... and of distances after them */
	u16 base_at;  /* where the base is read: like kmt_memo_word.at */
	u16 extent;   /* all words of the part lie below this many words above its base */
};

/* A word of the stack. */
struct kmt_memo_word {
	union {
		s32 return_address; /* its lower half */
		struct {
			/* The word has an address: its distance from the part's base, in bytes. */
			u16 distance;
			/* It is needed to find this return address of the part, and later ones. */
			u16 needed_by;
		};
	};
	u16 at; /* words above a base; the part of this base, in the upper bits */
} __packed;

struct kmt_memo {
	u32 ip;  /* where the walk starts, lower half; 0: no memo */
	u32 key; /* under which the search finds it */
	u32 epoch;
	u32 hash;        /* of the stack; see KmtWalk */
	u32 passed_in;   /* number of the batch, plus one, when a search last passed here */
	u32 stack_in;    /* number of the batch, plus one, that has the stack ... */
	u16 stack;       /* ... and its index there */
	u16 register_bp; /* BP at the start, in words above SP; 0: it does not matter */
	u16 regs_at;     /* user registers, in words above the last base; 0: none */
	u8 own;          /* number of return addresses that are ours; they come first */
	u8 depth;        /* frames of the stack, after ours */
	u8 parts;
	bool narrow : 1, truncated : 1;
	u8 stacks;      /* a bit per part: it is on the interrupt stack */
	u8 interrupted; /* a bit per part: its base is the SP of an interrupt's registers */
	struct kmt_memo_part part[KMT_MEMO_PARTS];
};

/* A long memo takes two slots; the first has an even number. */
struct kmt_memo_slot {
	struct kmt_memo memo;
	struct kmt_memo_word words[KMT_MEMO_SLOT_WORDS];
};

enum {
	KMT_MEMO_WORDS_MAX = (2 * sizeof(struct kmt_memo_slot) - sizeof(struct kmt_memo)) /
			     sizeof(struct kmt_memo_word),
};

/* A memo that is being made, in memory of its own: not every stack becomes a memo. The distances of
   a part follow its return addresses. */
struct kmt_draft {
	struct kmt_memo_slot slots[2];
	struct kmt_memo *memo;
	struct kmt_memo_word *word; /* the next one */
	unsigned distances;
	struct kmt_memo_word distance[2 * KMT_TURNS_MAX];
	unsigned long base[KMT_MEMO_PARTS];
};

/* The memos of a CPU. Only the CPU itself accesses them. */
struct kmt_memos {
	unsigned hand;   /* the slot where the search for a victim goes on */
	u32 root_key;    /* of the last search that failed: its first key ... */
	u32 missing_key; /* ... and the key under which there should be a memo */
	/* By keys: a slot, plus one; 0: none. */
	u16 index[1 << KMT_MEMO_INDEX_BITS];
	/* By first keys: the slot that was found last. */
	u16 hint[1 << KMT_MEMO_HINT_BITS];
	bool is_tail[KMT_MEMO_SLOTS]; /* the second slot of a long memo */
	struct kmt_draft draft;
	struct kmt_memo_slot slots[KMT_MEMO_SLOTS];
};

static inline unsigned long kmt_stack_word(unsigned long at)
{
	return READ_ONCE_NOCHECK(*(unsigned long *)at);
}

static inline struct kmt_memo_word *kmt_memo_words(struct kmt_memo *memo)
{
	return (struct kmt_memo_word *)(memo + 1);
}

/* The memo whose slot, or second slot, this is. */
static inline struct kmt_memo *kmt_memo_in(struct kmt_memos *memos, unsigned slot)
{
	return &memos->slots[slot - memos->is_tail[slot]].memo;
}

static inline unsigned kmt_memo_slot_of(const struct kmt_memos *memos, const struct kmt_memo *memo)
{
	return container_of(memo, const struct kmt_memo_slot, memo) - memos->slots;
}

static inline u16 *kmt_memo_index(struct kmt_memos *memos, u32 key)
{
	return &memos->index[key * 0x9e3779b1U >> (32 - KMT_MEMO_INDEX_BITS)];
}

static inline u16 *kmt_memo_hint(struct kmt_memos *memos, u32 key)
{
	return &memos->hint[key * 0x9e3779b1U >> (32 - KMT_MEMO_HINT_BITS)];
}

/* The bottom of the stack moves, so its depth says nothing; the system call does. */
static inline u32 kmt_memo_key(unsigned long call_site, unsigned long ip)
{
	return (u32)call_site ^ (u32)ip ^ (u32)task_pt_regs(current)->orig_ax << 20;
}

static inline unsigned long kmt_memo_address(const unsigned long *base, u16 at)
{
	return base[at >> KMT_MEMO_PART_SHIFT] + (at & KMT_MEMO_AT_MAX) * sizeof(long);
}

/* Returns how many of these return addresses are still there. *instead: what is there instead of
   the first that is not. */
static __always_inline unsigned kmt_memo_returns(const struct kmt_memo_word *word, unsigned words,
						 unsigned long base, unsigned long *instead)
{
	unsigned i;

	for (i = 0; i < words; i++) {
#ifndef KMT_UNVERIFIED_MEMOS /* a test defines it, to see that comparing finds what is wrong */
		unsigned long found = kmt_stack_word(base + word[i].at * sizeof(long));

		if (found != (unsigned long)(long)word[i].return_address) {
			*instead = found ? found : KMT_MEMO_OTHER;
			break;
		}
#endif
	}
	return i;
}

/* Whether the distances are the same that are needed to find the first return addresses up to this
   one. If not, what is there instead of that return address says nothing, but the distance does. */
static __always_inline bool kmt_memo_distances_hold(const struct kmt_memo_word *word,
						    unsigned distances, const unsigned long *base,
						    unsigned part, unsigned up_to,
						    unsigned long *instead)
{
	unsigned i;

	for (i = 0; i < distances && word[i].needed_by <= up_to; i++) {
		unsigned long found = kmt_stack_word(kmt_memo_address(base, word[i].at));

		if (found - base[part] != word[i].distance) {
			*instead = KMT_MEMO_OTHER + (found - base[part]);
			return false;
		}
	}
	return true;
}

/* Whether registers on the stack are those of a process. */
static inline bool kmt_is_user_mode(unsigned long regs)
{
	return kmt_stack_word(regs + offsetof(struct pt_regs, cs)) & 3;
}

/* Finds the base of a part after the first, within these bounds. Returns 0 if the walk would not go
   there. */
static __always_inline unsigned long kmt_memo_base(const struct kmt_memo *memo, unsigned i,
						   const unsigned long *base,
						   const struct kmt_bounds *within)
{
	unsigned long from = kmt_memo_address(base, memo->part[i].base_at);
	unsigned long found;

	if (unlikely(memo->interrupted >> i & 1) &&
	    kmt_is_user_mode(from - offsetof(struct pt_regs, sp)))
		return 0;
	found = kmt_stack_word(from);
	return found < within->begin || found >= within->end || (found & (sizeof(long) - 1))
		       ? 0
		       : found;
}

/*
 * Whether the walk from here would find what the memo has. If not, *instead says what it would find
 * first that the memo has not, the same for each such stack; 0: nobody needs this memo any more.
 * stacks: by enum kmt_stack_kind.
 */
static __always_inline bool kmt_memo_holds(struct kmt_memo *memo, const struct kmt_place *here,
					   const struct kmt_bounds *stacks, unsigned epoch,
					   unsigned long *instead)
{
	const struct kmt_memo_word *word = kmt_memo_words(memo);
	unsigned long base[KMT_MEMO_PARTS], end, regs;
	unsigned i, same, stack = memo->stacks & 1;
	struct kmt_bounds within;

	if (memo->ip != (u32)here->ip || memo->epoch != epoch)
		return false;
	*instead = KMT_MEMO_OTHER;
	base[0] = here->sp;
	if (here->sp - stacks[stack].begin >= stacks[stack].end - stacks[stack].begin)
		return false;
	if (unlikely(memo->register_bp) && here->bp - here->sp != memo->register_bp * sizeof(long))
		return false;
	for (i = 0;;) {
		const struct kmt_memo_part *part = &memo->part[i];

		end = base[i] + part->extent * sizeof(long);
		if (end > stacks[stack].end)
			return false;
		same = kmt_memo_returns(word, part->words, base[i], instead);
		if (unlikely(part->distances) &&
		    !kmt_memo_distances_hold(word + part->words, part->distances, base, i, same,
					     instead))
			return false;
		if (same < part->words)
			return false;
		word += part->words + part->distances;
		if (++i == memo->parts)
			break;
		within.begin = end;
		if ((memo->stacks >> i & 1) != stack) {
			stack = memo->stacks >> i & 1;
			within.begin = stacks[stack].begin;
		}
		within.end = stacks[stack].end;
		base[i] = kmt_memo_base(memo, i, base, &within);
		if (!base[i])
			return false;
	}
	if (!memo->regs_at)
		return true;
	regs = base[i - 1] + memo->regs_at * sizeof(long);
	return kmt_is_user_mode(regs) &&
	       kmt_stack_word(regs + offsetof(struct pt_regs, ip)) < TASK_SIZE_MAX;
}

static struct kmt_memo *kmt_memo_of_key(struct kmt_memos *memos, u32 key)
{
	unsigned slot = *kmt_memo_index(memos, key);
	struct kmt_memo *memo = slot ? kmt_memo_in(memos, slot - 1) : NULL;

	return memo && memo->key == key ? memo : NULL;
}

/*
 * Continues the search with the second memo. What a memo should have had first instead selects the
 * next one: a tree of stacks. The memos on the way stay, as those below them are found by them.
 * batch: number of the batch, plus one.
 */
static noinline struct kmt_memo *kmt_search_memo(struct kmt_memos *memos,
						 const struct kmt_place *here,
						 const struct kmt_bounds *stacks, unsigned epoch,
						 u32 key, u32 batch)
{
	unsigned long instead;
	unsigned tries;

	memos->root_key = key;
	for (tries = 0; tries < KMT_MEMO_TRIES; tries++) {
		struct kmt_memo *memo = kmt_memo_of_key(memos, key);

		memos->missing_key = key;
		if (!memo)
			return NULL;
		instead = 0;
		if (kmt_memo_holds(memo, here, stacks, epoch, &instead)) {
			*kmt_memo_hint(memos, memos->root_key) = kmt_memo_slot_of(memos, memo);
			return memo;
		}
		if (!instead)
			return NULL;
		memo->passed_in = batch;
		key ^= (u32)instead * 0x85ebca6bU;
	}
	return NULL;
}

/* Returns the memo of this stack, or NULL. The search starts with the memo that was found last for
   this call site and system call. */
static __always_inline struct kmt_memo *
kmt_find_memo(struct kmt_memos *memos, const struct kmt_place *here,
	      const struct kmt_bounds *stacks, unsigned epoch, unsigned long call_site, u32 batch)
{
	u32 key = kmt_memo_key(call_site, here->ip);
	struct kmt_memo *memo = kmt_memo_in(memos, *kmt_memo_hint(memos, key));
	unsigned long instead;

	if (likely(kmt_memo_holds(memo, here, stacks, epoch, &instead)))
		return memo;
	return kmt_search_memo(memos, here, stacks, epoch, key, batch);
}

static inline struct kmt_memo_part *kmt_draft_part(struct kmt_draft *draft)
{
	return &draft->memo->part[draft->memo->parts - 1];
}

static inline unsigned long kmt_draft_base(const struct kmt_draft *draft)
{
	return draft->base[draft->memo->parts - 1];
}

/* Expresses an address in words above a base. Returns false if that is not possible. */
static bool kmt_words_above(unsigned long base, unsigned long address, u16 *words)
{
	unsigned long bytes = address - base;

	if (address < base || bytes % sizeof(long) || bytes / sizeof(long) > KMT_MEMO_AT_MAX)
		return false;
	*words = bytes / sizeof(long);
	return true;
}

/* Makes the newest part reach up to this address. */
static bool kmt_draft_extend(struct kmt_draft *draft, unsigned long end)
{
	struct kmt_memo_part *part = kmt_draft_part(draft);
	u16 words;

	if (!kmt_words_above(kmt_draft_base(draft), end, &words))
		return false;
	part->extent = max(part->extent, words);
	return true;
}

/* Finds the newest part in which an address lies: *at is as in kmt_memo_word. */
static bool kmt_draft_locate(const struct kmt_draft *draft, unsigned long address, u16 *at)
{
	unsigned part;

	for (part = draft->memo->parts; part-- > 0;)
		if (kmt_words_above(draft->base[part], address, at) &&
		    *at < draft->memo->part[part].extent) {
			*at |= part << KMT_MEMO_PART_SHIFT;
			return true;
		}
	return false;
}

static bool kmt_draft_return(struct kmt_draft *draft, unsigned long ip, unsigned long at)
{
	u16 words;

	if (!kmt_words_above(kmt_draft_base(draft), at, &words) ||
	    !kmt_draft_extend(draft, at + sizeof(long)))
		return false;
	*draft->word++ = (struct kmt_memo_word){ .return_address = ip, .at = words };
	kmt_draft_part(draft)->words++;
	return true;
}

/* The word at this address is an address, too. */
static bool kmt_draft_distance(struct kmt_draft *draft, unsigned long at, unsigned long value)
{
	unsigned long bytes = value - kmt_draft_base(draft);
	u16 from;

	if (bytes > U16_MAX || !kmt_draft_locate(draft, at, &from))
		return false;
	draft->distance[draft->distances++] = (struct kmt_memo_word){
		.distance = bytes,
		.needed_by = kmt_draft_part(draft)->words,
		.at = from,
	};
	kmt_draft_part(draft)->distances++;
	return true;
}

static void kmt_draft_end_part(struct kmt_draft *draft)
{
	memcpy(draft->word, draft->distance, draft->distances * sizeof(*draft->word));
	draft->word += draft->distances;
	draft->distances = 0;
}

static bool kmt_draft_new_part(struct kmt_draft *draft, const struct kmt_turn *turn)
{
	struct kmt_memo *memo = draft->memo;
	struct kmt_memo_part part = { .words = 0 };

	if (memo->parts == KMT_MEMO_PARTS || !turn->from ||
	    (turn->kind != KMT_STEP_BP && !kmt_draft_extend(draft, turn->from + sizeof(long))) ||
	    !kmt_draft_locate(draft, turn->from, &part.base_at))
		return false;
	kmt_draft_end_part(draft);
	draft->base[memo->parts] = turn->value;
	memo->stacks |= turn->stack << memo->parts;
	memo->interrupted |= (turn->kind == KMT_STEP_REGS) << memo->parts;
	memo->part[memo->parts++] = part;
	return true;
}

/* BP was not saved yet: our own code may use it. */
static bool kmt_draft_register_bp(struct kmt_draft *draft, unsigned long bp)
{
	struct kmt_memo *memo = draft->memo;
	u16 words;

	if (memo->parts != 1 || !kmt_words_above(draft->base[0], bp, &words) ||
	    (memo->register_bp && memo->register_bp != words))
		return false;
	memo->register_bp = words;
	return words != 0;
}

static bool kmt_draft_turn(struct kmt_draft *draft, const struct kmt_turn *turn, bool is_last)
{
	unsigned stack = draft->memo->stacks >> (draft->memo->parts - 1) & 1;

	if (turn->kind == KMT_STEP_SP_SAVED || turn->kind == KMT_STEP_REGS ||
	    turn->stack != stack || (is_last && turn->kind == KMT_STEP_BP && turn->from))
		return kmt_draft_new_part(draft, turn);
	if (!(turn->from ? kmt_draft_distance(draft, turn->from, turn->value)
			 : kmt_draft_register_bp(draft, turn->value)))
		return false;
	return turn->kind != KMT_STEP_BP_SAVED ||
	       (kmt_draft_extend(draft, turn->saved + sizeof(long)) &&
		kmt_draft_distance(draft, turn->saved, turn->frame_address));
}

static bool kmt_draft_user_regs(struct kmt_draft *draft, const struct kmt_trail *trail)
{
	struct kmt_memo *memo = draft->memo;

	return trail->user_stack == (memo->stacks >> (memo->parts - 1) & 1) &&
	       kmt_words_above(kmt_draft_base(draft), trail->user_regs, &memo->regs_at) &&
	       memo->regs_at && kmt_draft_extend(draft, trail->user_regs + sizeof(struct pt_regs));
}

static bool kmt_draft_memo(struct kmt_draft *draft, const struct kmt_trail *trail,
			   const unsigned long *frames, unsigned n)
{
	const struct kmt_turn *turn = trail->turn, *end = turn + trail->turns;
	unsigned i;

	for (i = 0; i < n; i++) {
		bool turns = turn < end && turn->frame == i;
		bool is_last = turn + 1 == end;

		/* The IP of an interrupt lies below its SP, where the next part starts. */
		if (turns && turn->kind != KMT_STEP_REGS && !kmt_draft_turn(draft, turn, is_last))
			return false;
		if (!kmt_draft_return(draft, frames[i], trail->at[i]))
			return false;
		if (turns && turn->kind == KMT_STEP_REGS && !kmt_draft_turn(draft, turn, is_last))
			return false;
		turn += turns;
	}
	if (trail->user_regs && !kmt_draft_user_regs(draft, trail))
		return false;
	kmt_draft_end_part(draft);
	return true;
}

static void kmt_drop_memo(struct kmt_memos *memos, unsigned slot)
{
	struct kmt_memo *memo = kmt_memo_in(memos, slot);
	unsigned head = kmt_memo_slot_of(memos, memo);
	u16 *index = kmt_memo_index(memos, memo->key);

	if (*index == head + 1)
		*index = 0;
	memo->ip = 0;
	if (!(head & 1) && memos->is_tail[head + 1]) {
		memos->is_tail[head + 1] = false;
		memos->slots[head + 1].memo.ip = 0;
		memos->slots[head + 1].memo.key = 0;
	}
}

/* Returns for how many batches nobody needed the memo in this slot. */
static u32 kmt_memo_age(struct kmt_memos *memos, unsigned slot, unsigned epoch, u32 batch)
{
	const struct kmt_memo *memo = kmt_memo_in(memos, slot);

	if (!memo->ip || memo->epoch != epoch)
		return U32_MAX;
	return min(batch - memo->stack_in, batch - memo->passed_in);
}

/* Makes room for a memo, where the oldest of some was. */
static struct kmt_memo_slot *kmt_take_memo_slot(struct kmt_memos *memos, bool is_long,
						unsigned epoch, u32 batch)
{
	unsigned step = is_long ? 2 : 1, hand = memos->hand & ~(step - 1);
	unsigned oldest = hand, i;
	u32 age, oldest_age = 0;

	for (i = 0; i < KMT_MEMO_VICTIMS && oldest_age != U32_MAX; i++) {
		age = kmt_memo_age(memos, hand, epoch, batch);
		if (is_long)
			age = min(age, kmt_memo_age(memos, hand + 1, epoch, batch));
		if (age > oldest_age) {
			oldest = hand;
			oldest_age = age;
		}
		hand = (hand + step) % KMT_MEMO_SLOTS;
	}
	memos->hand = hand;
	kmt_drop_memo(memos, oldest);
	if (is_long) {
		kmt_drop_memo(memos, oldest + 1);
		memos->is_tail[oldest + 1] = true;
	}
	return &memos->slots[oldest];
}

static void kmt_draft_start(struct kmt_draft *draft, const struct kmt_place *here, unsigned stack,
			    unsigned epoch)
{
	draft->memo = &draft->slots[0].memo;
	*draft->memo = (struct kmt_memo){ .epoch = epoch, .parts = 1, .stacks = stack };
	draft->word = kmt_memo_words(draft->memo);
	draft->distances = 0;
	draft->base[0] = here->sp;
}

/*
 * Remembers the stack that was just walked, for which kmt_find_memo() found none. Returns its memo,
 * of which the caller sets what is known of the stack: own to truncated. NULL: not possible; then
 * all memos stay.
 */
static noinline struct kmt_memo *kmt_remember(struct kmt_memos *memos, const struct kmt_place *here,
					      unsigned stack, const struct kmt_trail *trail,
					      const unsigned long *frames, unsigned n, u32 batch)
{
	struct kmt_draft *draft = &memos->draft;
	struct kmt_memo_slot *slot;
	bool is_long;

	if (!n || trail->turns > KMT_TURNS_MAX || n + 2 * trail->turns > KMT_MEMO_WORDS_MAX)
		return NULL;
	kmt_draft_start(draft, here, stack, trail->epoch);
	if (!kmt_draft_memo(draft, trail, frames, n))
		return NULL;
	draft->memo->ip = (u32)here->ip;
	draft->memo->key = memos->missing_key;
	draft->memo->passed_in = batch;
	is_long = draft->word - kmt_memo_words(draft->memo) > KMT_MEMO_SLOT_WORDS;
	slot = kmt_take_memo_slot(memos, is_long, trail->epoch, batch);
	slot[0] = draft->slots[0];
	if (is_long)
		slot[1] = draft->slots[1];
	*kmt_memo_hint(memos, memos->root_key) = slot - memos->slots;
	*kmt_memo_index(memos, memos->missing_key) = slot - memos->slots + 1;
	return &slot->memo;
}

/* Copies the frames of a memo, without our own. */
static noinline void kmt_memo_frames(const struct kmt_memo *memo, unsigned long *frames)
{
	const struct kmt_memo_word *word = (const struct kmt_memo_word *)(memo + 1);
	unsigned part, i, n = 0;

	for (part = 0; part < memo->parts; part++) {
		for (i = 0; i < memo->part[part].words; i++, n++)
			if (n >= memo->own && n - memo->own < memo->depth)
				frames[n - memo->own] = (long)word[i].return_address;
		word += memo->part[part].words + memo->part[part].distances;
	}
}
#endif
#endif
