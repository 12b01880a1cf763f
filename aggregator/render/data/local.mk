libaggregator_a_SOURCES += \
	aggregator/render/data/json_writer.c aggregator/render/data/json_writer.h \
	aggregator/render/data/render_data.h \
	aggregator/render/data/render_json.c \
	aggregator/render/data/render_prometheus.c \
	aggregator/render/data/render_rows.c \
	aggregator/render/data/render_stacks.c

# The code of the messages of pprof is made of their description.
pprof_messages = aggregator/render/data/profile.pb-c.c aggregator/render/data/profile.pb-c.h
EXTRA_DIST += aggregator/render/data/profile.proto
if HAVE_PROTOBUF_C
libaggregator_a_SOURCES += \
	aggregator/render/data/pprof_code.c \
	aggregator/render/data/pprof_writer.c aggregator/render/data/pprof_writer.h \
	aggregator/render/data/render_pprof.c
nodist_libaggregator_a_SOURCES += $(pprof_messages)
BUILT_SOURCES += $(pprof_messages)
CLEANFILES += $(pprof_messages)
endif

# BUILT_SOURCES come first only in "make all"; the program alone can be built, too.
aggregator/render/data/libaggregator_a-pprof_code.$(OBJEXT) \
aggregator/render/data/libaggregator_a-pprof_writer.$(OBJEXT) \
aggregator/render/data/libaggregator_a-render_pprof.$(OBJEXT): aggregator/render/data/profile.pb-c.h

# protoc-c writes both files at once.
aggregator/render/data/profile.pb-c.c: aggregator/render/data/profile.proto
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(PROTOC_C) -I$(srcdir)/aggregator/render/data \
		--c_out=$(@D) $(srcdir)/aggregator/render/data/profile.proto
aggregator/render/data/profile.pb-c.h: aggregator/render/data/profile.pb-c.c
