/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probed_sites.h"

#include <stdlib.h>

/* Calls each of its functions, and passes each of its USDT sites, as often as its argument says. */

#define KEPT __attribute__((noinline, noclone, used))

/* Counted up by whoever probes. */
extern unsigned short probed_step_semaphore;
__attribute__((section(".probes"), used)) unsigned short probed_step_semaphore;

extern volatile unsigned long done;
volatile unsigned long done;

KEPT unsigned long probed_global(unsigned long number, int sign);
KEPT unsigned long probed_global(unsigned long number, int sign)
{
	done += number;
	return sign < 0 ? number + 1 : 0;
}

static KEPT void probed_static(unsigned long number)
{
	done += number;
	USDT_SITE("probed", "step", number, "probed_step_semaphore");
}

/* The loader calls it once, and then what it returns. */
static unsigned long chosen(unsigned long number)
{
	return number;
}

typedef unsigned long (*Chosen)(unsigned long number);
static KEPT Chosen choose(void)
{
	return chosen;
}

unsigned long probed_chosen(unsigned long number) __attribute__((ifunc("choose")));

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	for (unsigned long i = 0; i < count; i++) {
		probed_global(i, -1);
		probed_static(i);
		USDT_SITE("probed", "step", i, "probed_step_semaphore");
		USDT_SITE("probed", "plain", i, "0");
		probed_chosen(i);
	}
	return 0;
}
