# Everything but main(), so that the tests link what the programs link.
noinst_LIBRARIES += libaggregator.a
aggregator_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/aggregator -Iaggregator -I$(srcdir)/filters
aggregator_cflags = $(AM_CFLAGS) $(GLIB_CFLAGS) $(ELFUTILS_CFLAGS) $(XXHASH_CFLAGS) $(ZSTD_CFLAGS) \
	$(LIBBPF_CFLAGS) $(LZMA_CFLAGS) $(DEBUGINFOD_CFLAGS) $(NCURSES_CFLAGS) $(PROTOBUF_C_CFLAGS)
aggregator_libs = libaggregator.a libfilters.a $(GLIB_LIBS) $(ELFUTILS_LIBS) $(XXHASH_LIBS) $(ZSTD_LIBS) \
	$(LIBBPF_LIBS) $(LZMA_LIBS) $(NCURSES_LIBS) $(PROTOBUF_C_LIBS)
libaggregator_a_CPPFLAGS = $(aggregator_cppflags)
libaggregator_a_CFLAGS = $(aggregator_cflags)
libaggregator_a_SOURCES =
nodist_libaggregator_a_SOURCES =

include aggregator/base/local.mk
include aggregator/process/local.mk
include aggregator/probes/local.mk
include aggregator/record/local.mk
include aggregator/code/user/local.mk
include aggregator/count/local.mk
include aggregator/held/local.mk
include aggregator/symbols/local.mk
include aggregator/names/local.mk
include aggregator/session/local.mk
include aggregator/import/local.mk
include aggregator/code/elf/local.mk
include aggregator/code/unwind/local.mk
include aggregator/code/lines/local.mk
include aggregator/collect/facts/local.mk
include aggregator/collect/tracefs/local.mk
include aggregator/collect/slabs/local.mk
include aggregator/collect/tasks/local.mk
include aggregator/collect/run/local.mk
include aggregator/collect/points/local.mk
include aggregator/collect/perf/local.mk
include aggregator/collect/bpf/local.mk
include aggregator/collect/stap/local.mk
include aggregator/table/local.mk
include aggregator/rates/local.mk
include aggregator/report/local.mk
include aggregator/render/text/local.mk
include aggregator/render/data/local.mk
include aggregator/render/picture/local.mk
include aggregator/render/formats/local.mk
include aggregator/options/local.mk
include aggregator/screen/local.mk
include aggregator/tools/local.mk
