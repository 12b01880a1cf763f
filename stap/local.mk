# The record format and its encoder are written once, in aggregator/record: the build copies event_kinds.h, format.h
# and batch_build.h into the tapset, whose embedded C the kernel's compiler sees without any include path of
# ours. So does it with the emitter's own parts.
stapdir = $(pkgdatadir)/stap
tapsetdir = $(stapdir)/tapset
dist_stap_DATA = stap/base.stp stap/kmalloc.stp stap/cache.stp stap/page.stp stap/free.stp \
	stap/percpu.stp stap/vmalloc.stp
dist_tapset_DATA = stap/tapset/kmt_points.stp
nodist_tapset_DATA = stap/tapset/kmt_emitter.stp
EXTRA_DIST += stap/tapset/kmt_emitter.stp.in stap/function_probes.h stap/point_hits.h stap/sampling.h \
	stap/slab_caches.h stap/stack_memos.h stap/stack_walk.h stap/unwind_rules.h
CLEANFILES += stap/tapset/kmt_emitter.stp

stap/tapset/kmt_emitter.stp: $(srcdir)/stap/tapset/kmt_emitter.stp.in $(srcdir)/stap/sampling.h \
		$(srcdir)/stap/slab_caches.h $(srcdir)/stap/function_probes.h \
		$(srcdir)/stap/unwind_rules.h $(srcdir)/stap/stack_memos.h $(srcdir)/stap/stack_walk.h \
		$(srcdir)/aggregator/record/event_kinds.h $(srcdir)/aggregator/record/format.h \
		$(srcdir)/aggregator/record/batch_build.h $(srcdir)/aggregator/record/address_sample.h \
		$(srcdir)/stap/point_hits.h $(srcdir)/aggregator/record/point_build.h
	$(AM_V_GEN)$(MKDIR_P) stap/tapset && \
	$(SED) -e '/^@RECORD_FORMAT@$$/{' -e 'r $(srcdir)/aggregator/record/event_kinds.h' -e 'r $(srcdir)/aggregator/record/format.h' -e 'd' -e '}' \
		-e '/^@BATCH_BUILD@$$/{' -e 'r $(srcdir)/aggregator/record/batch_build.h' -e 'd' -e '}' \
		-e '/^@ADDRESS_SAMPLE@$$/{' -e 'r $(srcdir)/aggregator/record/address_sample.h' -e 'd' -e '}' \
		-e '/^@POINT_BUILD@$$/{' -e 'r $(srcdir)/aggregator/record/point_build.h' -e 'd' -e '}' \
		-e '/^@POINT_HITS@$$/{' -e 'r $(srcdir)/stap/point_hits.h' -e 'd' -e '}' \
		-e '/^@SAMPLING@$$/{' -e 'r $(srcdir)/stap/sampling.h' -e 'd' -e '}' \
		-e '/^@UNWIND_RULES@$$/{' -e 'r $(srcdir)/stap/unwind_rules.h' -e 'd' -e '}' \
		-e '/^@STACK_MEMOS@$$/{' -e 'r $(srcdir)/stap/stack_memos.h' -e 'd' -e '}' \
		-e '/^@STACK_WALK@$$/{' -e 'r $(srcdir)/stap/stack_walk.h' -e 'd' -e '}' \
		-e '/^@FUNCTION_PROBES@$$/{' -e 'r $(srcdir)/stap/function_probes.h' -e 'd' -e '}' \
		-e '/^@SLAB_CACHES@$$/{' -e 'r $(srcdir)/stap/slab_caches.h' -e 'd' -e '}' \
		$(srcdir)/stap/tapset/kmt_emitter.stp.in > $@.tmp && mv $@.tmp $@

# A build tree works without an installation: its programs find their data beside them.
all-local: link-data
link-data:
	@for file in $(dist_presets_DATA) $(dist_stap_DATA) $(dist_tapset_DATA); do \
		test -e $$file || { $(MKDIR_P) $${file%/*} && ln -s $(abs_srcdir)/$$file $$file; } || exit; \
	done
distclean-local: unlink-data
unlink-data:
	@for file in $(dist_presets_DATA) $(dist_stap_DATA) $(dist_tapset_DATA); do \
		! test -h $$file || rm -f $$file; \
	done
.PHONY: link-data unlink-data
