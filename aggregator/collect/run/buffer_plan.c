/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides the size of the transport's buffers from the request, the CPUs and the memory of the
 * host, and says so in words. Arithmetic only. Both engines ask it before they take the memory.
 */
#include "collect/run/buffer_plan.h"

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
