# Everything but main(), so that the tests link what the programs link.
noinst_LIBRARIES += libaggregator.a
aggregator_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/aggregator -I$(srcdir)/filters
aggregator_cflags = $(AM_CFLAGS) $(GLIB_CFLAGS) $(ELFUTILS_CFLAGS) $(XXHASH_CFLAGS) $(ZSTD_CFLAGS) \
	$(LIBBPF_CFLAGS) $(NCURSES_CFLAGS)
aggregator_libs = libaggregator.a libfilters.a $(GLIB_LIBS) $(ELFUTILS_LIBS) $(XXHASH_LIBS) $(ZSTD_LIBS) \
	$(LIBBPF_LIBS) $(NCURSES_LIBS)
libaggregator_a_CPPFLAGS = $(aggregator_cppflags)
libaggregator_a_CFLAGS = $(aggregator_cflags)
libaggregator_a_SOURCES = \
	aggregator/escape.c aggregator/escape.h \
	aggregator/exit_status.h \
	aggregator/keyed_hash.c aggregator/keyed_hash.h \
	aggregator/losses.c aggregator/losses.h \
	aggregator/memory_budget.c aggregator/memory_budget.h \
	aggregator/number_text.c aggregator/number_text.h \
	aggregator/options.c aggregator/options.h \
	aggregator/option_attached.c aggregator/option_attached.h \
	aggregator/option_rates.c \
	aggregator/option_rules.c aggregator/option_rules.h \
	aggregator/option_table.c aggregator/option_table.h \
	aggregator/option_values.c aggregator/option_values.h \
	aggregator/saturate.h \
	aggregator/session.c aggregator/session.h \
	aggregator/standard_files.c aggregator/standard_files.h \
	aggregator/symbols_choose.c aggregator/symbols_choose.h \
	aggregator/version.c aggregator/version.h

include aggregator/record/local.mk
include aggregator/count/local.mk
include aggregator/symbols/local.mk
include aggregator/names/local.mk
include aggregator/rank/local.mk
include aggregator/report/local.mk
include aggregator/collect/local.mk
include aggregator/screen/local.mk
include aggregator/tools/local.mk
