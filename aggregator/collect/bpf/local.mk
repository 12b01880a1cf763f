libaggregator_a_SOURCES += \
	aggregator/collect/bpf/bpf_collector.c \
	aggregator/collect/bpf/bpf_run.h
EXTRA_DIST += aggregator/collect/bpf/kmt.bpf.c

# clang compiles the programs. The tarball has the object, as an array of bytes, so who builds from that
# needs no clang; "make clean" keeps it.
bpf_object = aggregator/collect/bpf/kmt_bpf_object.c
if HAVE_BPF_OBJECT
EXTRA_DIST += $(bpf_object)
MAINTAINERCLEANFILES += $(bpf_object)
endif
if HAVE_BPF
libaggregator_a_SOURCES += \
	aggregator/collect/bpf/bpf_object.h \
	aggregator/collect/bpf/bpf_programs.c aggregator/collect/bpf/bpf_programs.h \
	aggregator/collect/bpf/bpf_read.c aggregator/collect/bpf/bpf_read.h \
	aggregator/collect/bpf/bpf_orc.c aggregator/collect/bpf/bpf_orc.h \
	aggregator/collect/bpf/bpf_ring.h \
	aggregator/collect/bpf/bpf_rules.c aggregator/collect/bpf/bpf_rules.h \
	aggregator/collect/bpf/bpf_run.c \
	aggregator/collect/bpf/bpf_walk.h
nodist_libaggregator_a_SOURCES += $(bpf_object)
endif

$(bpf_object): $(srcdir)/aggregator/collect/bpf/kmt.bpf.c $(srcdir)/aggregator/collect/bpf/bpf_ring.h \
		$(srcdir)/aggregator/collect/bpf/bpf_walk.h \
		$(srcdir)/aggregator/record/event_kinds.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(CLANG) $(BPF_CFLAGS) -Wall -I$(srcdir)/aggregator -c $(srcdir)/aggregator/collect/bpf/kmt.bpf.c \
		-o $@-new.o && \
	{ echo '#include "collect/bpf/bpf_object.h"' && \
	echo 'const unsigned char kmt_bpf_object[] __attribute__((aligned(8))) = {' && \
	od -A n -v -t u1 $@-new.o | $(SED) -e 's/  */ /g' -e 's/[0-9][0-9]*/&,/g' && \
	echo '};' && echo 'const size_t kmt_bpf_object_bytes = sizeof(kmt_bpf_object);'; } >$@-new && \
	rm -f $@-new.o && mv $@-new $@

dist-hook: dist-bpf-object
dist-bpf-object:
	@test -f $(distdir)/$(bpf_object) || { echo "make dist needs clang, to compile the BPF programs"; exit 1; }
.PHONY: dist-bpf-object
