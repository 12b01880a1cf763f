/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_kinds.h"
#include "base/clock.h"
#include "collect/tasks/task_proc.h"
#include "collect/tasks/task_table.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The internals of a TaskTable, each part for the next one: tasks, their names and processes
 * (task.c), the lives of tids (task_lives.c), the table (task_table.c). Times are those of the
 * stream.
 */

#define TASK_LIVES UINT64_MAX

/*
 * TaskNames stores the names of a task and since when each holds. Names may be added in any order
 * of their times. A name is raw bytes, padded with NULs. Names stay until they are settled; of a
 * task that gets more of them meanwhile, the names before some time are unknown.
 */
enum { TASK_NAMES_MAX = 1 << 14 };

/* How often the cgroup of a process is read in a second; and how many processes have theirs read
   only because a second has passed. */
enum { TASK_CGROUP_READS = 4, TASK_CGROUP_READS_OF_ALL = 2000 };

/* How many of them without an event: one may move, and end before its next event is read. */
enum { TASK_CGROUPS_FOLLOWED = 500 };

typedef struct {
	uint64_t since_ns;
	char comm[KMT_COMM_BYTES];
} TaskName;

typedef struct {
	TaskName newest;
	TaskName *older; /* oldest first, owned; NULL: no other name so far */
	unsigned older_count, older_room;
	uint64_t known_since_ns; /* names of earlier times found no room; 0: all did */
} TaskNames;

typedef struct {
	uint32_t tgid;
	bool is_counted;
	bool is_worker;            /* as in TaskProcess */
	uint8_t cgroup_reads_left; /* ... of the second since the last one below */
	bool cgroup_is_due;
	uint64_t cgroup_second_ns; /* when a second began; see task_cgroup_of() */
	uint64_t start_time_ns;    /* 0: unknown */
	uint64_t cgroup_id;        /* 0: unknown */
	GQueue threads;            /* (element-type Task), which own the process together */
} Process;

/* One life of a tid. */
typedef struct Task {
	uint32_t tid;
	uint32_t parent_tid; /* 0: unknown */
	uint64_t born_ns;    /* 0: before all records */
	uint64_t ended_ns;   /* TASK_LIVES: still alive */
	uint64_t forked_ns;  /* time of its last fork; 0: none */
	Process *process;
	TaskNames names;
	struct Task *earlier; /* the previous life of the tid, owned, or NULL */
	GList in_process;
	bool is_recent; /* to be checked by task_table_settle() */
} Task;

/* Returns a process without threads. It is freed with its last thread. */
Process *process_new(uint32_t tgid);

/* Returns a life of a tid in that process. */
Task *task_new(uint32_t tid, uint64_t born_ns, Process *process, const char *comm);

/* Frees a task and its earlier lives, and the processes whose last threads they were. */
void task_free(Task *task);

static inline bool task_is_leader(const Task *task)
{
	return task->tid == task->process->tgid;
}

/* Sets the first name of a task. */
void task_names_init(TaskNames *names, const char *comm, uint64_t since_ns);
void task_names_clear(TaskNames *names);

/* Adds a name, or replaces the name with exactly that time. Drops the older half of the names if
   there is no room. */
void task_names_set(TaskNames *names, const char *comm, uint64_t since_ns);

/* Adds the names that another task got between two times, both exclusive. */
void task_names_take_between(TaskNames *names, const TaskNames *others, uint64_t after_ns,
			     uint64_t before_ns);

/* Drops names that only apply to events before that time. */
void task_names_settle(TaskNames *names, uint64_t time_ns);

/* Returns the time of the first name after that time; UINT64_MAX: none. */
uint64_t task_names_next_ns(const TaskNames *names, uint64_t time_ns);

/* As task_names_at(), for a time before the newest name. */
const char *task_names_look_back(const TaskNames *names, uint64_t time_ns);

/* Returns KMT_COMM_BYTES: the name at that time, or else the first known one; TASK_NAME_UNKNOWN if
   it found no room. Valid until the names change. */
static inline const char *task_names_at(const TaskNames *names, uint64_t time_ns)
{
	if (names->newest.since_ns <= time_ns)
		return names->newest.comm;
	return task_names_look_back(names, time_ns);
}

/* The reported name of a task that ended before its name was read, and of one that had too many
   names. */
#define TASK_EXITED "[exited]"
#define TASK_NAME_UNKNOWN "[name unknown]"

/* Whether the name is not TASK_NAME_UNKNOWN. */
bool task_name_is_known(const char *comm);

/* Largest difference between the time of a record and that in /proc: copying a large process takes
   time. */
static const uint64_t start_differs_ns = NS_PER_SECOND;

struct TaskTable {
	TaskProc proc;
	TaskCgroups *cgroups;
	uint64_t idle_cgroup_id;
	GHashTable *tasks; /* (element-type guint Task): the newest life of each tid, owned */
	Task *found;       /* the one that was looked up for an event last; NULL: look it up */
	GArray *recent;    /* (element-type uint32_t): tids to be checked by task_table_settle() */
	bool inherits_count;
	bool passing_on_is_due; /* children may lack facts of their parents */
	uint64_t settled_ns;    /* until when it is settled: the time, about */
	uint64_t second_ns;     /* when the second of these reads began */
	uint64_t followed_ns;   /* when task_follow_cgroups() did so last */
	unsigned cgroup_reads;  /* because a second has passed */
	bool has_unread_cgroups;
	bool follows_cgroups; /* samples do not contain them */
	bool has_counted;     /* only some processes are counted */
};

static inline Task *task_lookup(const TaskTable *table, uint32_t tid)
{
	return g_hash_table_lookup(table->tasks, GUINT_TO_POINTER(tid));
}

/* Returns the current process with that id; NULL: none known. */
static inline Process *task_process_known(const TaskTable *table, uint32_t tgid)
{
	const Task *leader = task_lookup(table, tgid);

	return leader && task_is_leader(leader) ? leader->process : NULL;
}

/* Returns the life of a tid at a time, given its newest life; NULL: none known. Sets *later to the
   life that followed; NULL: it is the newest. */
static inline Task *task_life_at(Task *newest, uint64_t time_ns, Task **later)
{
	*later = NULL;
	while (newest && newest->born_ns > time_ns) {
		*later = newest;
		newest = newest->earlier;
	}
	return newest;
}

/* Adds a task under its tid, which must be free or belong to its earlier life. */
void task_enter(TaskTable *table, Task *task);
void task_forget(TaskTable *table, Task *task);
void task_note_recent(TaskTable *table, Task *task);

/* Returns the current or former process with that id, or else reads it from /proc. */
Process *task_process_of(TaskTable *table, uint32_t tgid);

/* Returns the life of a tid that an event or a record of that time refers to; NULL: dropped, or no
   ids here. An unknown tid is read from /proc, or stored as ended. */
Task *task_at(TaskTable *table, uint32_t tgid, uint32_t tid, uint64_t time_ns);

/*
 * Returns the id of the cgroup as last read from /proc; reads it if due. 0: unknown.
 *
 * A process may move at any time, and nothing tells. So the cgroup is read again a second after the
 * last time, and at once after an execve: a launcher moves its process into a cgroup before it
 * executes the program. The former is bounded for all processes, the latter for each.
 */
uint64_t task_cgroup_of(TaskTable *table, Process *process);

/* Reads the cgroups of processes again whose second is over. */
void task_follow_cgroups(TaskTable *table);
