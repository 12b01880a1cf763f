/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function inside a function, which gcc allows, as methods of local classes are in C++. */
static inline __attribute__((always_inline)) int twice(int number)
{
	return *(volatile int *)&number * 2;
}

int walk(int depth);

int walk(int depth)
{
	__attribute__((noinline)) int visit(int number)
	{
		return twice(number) + depth;
	}

	return visit(depth) + visit(depth + 1);
}
