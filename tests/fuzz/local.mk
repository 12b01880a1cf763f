# Fuzz targets: `make check` replays their corpus with the compiler at hand, `make fuzz` searches
# on from it with clang's libFuzzer, FUZZ_SECONDS for each target.
FUZZ_SECONDS = 60
FUZZ_CLANG = clang

fuzz_targets = stream debug_lines lines_answer import_hashkey import_count_text import_perf_script import_report \
	import_slab_text import_alloc_traces import_allocinfo import_page_owner perf_record names recording module_file \
	elf_probes elf_symbols expression preset unwind user_texts
fuzz_cppflags = $(aggregator_cppflags) -I$(srcdir)/tests
fuzz_corpus = \"$(abs_srcdir)/tests/fuzz/corpus
fuzz_streams = tests/bench/stream_builder.c tests/bench/stream_builder.h
fuzz_common = tests/fuzz/fuzz.c tests/fuzz/fuzz.h tests/fuzz/replay.c

fuzz_replays = \
	tests/fuzz/fuzz_debug_lines \
	tests/fuzz/fuzz_elf_probes \
	tests/fuzz/fuzz_elf_symbols \
	tests/fuzz/fuzz_expression \
	tests/fuzz/fuzz_import_alloc_traces \
	tests/fuzz/fuzz_import_allocinfo \
	tests/fuzz/fuzz_import_page_owner \
	tests/fuzz/fuzz_import_count_text \
	tests/fuzz/fuzz_import_hashkey \
	tests/fuzz/fuzz_import_perf_script \
	tests/fuzz/fuzz_import_report \
	tests/fuzz/fuzz_import_slab_text \
	tests/fuzz/fuzz_lines_answer \
	tests/fuzz/fuzz_module_file \
	tests/fuzz/fuzz_names \
	tests/fuzz/fuzz_perf_record \
	tests/fuzz/fuzz_preset \
	tests/fuzz/fuzz_recording \
	tests/fuzz/fuzz_stream \
	tests/fuzz/fuzz_unwind \
	tests/fuzz/fuzz_user_texts
check_PROGRAMS += $(fuzz_replays)
TESTS += $(fuzz_replays)

tests_fuzz_fuzz_stream_SOURCES = tests/fuzz/fuzz_stream.c $(fuzz_common)
tests_fuzz_fuzz_stream_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/stream\"
tests_fuzz_fuzz_stream_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_stream_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_unwind_SOURCES = tests/fuzz/fuzz_unwind.c $(fuzz_common)
tests_fuzz_fuzz_unwind_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/unwind\"
tests_fuzz_fuzz_unwind_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_unwind_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_perf_record_SOURCES = tests/fuzz/fuzz_perf_record.c $(fuzz_common)
tests_fuzz_fuzz_perf_record_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/perf_record\"
tests_fuzz_fuzz_perf_record_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_perf_record_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_names_SOURCES = tests/fuzz/fuzz_names.c $(fuzz_streams) $(fuzz_common)
tests_fuzz_fuzz_names_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/names\"
tests_fuzz_fuzz_names_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_names_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_recording_SOURCES = tests/fuzz/fuzz_recording.c $(fuzz_common)
tests_fuzz_fuzz_recording_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/recording\"
tests_fuzz_fuzz_recording_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_recording_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_module_file_SOURCES = tests/fuzz/fuzz_module_file.c $(fuzz_common)
tests_fuzz_fuzz_module_file_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/module_file\"
tests_fuzz_fuzz_module_file_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_module_file_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_expression_SOURCES = tests/fuzz/fuzz_expression.c $(fuzz_common)
tests_fuzz_fuzz_expression_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/expression\"
tests_fuzz_fuzz_expression_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_expression_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_preset_SOURCES = tests/fuzz/fuzz_preset.c $(fuzz_common)
tests_fuzz_fuzz_preset_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/preset\"
tests_fuzz_fuzz_preset_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_preset_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_elf_probes_SOURCES = tests/fuzz/fuzz_elf_probes.c $(fuzz_common)
tests_fuzz_fuzz_elf_probes_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/elf_probes\"
tests_fuzz_fuzz_elf_probes_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_elf_probes_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_elf_symbols_SOURCES = tests/fuzz/fuzz_elf_symbols.c $(fuzz_common)
tests_fuzz_fuzz_elf_symbols_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/elf_symbols\"
tests_fuzz_fuzz_elf_symbols_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_elf_symbols_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_user_texts_SOURCES = tests/fuzz/fuzz_user_texts.c $(fuzz_common)
tests_fuzz_fuzz_user_texts_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/user_texts\"
tests_fuzz_fuzz_user_texts_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_user_texts_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_debug_lines_SOURCES = tests/fuzz/fuzz_debug_lines.c $(fuzz_common)
tests_fuzz_fuzz_debug_lines_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/debug_lines\"
tests_fuzz_fuzz_debug_lines_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_debug_lines_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_lines_answer_SOURCES = tests/fuzz/fuzz_lines_answer.c $(fuzz_common)
tests_fuzz_fuzz_lines_answer_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=$(fuzz_corpus)/lines_answer\"
tests_fuzz_fuzz_lines_answer_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_lines_answer_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_import_hashkey_SOURCES = tests/fuzz/fuzz_import.c $(fuzz_common)
tests_fuzz_fuzz_import_hashkey_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_IMPORT=import_hashkey \
	-DFUZZ_CORPUS=$(fuzz_corpus)/import_hashkey\"
tests_fuzz_fuzz_import_hashkey_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_import_hashkey_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_import_count_text_SOURCES = tests/fuzz/fuzz_import.c $(fuzz_common)
tests_fuzz_fuzz_import_count_text_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_IMPORT=import_count_text \
	-DFUZZ_CORPUS=$(fuzz_corpus)/import_count_text\"
tests_fuzz_fuzz_import_count_text_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_import_count_text_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_import_perf_script_SOURCES = tests/fuzz/fuzz_import.c $(fuzz_common)
tests_fuzz_fuzz_import_perf_script_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_IMPORT=import_perf_script \
	-DFUZZ_CORPUS=$(fuzz_corpus)/import_perf_script\"
tests_fuzz_fuzz_import_perf_script_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_import_perf_script_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_import_report_SOURCES = tests/fuzz/fuzz_import.c $(fuzz_common)
tests_fuzz_fuzz_import_report_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_IMPORT=import_report \
	-DFUZZ_CORPUS=$(fuzz_corpus)/import_report\"
tests_fuzz_fuzz_import_report_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_import_report_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_import_slab_text_SOURCES = tests/fuzz/fuzz_import.c $(fuzz_common)
tests_fuzz_fuzz_import_slab_text_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_IMPORT=import_slab_text \
	-DFUZZ_CORPUS=$(fuzz_corpus)/import_slab_text\"
tests_fuzz_fuzz_import_slab_text_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_import_slab_text_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_import_alloc_traces_SOURCES = tests/fuzz/fuzz_import.c $(fuzz_common)
tests_fuzz_fuzz_import_alloc_traces_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_IMPORT=import_alloc_traces \
	-DFUZZ_CORPUS=$(fuzz_corpus)/import_alloc_traces\"
tests_fuzz_fuzz_import_alloc_traces_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_import_alloc_traces_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_import_allocinfo_SOURCES = tests/fuzz/fuzz_import.c $(fuzz_common)
tests_fuzz_fuzz_import_allocinfo_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_IMPORT=import_allocinfo \
	-DFUZZ_CORPUS=$(fuzz_corpus)/import_allocinfo\"
tests_fuzz_fuzz_import_allocinfo_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_import_allocinfo_LDADD = $(aggregator_libs)

tests_fuzz_fuzz_import_page_owner_SOURCES = tests/fuzz/fuzz_import.c $(fuzz_common)
tests_fuzz_fuzz_import_page_owner_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_IMPORT=import_page_owner \
	-DFUZZ_CORPUS=$(fuzz_corpus)/import_page_owner\"
tests_fuzz_fuzz_import_page_owner_CFLAGS = $(aggregator_cflags)
tests_fuzz_fuzz_import_page_owner_LDADD = $(aggregator_libs)

# Writes the seeds of the stream target again: after a change of the format.
EXTRA_PROGRAMS += tests/fuzz/make_corpus
tests_fuzz_make_corpus_SOURCES = tests/fuzz/make_corpus.c \
	tests/bench/stream_builder.c tests/bench/stream_builder.h
tests_fuzz_make_corpus_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_make_corpus_CFLAGS = $(aggregator_cflags)
tests_fuzz_make_corpus_LDADD = $(aggregator_libs)

EXTRA_DIST += tests/fuzz/run_fuzz tests/fuzz/line_coverage tests/fuzz/merge_corpus tests/fuzz/corpus

# The program's sources are compiled again, instrumented, in the folder fuzz-build.
fuzz: config.h $(nodist_libaggregator_a_SOURCES)
	CLANG='$(FUZZ_CLANG)' SECONDS_EACH='$(FUZZ_SECONDS)' TARGETS='$(fuzz_targets)' \
	FLAGS='$(DEFS) -I. $(fuzz_cppflags) $(GLIB_CFLAGS) $(ELFUTILS_CFLAGS) $(XXHASH_CFLAGS) $(ZSTD_CFLAGS) $(LIBBPF_CFLAGS) $(LZMA_CFLAGS) $(NCURSES_CFLAGS) $(PROTOBUF_C_CFLAGS)' \
	LIBRARIES='$(GLIB_LIBS) $(ELFUTILS_LIBS) $(XXHASH_LIBS) $(ZSTD_LIBS) $(LIBBPF_LIBS) $(LZMA_LIBS) $(NCURSES_LIBS) $(PROTOBUF_C_LIBS)' \
	$(srcdir)/tests/fuzz/run_fuzz $(srcdir) $(libaggregator_a_SOURCES) \
		$(nodist_libaggregator_a_SOURCES) $(libfilters_a_SOURCES)

# What the corpora reach of each reader.
fuzz-coverage:
	$(srcdir)/tests/fuzz/line_coverage $(srcdir) $(fuzz_replays)

# Adds what `make fuzz` found to the corpora, as far as it reaches new code.
fuzz-merge:
	$(srcdir)/tests/fuzz/merge_corpus $(srcdir)/tests/fuzz/corpus $(fuzz_targets)

clean-local: clean-fuzz
clean-fuzz:
	rm -rf fuzz-build coverage-build
.PHONY: fuzz fuzz-coverage fuzz-merge clean-fuzz
