/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_return NUMBER TRACEPOINT-ID SECONDS: attaches a BPF program that returns NUMBER to that
 * tracepoint of the host, says "attached", and stays so long. Ends with 77 where the kernel
 * refuses.
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { REFUSED = 77 };

static int load(int number)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = number },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	/* The kernel wants zeros in the rest. */
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.insns = (unsigned long)program;
	attr.license = (unsigned long)"GPL";
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static int open_tracepoint(unsigned long long id)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
		.sample_period = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	int program, event;

	if (argc != 4)
		return 2;
	program = load((int)strtol(argv[1], NULL, 10));
	event = open_tracepoint(strtoull(argv[2], NULL, 10));
	if (program < 0 || event < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, program) ||
	    ioctl(event, PERF_EVENT_IOC_ENABLE, 0)) {
		perror("bpf_return");
		return REFUSED;
	}
	puts("attached");
	fflush(stdout);
	sleep((unsigned)strtoul(argv[3], NULL, 10));
	return 0;
}
