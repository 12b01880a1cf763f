/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seed and the factor of all hash tables, drawn once before main(). Because they are secret, a
 * hostile recording cannot choose keys that all fall into one slot.
 */
#include "base/keyed_hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t keyed_hash_seed;
uint64_t keyed_hash_factor;

/* Before main(), so that no table exists yet. */
__attribute__((constructor)) static void choose_seed(void)
{
	uint64_t random[2];
	struct timespec now;

	if (getrandom(random, sizeof(random), GRND_NONBLOCK) != sizeof(random)) {
		/* Early at boot there may be no random bytes yet: the time is better than a
		   constant. */
		clock_gettime(CLOCK_REALTIME, &now);
		random[0] = XXH3_64bits_withSeed(&now, sizeof(now), (uint64_t)getpid());
		random[1] = XXH3_64bits(random, sizeof(random[0]));
	}
	keyed_hash_seed = random[0];
	keyed_hash_factor = random[1] | 1;
}

guint keyed_hash_text(gconstpointer text)
{
	return (guint)keyed_hash(text, strlen(text));
}

guint keyed_hash_number(gconstpointer number)
{
	return (guint)keyed_hash(number, sizeof(uint64_t));
}
