/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of a live run: plans the transport's buffers from the request, the CPUs and the memory
 * of the host, and says so in words; compares what stapio and this program hold with the limit; and
 * lets the kernel end this program first. Both engines plan with it, live_run.c asks at each tick.
 */
#include "collect/run/run_memory.h"

#include "process/watchdog.h"

#include <fcntl.h>
#include <glib.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* The buffers. */

enum {
	BUFFER_MB_MIN = 1,    /* staprun's own bounds */
	BUFFER_MB_MAX = 4095, /* staprun's own bounds */
	DEFAULT_MB_PER_CPU = 16,
	DEFAULT_MB_MAX = 1024,
	DEFAULT_SHARE = 32, /* part of the available memory */
	ASKED_SHARE = 2,    /* part of the available memory */
	WHOLE_GB_FROM = 10, /* smaller sizes are shown in MB */
};

static uint64_t in_megabytes(uint64_t bytes)
{
	return bytes >> 20;
}

/* Returns a share of the available memory in MB; no bound if the memory is unknown. */
static uint64_t share_of_available(const BufferPlan *plan, unsigned share)
{
	return plan->available_bytes ? in_megabytes(plan->available_bytes) / share : UINT64_MAX;
}

/* Returns the size of each buffer for a total size in MB. */
static uint32_t buffer_plan_split(const BufferPlan *plan, uint64_t megabytes)
{
	uint32_t each =
		(uint32_t)CLAMP(megabytes / plan->buffers, BUFFER_MB_MIN, plan->megabytes_max);

	return plan->power_of_two ? 1U << (g_bit_storage(each) - 1) : each;
}

static uint64_t plan_megabytes(const BufferPlan *plan)
{
	return (uint64_t)plan->megabytes_per_buffer * plan->buffers;
}

static void take_default(BufferPlan *plan, unsigned cpus)
{
	uint64_t bound = MIN(share_of_available(plan, DEFAULT_SHARE), DEFAULT_MB_MAX);

	plan->megabytes_per_buffer =
		buffer_plan_split(plan, MIN((uint64_t)cpus * DEFAULT_MB_PER_CPU, bound));
	plan->above_bound = plan_megabytes(plan) > bound;
}

static char *available_text(const BufferPlan *plan)
{
	uint64_t megabytes = in_megabytes(plan->available_bytes);
	uint64_t gigabytes = megabytes >> 10;

	if (!plan->available_bytes)
		return g_strdup("MemAvailable unknown");
	return gigabytes >= WHOLE_GB_FROM
		       ? g_strdup_printf("MemAvailable %" G_GUINT64_FORMAT " GB", gigabytes)
		       : g_strdup_printf("MemAvailable %" G_GUINT64_FORMAT " MB", megabytes);
}

static char *size_text(const BufferPlan *plan)
{
	uint64_t megabytes = plan_megabytes(plan);

	if (!plan->per_cpu)
		return g_strdup_printf("%" G_GUINT64_FORMAT " MB (one for all CPUs)", megabytes);
	return g_strdup_printf("%" G_GUINT64_FORMAT " MB (%u MB x %u CPU%s)", megabytes,
			       plan->megabytes_per_buffer, plan->buffers,
			       plan->buffers == 1 ? "" : "s");
}

/* The smallest size is never refused, because there is no other. */
static bool check_asked(const BufferPlan *plan, uint64_t asked, GError **error)
{
	uint64_t most = share_of_available(plan, ASKED_SHARE);
	g_autofree char *available = NULL;

	if (plan->megabytes_per_buffer == BUFFER_MB_MIN || asked <= most)
		return true;
	available = available_text(plan);
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "buffers of %" G_GUINT64_FORMAT " MB are more than half of the available "
		    "memory (%s): use --buffer %" G_GUINT64_FORMAT " or less",
		    asked, available, (uint64_t)buffer_plan_split(plan, most) * plan->buffers);
	return false;
}

bool buffer_plan_init(BufferPlan *plan, const BufferRequest *request, GError **error)
{
	*plan = (BufferPlan){
		.megabytes_per_buffer = request->megabytes_per_buffer,
		.buffers = request->per_cpu ? MAX(request->cpus, 1) : 1,
		.per_cpu = request->per_cpu,
		.power_of_two = request->power_of_two,
		.available_bytes = request->available_bytes,
		.megabytes_max =
			MIN(request->megabytes_max ? request->megabytes_max : BUFFER_MB_MAX,
			    BUFFER_MB_MAX),
	};
	if (!request->megabytes_per_buffer && !request->megabytes) {
		take_default(plan, MAX(request->cpus, 1));
		return true;
	}
	if (!request->megabytes_per_buffer) {
		plan->megabytes_per_buffer = buffer_plan_split(plan, request->megabytes);
		plan->below_asked = request->megabytes / plan->buffers > plan->megabytes_max;
	}
	/* The requested total size, before any bounds. */
	return check_asked(
		plan, request->megabytes_per_buffer ? plan_megabytes(plan) : request->megabytes,
		error);
}

uint64_t buffer_plan_bytes(const BufferPlan *plan)
{
	return plan_megabytes(plan) << 20;
}

char *buffer_plan_text(const BufferPlan *plan)
{
	g_autofree char *size = size_text(plan);
	g_autofree char *slabs = plan->slab_bytes ? g_strdup_printf(", and %" G_GUINT64_FORMAT
								    " KB for the ends of slabs",
								    plan->slab_bytes >> 10)
						  : g_strdup("");
	g_autofree char *available = available_text(plan);
	const char *note = "";

	if (plan->above_bound)
		note = "; that is above 1/32 of it, but no CPU can have less";
	else if (plan->below_asked)
		note = plan->per_cpu ? "; that is less than asked for, but no CPU can have more"
				     : "; that is less than asked for, but it cannot be larger";
	return g_strdup_printf("%s%s, %s%s", size, slabs, available, note);
}

void buffer_plan_print(const BufferPlan *plan)
{
	g_autofree char *text = buffer_plan_text(plan);

	g_printerr("%s: buffers %s\n", g_get_prgname(), text);
}

/* The limit. */

static const char *const held[] = { "VmRSS:", "VmSwap:" };

uint64_t process_memory(const char *root, pid_t pid)
{
	g_autofree char *path = g_strdup_printf("%s/proc/%d/status", root, (int)pid);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	uint64_t bytes = 0;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	lines = g_strsplit(text, "\n", -1);
	/* Lines "VmRSS:\t  123 kB" that count as held memory. */
	for (char **line = lines; *line; line++)
		for (size_t i = 0; i < G_N_ELEMENTS(held); i++)
			if (g_str_has_prefix(*line, held[i]))
				bytes += g_ascii_strtoull(*line + strlen(held[i]), NULL, 10) << 10;
	return bytes;
}

enum {
	STAPIO_CPU_BYTES = 256 << 10, /* the thread for a CPU reads into half of this */
	OWN_FACTOR = 2,               /* times --max-memory: tables while they grow */
	OWN_BYTES = 64 << 20,         /* symbols, and the program itself */
};

static char *memory_watch_describe(const char *who, uint64_t bytes, uint64_t bound, const char *why)
{
	return g_strdup_printf("%s held %" G_GUINT64_FORMAT " MB of memory, above its bound of "
			       "%" G_GUINT64_FORMAT " MB (see --max-memory)%s",
			       who, bytes >> 20, bound >> 20, why);
}

char *memory_watch_problem(const MemoryWatch *watch)
{
	uint64_t stapio_max = watch->bytes_max + (uint64_t)watch->cpus * STAPIO_CPU_BYTES;
	uint64_t own_max = watch->bytes_max * OWN_FACTOR + OWN_BYTES + watch->buffer_bytes;
	uint64_t stapio = watch->stapio ? process_memory(watch->root, watch->stapio) : 0;
	uint64_t own = process_memory(watch->root, getpid());

	if (!watch->bytes_max)
		return NULL;
	if (stapio > stapio_max)
		return memory_watch_describe("SystemTap's stapio", stapio, stapio_max,
					     ": events came faster than they were counted");
	if (own > own_max)
		return memory_watch_describe(g_get_prgname(), own, own_max, "");
	return NULL;
}

/* When the host runs out of memory. */

static const char score_path[] = "/proc/self/oom_score_adj";
static const char first_to_go[] = "1000"; /* OOM_SCORE_ADJ_MAX */

enum { SCORE_CHARACTERS = 16 };

/* As read from the kernel; empty: not raised. */
static char score_before[SCORE_CHARACTERS];

bool oom_score_raise(void)
{
	char score[SCORE_CHARACTERS] = "";
	ssize_t length;
	int fd;

	if (score_before[0])
		return true;
	fd = open(score_path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = read(fd, score, SCORE_CHARACTERS - 1);
	close(fd);
	if (length <= 0 || !setting_write(score_path, first_to_go))
		return false;
	memcpy(score_before, score, sizeof(score_before));
	return true;
}

void oom_score_restore(void)
{
	if (score_before[0])
		(void)setting_write(score_path, score_before);
}
