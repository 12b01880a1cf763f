# One Criterion program for all modules: tests/unit/test_MODULE.c is the suite MODULE.
if HAVE_CRITERION
check_PROGRAMS += tests/unit/unit
TESTS += tests/unit/unit
endif
# The programs that unit tests look at.
unit_subjects = tests/vm/workload tests/unit/probed tests/unit/probed_fixed tests/unit/unwind_subject \
	tests/unit/lines_subject tests/unit/lines_subject_stripped tests/unit/lines_subject_nameless \
	tests/unit/lines_subject_referring tests/unit/lines_subject_common
check_PROGRAMS += $(unit_subjects)
# Known work, for what is tested on the running kernel. Its user stacks are known: each function has a frame, which its caller's frame is found by. No
# sanitizer adds work to it: its faults, mappings and calls of malloc() are counted.
tests_vm_workload_CFLAGS = -std=gnu11 -O2 -g $(WARNING_CFLAGS) -pthread -fno-omit-frame-pointer \
	-fno-optimize-sibling-calls
tests_vm_workload_LDFLAGS =
tests_vm_workload_SOURCES = tests/vm/workload.c
# Programs to probe, at any address and at a fixed one.
tests_unit_probed_SOURCES = tests/unit/probed.c
tests_unit_probed_fixed_SOURCES = tests/unit/probed.c
tests_unit_probed_fixed_CFLAGS = $(AM_CFLAGS) -fno-pie
tests_unit_probed_fixed_LDFLAGS = $(AM_LDFLAGS) -no-pie
# What unwinding finds the stacks of.
tests_unit_unwind_subject_CFLAGS = $(AM_CFLAGS) -pthread -O2 -fomit-frame-pointer \
	-fasynchronous-unwind-tables -fno-sanitize=all -fno-optimize-sibling-calls
tests_unit_unwind_subject_LDFLAGS = -pthread
tests_unit_unwind_subject_SOURCES = tests/unit/unwind_subject.c
# Programs whose source lines are known: with debug data, without, without build id, and with debug
# data that refer to those of another one.
lines_cflags = $(AM_CFLAGS) -g -O2 -fno-pie -fno-sanitize=all
lines_ldflags = -no-pie -fno-sanitize=all
tests_unit_lines_subject_CFLAGS = $(lines_cflags)
tests_unit_lines_subject_LDFLAGS = $(lines_ldflags) -Wl,--build-id=sha1
tests_unit_lines_subject_SOURCES = tests/unit/lines_subject.c
tests_unit_lines_subject_stripped_CFLAGS = $(lines_cflags)
tests_unit_lines_subject_stripped_LDFLAGS = $(lines_ldflags) -Wl,--build-id=sha1 -s
tests_unit_lines_subject_stripped_SOURCES = tests/unit/lines_subject.c
tests_unit_lines_subject_nameless_CFLAGS = $(lines_cflags)
tests_unit_lines_subject_nameless_LDFLAGS = $(lines_ldflags) -Wl,--build-id=none
tests_unit_lines_subject_nameless_SOURCES = tests/unit/lines_subject.c
tests_unit_lines_subject_referring_CFLAGS = $(lines_cflags) -DLINES_REFERENCE
tests_unit_lines_subject_referring_LDFLAGS = $(lines_ldflags) -Wl,--build-id=sha1
tests_unit_lines_subject_referring_SOURCES = tests/unit/lines_subject.c
tests_unit_lines_subject_common_CFLAGS = $(lines_cflags)
tests_unit_lines_subject_common_LDFLAGS = $(lines_ldflags) -Wl,--build-id=0x0123456789abcdef
tests_unit_lines_subject_common_SOURCES = tests/unit/lines_subject.c
tests_unit_unit_CPPFLAGS = $(aggregator_cppflags) -I$(srcdir)/tests -I$(srcdir)/tests/fixtures \
	-DUNWIND_SUBJECT=\"$(abs_builddir)/tests/unit/unwind_subject\" \
	-DLINES_SUBJECT=\"$(abs_builddir)/tests/unit/lines_subject\" \
	-DLINES_SUBJECT_STRIPPED=\"$(abs_builddir)/tests/unit/lines_subject_stripped\" \
	-DLINES_SUBJECT_NAMELESS=\"$(abs_builddir)/tests/unit/lines_subject_nameless\" \
	-DLINES_SUBJECT_REFERRING=\"$(abs_builddir)/tests/unit/lines_subject_referring\" \
	-DLINES_SUBJECT_COMMON=\"$(abs_builddir)/tests/unit/lines_subject_common\" \
	-DWORKLOAD=\"$(abs_builddir)/tests/vm/workload\" \
	-DWORKLOAD_OBJECT=\"$(abs_builddir)/tests/vm/workload-workload.$(OBJEXT)\" \
	-DPROBED=\"$(abs_builddir)/tests/unit/probed\" \
	-DTEST_DATA=\"$(abs_srcdir)/tests/data\"
# Criterion's macros convert each result, and take no const; the emitter is kernel code.
tests_unit_unit_CFLAGS = $(aggregator_cflags) $(CRITERION_CFLAGS) $(TRACEEVENT_CFLAGS) \
	-Wno-conversion -Wno-sign-conversion -Wno-cast-qual
tests_unit_unit_LDADD = $(aggregator_libs) $(CRITERION_LIBS) $(TRACEEVENT_LIBS)
tests_unit_unit_SOURCES = \
	tests/bench/hostile_shapes.c tests/bench/hostile_shapes.h \
	tests/bench/stream_builder.c tests/bench/stream_builder.h \
	tests/fixtures/btf_fixture.h \
	tests/fixtures/dwfl_walk.c tests/fixtures/dwfl_walk.h \
	tests/fixtures/user_samples.c tests/fixtures/user_samples.h \
	tests/fixtures/cache_hosts.h \
	tests/fixtures/event_batch.h \
	tests/fixtures/made_session.c tests/fixtures/made_session.h \
	tests/fixtures/fake_host.c tests/fixtures/fake_host.h \
	tests/fixtures/fuse_server.c tests/fixtures/fuse_server.h \
	tests/fixtures/held_run.c tests/fixtures/held_run.h \
	tests/fixtures/perf_fixtures.h \
	tests/fixtures/host_lock.h \
	tests/fixtures/temporary.h \
	tests/unit/build_id_notes.h \
	tests/unit/byte_order.h \
	tests/unit/elf_examples.h \
	tests/unit/kernel_shim.h \
	tests/unit/refused_call.h \
	tests/unit/leaks.c tests/unit/leaks.h \
	tests/unit/lines_example.h \
	tests/unit/lines_run.h \
	tests/unit/made_kernel.h \
	tests/unit/made_stacks.h \
	tests/unit/made_walks.h \
	tests/unit/module_image.h \
	tests/unit/perf_loop.h \
	tests/unit/probed_sites.h \
	tests/unit/process.h \
	tests/unit/test_address_ranges.c \
	tests/unit/test_balance.c \
	tests/unit/test_batch_build.c \
	tests/unit/test_batch_reader.c \
	tests/unit/test_batch_writer.c \
	tests/unit/test_bpf_beside.c \
	tests/unit/test_buffer_plan.c \
	tests/unit/test_build_id.c \
	tests/unit/test_callsite_skip.c \
	tests/unit/test_cgroup_memory.c \
	tests/unit/test_cgroup_names.c \
	tests/unit/test_cgroup_paths.c \
	tests/unit/test_cache_probes.c \
	tests/unit/test_code_objects.c \
	tests/unit/test_debug_object.c \
	tests/unit/test_debuginfod_client.c \
	tests/unit/test_line_table.c \
	tests/unit/test_line_value.c \
	tests/unit/test_line_places.c \
	tests/unit/test_line_resolver.c \
	tests/unit/test_lines_child.c \
	tests/unit/test_object_probes.c \
	tests/unit/test_cache_sites.c \
	tests/unit/test_cache_names.c \
	tests/unit/test_cache_query.c \
	tests/unit/test_cache_layout.c \
	tests/unit/test_cell_lives.c \
	tests/unit/test_check.c \
	tests/unit/test_child_sandbox.c \
	tests/unit/test_command.c \
	tests/unit/test_count_cut.c \
	tests/unit/test_cpu_list.c \
	tests/unit/test_cpu_watch.c \
	tests/unit/test_debug_files.c \
	tests/unit/test_diff_rows.c \
	tests/unit/test_drill.c \
	tests/unit/test_escape.c \
	tests/unit/test_gfp_flags.c \
	tests/unit/test_epoch_list.c \
	tests/unit/test_event_merge.c \
	tests/unit/test_event_reader.c \
	tests/unit/test_event_writer.c \
	tests/unit/test_expression.c \
	tests/unit/test_expression_kernel.c \
	tests/unit/test_file_opener.c \
	tests/unit/test_filters.c \
	tests/unit/test_fork.c \
	tests/unit/test_frame_line.c \
	tests/unit/test_free_checks.c \
	tests/unit/test_frame_list.c \
	tests/unit/test_frame_namer.c \
	tests/unit/test_frame_tree.c \
	tests/unit/test_group_rows.c \
	tests/unit/test_growth.c \
	tests/unit/test_held_check.c \
	tests/unit/test_history.c \
	tests/unit/test_hits.c \
	tests/unit/test_host_snapshot.c \
	tests/unit/test_hostile.c \
	tests/unit/test_hot_path.c \
	tests/unit/test_import.c \
	tests/unit/test_import_held.c \
	tests/unit/test_inner_kmallocs.c \
	tests/unit/test_input.c \
	tests/unit/test_intervals.c \
	tests/unit/test_jit_map.c \
	tests/unit/test_json.c \
	tests/unit/test_kmem_points.c \
	tests/unit/test_live_run.c \
	tests/unit/test_live_table.c \
	tests/unit/test_many_inputs.c \
	tests/unit/test_many_runs.c \
	tests/unit/test_loss.c \
	tests/unit/test_margin.c \
	tests/unit/test_memory_state.c \
	tests/unit/test_memory_watch.c \
	tests/unit/test_merged.c \
	tests/unit/test_merged_cells.c \
	tests/unit/test_metric.c \
	tests/unit/test_module_cache.c \
	tests/unit/test_net_check.c tests/unit/test_noise.c tests/unit/test_oom_score.c \
	tests/unit/test_option_attached.c \
	tests/unit/test_option_completion.c \
	tests/unit/test_options.c \
	tests/unit/test_page.c \
	tests/unit/test_pairing.c \
	tests/unit/test_pairing_truth.c \
	tests/unit/test_perf_cost.c \
	tests/unit/test_perf_pay.c \
	tests/unit/test_perf_filter.c \
	tests/unit/test_perf_ring.c \
	tests/unit/test_perf_run.c \
	tests/unit/test_perf_sample.c \
	tests/unit/test_perf_scatter.c \
	tests/unit/test_perf_throttle.c \
	tests/unit/test_perf_weight.c \
	tests/unit/test_point_columns.c \
	tests/unit/test_point_cost.c \
	tests/unit/test_point_events.c \
	tests/unit/test_point_programs.c \
	tests/unit/test_probe_kinds.c \
	tests/unit/test_preset.c \
	tests/unit/test_piece_names.c \
	tests/unit/test_preset_list.c \
	tests/unit/test_presets.c \
	tests/unit/test_probe_spec.c \
	tests/unit/test_profile.c \
	tests/unit/test_prometheus.c \
	tests/unit/test_rate_chart.c \
	tests/unit/test_rate_feed.c \
	tests/unit/test_rate_totals.c \
	tests/unit/test_recorder.c \
	tests/unit/test_recording.c \
	tests/unit/test_report_text.c \
	tests/unit/test_run_info.c \
	tests/unit/test_run_names.c \
	tests/unit/test_sampling.c \
	tests/unit/test_slab_facts.c \
	tests/unit/test_slab_hits.c \
	tests/unit/test_slab_pages.c \
	tests/unit/test_slab_report.c \
	tests/unit/test_slabinfo.c \
	tests/unit/test_source_text.c \
	tests/unit/test_stack_chain.c \
	tests/unit/test_stack_table.c \
	tests/unit/test_stack_walk.c \
	tests/unit/test_stack_walk_unverified.c \
	tests/unit/test_standard_files.c \
	tests/unit/test_stap_build.c \
	tests/unit/test_stap_leftovers.c \
	tests/unit/test_stap_messages.c \
	tests/unit/test_stap_options.c \
	tests/unit/test_stap_points.c \
	tests/unit/test_stap_run.c \
	tests/unit/test_stap_start.c \
	tests/unit/test_stap_tool.c \
	tests/unit/test_stop_signal.c \
	tests/unit/test_symbol_store.c \
	tests/unit/test_table.c \
	tests/unit/test_task_cgroup.c \
	tests/unit/test_task_births.c tests/unit/test_task_table.c tests/unit/test_thread_scatter.c \
	tests/unit/test_text_file.c \
	tests/unit/test_text_writer.c \
	tests/unit/test_time_blocks.c \
	tests/unit/test_tracefs.c \
	tests/unit/test_tracepoint_format.c \
	tests/unit/test_trusted_file.c \
	tests/unit/test_elf_functions.c \
	tests/unit/test_elf_symbols.c \
	tests/unit/test_elf_symbols_beside.c \
	tests/unit/test_proc_maps.c \
	tests/unit/test_unwind_child.c \
	tests/unit/test_unwind_stack.c \
	tests/unit/test_user_frame.c \
	tests/unit/test_user_maps.c \
	tests/unit/test_user_names.c \
	tests/unit/test_user_objects.c \
	tests/unit/test_user_resolve.c \
	tests/unit/test_verdict.c \
	tests/unit/test_view.c \
	tests/unit/test_watch_charts.c \
	tests/unit/test_watch.c \
	tests/unit/test_watchdog.c

if HAVE_BPF
tests_unit_unit_SOURCES += tests/unit/test_bpf_orc.c
endif

if HAVE_NCURSES
tests_unit_unit_SOURCES += tests/unit/test_screen.c \
	tests/screen/made_tables.c tests/screen/made_tables.h
endif

EXTRA_DIST += tests/data/perf
EXTRA_DIST += tests/data/probes
EXTRA_DIST += tests/data/stap
