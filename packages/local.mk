# SPDX-License-Identifier: GPL-2.0-or-later
# The services that write counters for node_exporter, and that watch slab caches.
services = packages/systemd/slabratetop-metrics.service packages/systemd/slabstack-watch.service
EXTRA_DIST += packages/systemd/slabratetop-metrics.service.in packages/systemd/slabstack-watch.service.in
CLEANFILES += $(services)
if HAVE_SYSTEMD_UNITS
systemdsystemunit_DATA = $(services)
endif

# The quotes keep configure from replacing the word.
$(services): Makefile
	$(AM_V_GEN)$(MKDIR_P) packages/systemd && \
		$(SED) 's#@bindir''@#$(bindir)#' $(srcdir)/$@.in >$@.new && mv $@.new $@
packages/systemd/slabratetop-metrics.service: packages/systemd/slabratetop-metrics.service.in
packages/systemd/slabstack-watch.service: packages/systemd/slabstack-watch.service.in

# Shells look for a file with the name of the command: the other commands are links to it.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_bashcompletion_DATA = packages/completion/kmalloc-top
dist_zshcompletion_DATA = packages/completion/_kmalloc-top
dist_fishcompletion_DATA = packages/completion/kmalloc-top.fish
install-data-hook:
	for command in slabratetop slabstack stack-top; do \
		ln -sf kmalloc-top "$(DESTDIR)$(bashcompletiondir)/$$command" && \
		ln -sf kmalloc-top.fish "$(DESTDIR)$(fishcompletiondir)/$$command.fish" || exit; \
	done
uninstall-hook:
	for command in slabratetop slabstack stack-top; do \
		rm -f "$(DESTDIR)$(bashcompletiondir)/$$command" "$(DESTDIR)$(fishcompletiondir)/$$command.fish"; \
	done

# Packages, from the release tarball. It contains what is made here, so that rpmbuild can read it.
package_descriptions = packages/rpm/kmalloc-top.spec packages/deb/changelog
$(package_descriptions): $(top_srcdir)/configure.ac
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(SED) 's/@VERSION''@/$(VERSION)/g' $(srcdir)/$@.in >$@.new && mv $@.new $@
packages/rpm/kmalloc-top.spec: packages/rpm/kmalloc-top.spec.in
packages/deb/changelog: packages/deb/changelog.in
CLEANFILES += $(package_descriptions)
EXTRA_DIST += \
	$(package_descriptions) \
	packages/deb/build \
	packages/deb/changelog.in \
	packages/deb/control \
	packages/deb/copyright \
	packages/deb/kmalloc-top-doc.install \
	packages/deb/kmalloc-top-stap.dirs \
	packages/deb/kmalloc-top-stap.install \
	packages/deb/kmalloc-top-stap.prerm \
	packages/deb/kmalloc-top.dirs \
	packages/deb/kmalloc-top.install \
	packages/deb/kmalloc-top.postrm \
	packages/deb/rules \
	packages/rpm/build \
	packages/rpm/kmalloc-top.spec.in \
	packages/rpm/rpmlint.toml \
	packages/tmpfiles.conf

.PHONY: rpm deb
rpm deb: dist-xz
	$(srcdir)/packages/$@/build $(distdir).tar.xz $@
clean-local: clean-packages
clean-packages:
	rm -rf rpm deb
.PHONY: clean-packages
