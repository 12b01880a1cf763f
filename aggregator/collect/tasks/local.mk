libaggregator_a_SOURCES += \
	aggregator/collect/tasks/cgroup_paths.c aggregator/collect/tasks/cgroup_paths.h \
	aggregator/collect/tasks/cgroup_walk.c \
	aggregator/collect/tasks/task.c \
	aggregator/collect/tasks/task_lives.c \
	aggregator/collect/tasks/task_proc.c aggregator/collect/tasks/task_proc.h \
	aggregator/collect/tasks/task_state.h \
	aggregator/collect/tasks/task_table.c aggregator/collect/tasks/task_table.h
