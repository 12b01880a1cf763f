man_pages = doc/kmalloc-top.1 doc/slabratetop.1 doc/slabstack.1 doc/stack-top.1
man_page_sources = \
	aggregator/options/tool_description.h \
	aggregator/options/option_table.c \
	doc/options.man
dist_man_MANS += $(man_pages)
CLEANFILES += $(man_pages)
EXTRA_DIST += \
	doc/make_page.awk \
	doc/make_pictures \
	doc/options.man \
	doc/kmalloc-top.1.in \
	doc/slabratetop.1.in \
	doc/slabstack.1.in \
	doc/stack-top.1.in

# OPTIONS of the man pages come from the option table. awk makes them, as the program cannot run where
# it was built for another host.
make_page = $(MKDIR_P) doc && sources= && for file in $(man_page_sources) $@.in; do \
		sources="$$sources $(srcdir)/$$file"; done && \
	$(AWK) -v tool=`basename $@ .1` -v version=$(VERSION) -f $(srcdir)/doc/make_page.awk $$sources >$@.new && \
	mv $@.new $@
doc/kmalloc-top.1: doc/kmalloc-top.1.in doc/make_page.awk configure.ac $(man_page_sources)
	$(AM_V_GEN)$(make_page)
doc/slabratetop.1: doc/slabratetop.1.in doc/make_page.awk configure.ac $(man_page_sources)
	$(AM_V_GEN)$(make_page)
doc/slabstack.1: doc/slabstack.1.in doc/make_page.awk configure.ac $(man_page_sources)
	$(AM_V_GEN)$(make_page)
doc/stack-top.1: doc/stack-top.1.in doc/make_page.awk configure.ac $(man_page_sources)
	$(AM_V_GEN)$(make_page)
dist_doc_DATA += \
	CONTRIBUTING.md \
	NEWS.md \
	README.md \
	doc/ARCHITECTURE.md \
	doc/COMPARISON.md \
	doc/COMPATIBILITY.md \
	doc/FLEETS.md \
	doc/FORMATS.md \
	doc/GLOSSARY.md \
	doc/JSON.md \
	doc/PERFORMANCE.md \
	doc/PRESETS.md \
	doc/REACH.md \
	doc/RECORD_FORMAT.md \
	doc/RHEL.md \
	doc/SAMPLING.md \
	doc/TESTING.md \
	doc/page.png \
	doc/screen.png

# The pictures of README.md: needs python3, Chromium and tmux.
.PHONY: pictures
pictures: kmalloc-top slabstack slabratetop
	$(srcdir)/doc/make_pictures $(srcdir)/doc

decisionsdir = $(docdir)/decisions
dist_decisions_DATA = \
	doc/decisions/collectors.md \
	doc/decisions/foreign-files.md \
	doc/decisions/glib.md \
	doc/decisions/no-daemon.md \
	doc/decisions/perf-reader.md \
	doc/decisions/sampling.md \
	doc/decisions/stream.md \
	doc/decisions/threads.md \
	doc/decisions/unwinding.md
schemadir = $(docdir)/schema
dist_schema_DATA = \
	doc/schema/report.schema.json \
	doc/schema/row.schema.json \
	doc/schema/speedscope.schema.json
EXTRA_DIST += \
	.ci/run \
	.clang-format \
	.editorconfig \
	.gitattributes \
	.githooks/commit-msg \
	.githooks/pre-commit \
	COPYING \
	packages/apt-bench \
	packages/apt-build \
	packages/apt-ci \
	packages/apt-fuzz \
	packages/apt-packages \
	packages/apt-reach \
	packages/apt-run \
	packages/apt-test \
	packages/apt-vm \
	packages/dnf-build \
	packages/dnf-fuzz \
	packages/dnf-packages \
	packages/dnf-repos \
	packages/dnf-run \
	packages/dnf-test \
	packages/install \
	packages/needs \
	quickstart
