libaggregator_a_SOURCES += \
	aggregator/collect/import.h \
	aggregator/collect/import_count.c aggregator/collect/import_count.h \
	aggregator/collect/import_count_text.c \
	aggregator/collect/import_hashkey.c \
	aggregator/collect/import_perf_script.c \
	aggregator/collect/import_report.c \
	aggregator/collect/import_slab_text.c \
	aggregator/collect/import_stack_line.c aggregator/collect/import_stack_line.h \
	aggregator/collect/import_text.c aggregator/collect/import_text.h \
	aggregator/collect/import_types.c aggregator/collect/import_types.h \
	aggregator/collect/btf_file.c aggregator/collect/btf_file.h \
	aggregator/collect/cache_layout.c aggregator/collect/cache_layout.h \
	aggregator/collect/cgroup_handles.c aggregator/collect/cgroup_handles.h \
	aggregator/collect/cgroup_paths.c aggregator/collect/cgroup_paths.h \
	aggregator/collect/cache_layout_btf.c \
	aggregator/collect/cache_layout_dwarf.c \
	aggregator/collect/cache_layout_fill.h \
	aggregator/collect/check.c aggregator/collect/check.h \
	aggregator/collect/collector.h \
	aggregator/collect/collector_types.c aggregator/collect/collector_types.h \
	aggregator/collect/buffer_plan.c aggregator/collect/buffer_plan.h \
	aggregator/collect/build_id.c aggregator/collect/build_id.h \
	aggregator/collect/capabilities.c aggregator/collect/capabilities.h \
	aggregator/collect/child_signals.c aggregator/collect/child_signals.h \
	aggregator/collect/clock.h \
	aggregator/collect/collect_live.c aggregator/collect/collect_live.h \
	aggregator/collect/command.c aggregator/collect/command.h \
	aggregator/collect/command_split.c \
	aggregator/collect/cpu_list.c aggregator/collect/cpu_list.h \
	aggregator/collect/cpu_watch.c aggregator/collect/cpu_watch.h \
	aggregator/collect/gfp_flags.c aggregator/collect/gfp_flags.h \
	aggregator/collect/gfp_flags_btf.c \
	aggregator/collect/host_memory.c aggregator/collect/host_memory.h \
	aggregator/collect/host_snapshot.c aggregator/collect/host_snapshot.h \
	aggregator/collect/input.c aggregator/collect/input.h \
	aggregator/collect/live_run.c aggregator/collect/live_run.h \
	aggregator/collect/oom_score.c aggregator/collect/oom_score.h \
	aggregator/collect/perf_check.c aggregator/collect/perf_check.h \
	aggregator/collect/perf_clock.c aggregator/collect/perf_clock.h \
	aggregator/collect/perf_collector.c aggregator/collect/perf_collector.h \
	aggregator/collect/bpf_beside.c aggregator/collect/bpf_beside.h \
	aggregator/collect/perf_cost.c aggregator/collect/perf_cost.h \
	aggregator/collect/perf_cpus.c \
	aggregator/collect/perf_events.c aggregator/collect/perf_events.h \
	aggregator/collect/perf_read.c \
	aggregator/collect/perf_ring.c aggregator/collect/perf_ring.h \
	aggregator/collect/perf_run.c aggregator/collect/perf_run.h \
	aggregator/collect/perf_state.h \
	aggregator/collect/perf_throttle.c aggregator/collect/perf_throttle.h \
	aggregator/collect/pid_check.c aggregator/collect/pid_check.h \
	aggregator/collect/perf_period.c aggregator/collect/perf_period.h \
	aggregator/collect/perf_scatter.c aggregator/collect/perf_scatter.h \
	aggregator/collect/perf_weight.c aggregator/collect/perf_weight.h \
	aggregator/collect/pid_namespace.c aggregator/collect/pid_namespace.h \
	aggregator/collect/process_memory.c aggregator/collect/process_memory.h \
	aggregator/collect/process_group.c aggregator/collect/process_group.h \
	aggregator/collect/progress.c aggregator/collect/progress.h \
	aggregator/collect/run_facts.c aggregator/collect/run_facts.h \
	aggregator/collect/slab_facts.c aggregator/collect/slab_facts.h \
	aggregator/collect/setting.c aggregator/collect/setting.h \
	aggregator/collect/stap_arguments.c aggregator/collect/stap_arguments.h \
	aggregator/collect/stap_check.c aggregator/collect/stap_check.h \
	aggregator/collect/stap_child.c aggregator/collect/stap_child.h \
	aggregator/collect/stap_collector.c \
	aggregator/collect/stap_counters.c aggregator/collect/stap_counters.h \
	aggregator/collect/stap_phases.c \
	aggregator/collect/stap_run.c aggregator/collect/stap_run.h \
	aggregator/collect/stap_start.c aggregator/collect/stap_start.h \
	aggregator/collect/stap_state.h \
	aggregator/collect/watchdog.c aggregator/collect/watchdog.h \
	aggregator/collect/distribution.c aggregator/collect/distribution.h \
	aggregator/collect/kernel_headers.c aggregator/collect/kernel_headers.h \
	aggregator/collect/memory_watch.c aggregator/collect/memory_watch.h \
	aggregator/collect/kmem_points.c aggregator/collect/kmem_points.h \
	aggregator/collect/cache_probes.c aggregator/collect/cache_probes.h \
	aggregator/collect/cache_sites.c aggregator/collect/cache_sites.h \
	aggregator/collect/perf_filter.c aggregator/collect/perf_filter.h \
	aggregator/collect/perf_sample.c aggregator/collect/perf_sample.h \
	aggregator/collect/tracefs.c aggregator/collect/tracefs.h \
	aggregator/collect/tracepoint_format.c aggregator/collect/tracepoint_format.h \
	aggregator/collect/module_cache.c aggregator/collect/module_cache.h \
	aggregator/collect/module_file.c aggregator/collect/module_file.h \
	aggregator/collect/module_rights.c aggregator/collect/module_rights.h \
	aggregator/collect/stap_build.c aggregator/collect/stap_build.h \
	aggregator/collect/stap_compile.c aggregator/collect/stap_compile.h \
	aggregator/collect/stap_failures.c aggregator/collect/stap_failures.h \
	aggregator/collect/stap_leftovers.c aggregator/collect/stap_leftovers.h \
	aggregator/collect/stap_messages.c aggregator/collect/stap_messages.h \
	aggregator/collect/stap_module_check.c \
	aggregator/collect/stap_options.c aggregator/collect/stap_options.h \
	aggregator/collect/stap_script.c aggregator/collect/stap_script.h \
	aggregator/collect/stap_tool.c aggregator/collect/stap_tool.h \
	aggregator/collect/stap_workarounds.c aggregator/collect/stap_workarounds.h \
	aggregator/collect/task.c aggregator/collect/task.h \
	aggregator/collect/task_births.c aggregator/collect/task_births.h \
	aggregator/collect/task_cgroup.c aggregator/collect/task_cgroup.h \
	aggregator/collect/task_lives.c \
	aggregator/collect/task_names.c aggregator/collect/task_names.h \
	aggregator/collect/task_proc.c aggregator/collect/task_proc.h \
	aggregator/collect/task_records.c \
	aggregator/collect/task_state.h \
	aggregator/collect/task_table.c aggregator/collect/task_table.h
