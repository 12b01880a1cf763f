/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The PMUs of dynamic probes, "kprobe" and "uprobe", in /sys/bus/event_source/devices (since 4.17).
 */
typedef struct {
	uint32_t type;     /* for perf_event_attr.type */
	unsigned retprobe; /* bit of config that asks for returns */
	unsigned ref_ctr;  /* lowest bit of config of a semaphore's file offset (since 4.20) ... */
	unsigned ref_ctr_bits; /* ... and its bits; 0: the kernel does not know semaphores */
} PointPmu;

/* Reads a PMU below root ("": this host's). Returns false if the kernel does not have it. */
bool point_pmu_read(const char *root, const char *name, PointPmu *pmu);
