/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_damage COUNT: waits until the BPF programs of a run have so many rules of steps above SP by
 * which they walk stacks, and makes each of them end the walk. Prints how many it damaged. Ends
 * with 77 where there are none after some seconds.
 */
#include "collect/bpf/bpf_walk.h"

#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { REFUSED = 77, TRIES = 500, WAIT_US = 10000 };

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* Returns a descriptor of the next map, or -1. */
static int next_map(__u32 *id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = *id;
	if (bpf(BPF_MAP_GET_NEXT_ID, &attr))
		return -1;
	*id = attr.next_id;
	memset(&attr, 0, sizeof(attr));
	attr.map_id = *id;
	return (int)bpf(BPF_MAP_GET_FD_BY_ID, &attr);
}

static int is_walk(int map)
{
	struct bpf_map_info info;
	union bpf_attr attr;

	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (__u32)map;
	attr.info.info_len = sizeof(info);
	attr.info.info = (unsigned long)&info;
	return !bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) && !strcmp(info.name, "kmt_walk");
}

static struct kmt_bpf_walk *find_walk(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t bytes = (sizeof(struct kmt_bpf_walk) + page - 1) & ~(page - 1);
	__u32 id = 0;
	void *mapped;
	int map;

	while ((map = next_map(&id)) >= 0) {
		mapped = MAP_FAILED;
		if (is_walk(map))
			mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
		close(map);
		if (mapped != MAP_FAILED)
			return mapped;
	}
	return NULL;
}

static int is_above_sp(__u64 rule)
{
	return rule && rule >> KMT_BPF_RULE_KIND_SHIFT == KMT_BPF_STEP_SP;
}

static long count_rules(const struct kmt_bpf_walk *walk)
{
	long count = 0;

	for (int i = 0; i < KMT_BPF_RULES; i++)
		count += is_above_sp(walk->rules[i]);
	return count;
}

static long damage(struct kmt_bpf_walk *walk)
{
	long damaged = 0;

	for (int i = 0; i < KMT_BPF_RULES; i++) {
		if (!is_above_sp(walk->rules[i]))
			continue;
		walk->rules[i] |= (__u64)KMT_BPF_STEP_END << KMT_BPF_RULE_KIND_SHIFT;
		damaged++;
	}
	return damaged;
}

int main(int argc, char **argv)
{
	long wanted = argc == 2 ? strtol(argv[1], NULL, 10) : 1;
	struct kmt_bpf_walk *walk = find_walk();

	for (int i = 0; walk && i < TRIES; i++) {
		if (count_rules(walk) >= wanted) {
			printf("%ld\n", damage(walk));
			return 0;
		}
		usleep(WAIT_US);
	}
	return REFUSED;
}
