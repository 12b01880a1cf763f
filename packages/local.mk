# SPDX-License-Identifier: GPL-2.0-or-later
# The service that writes counters for node_exporter.
metrics_service = packages/systemd/slabratetop-metrics.service
EXTRA_DIST += $(metrics_service).in
CLEANFILES += $(metrics_service)
if HAVE_SYSTEMD_UNITS
systemdsystemunit_DATA = $(metrics_service)
endif

# The quotes keep configure from replacing the word.
$(metrics_service): $(metrics_service).in Makefile
	$(AM_V_GEN)$(MKDIR_P) packages/systemd && \
		$(SED) 's#@bindir''@#$(bindir)#' $(srcdir)/$(metrics_service).in >$@.new && mv $@.new $@

# Shells look for a file with the name of the command: the other commands are links to it.
bash_completion_dir = $(datadir)/bash-completion/completions
zsh_completion_dir = $(datadir)/zsh/site-functions
fish_completion_dir = $(datadir)/fish/vendor_completions.d
EXTRA_DIST += packages/completion/_kmalloc-top packages/completion/kmalloc-top.bash packages/completion/kmalloc-top.fish
install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(bash_completion_dir)" "$(DESTDIR)$(zsh_completion_dir)" "$(DESTDIR)$(fish_completion_dir)"
	cd $(srcdir)/packages/completion && \
		$(INSTALL_DATA) kmalloc-top.bash "$(DESTDIR)$(bash_completion_dir)/kmalloc-top" && \
		$(INSTALL_DATA) _kmalloc-top "$(DESTDIR)$(zsh_completion_dir)/" && \
		$(INSTALL_DATA) kmalloc-top.fish "$(DESTDIR)$(fish_completion_dir)/"
	for command in slabratetop slabstack stack-top; do \
		ln -sf kmalloc-top "$(DESTDIR)$(bash_completion_dir)/$$command" && \
		ln -sf kmalloc-top.fish "$(DESTDIR)$(fish_completion_dir)/$$command.fish" || exit; \
	done
uninstall-local:
	rm -f "$(DESTDIR)$(zsh_completion_dir)/_kmalloc-top"
	for command in kmalloc-top slabratetop slabstack stack-top; do \
		rm -f "$(DESTDIR)$(bash_completion_dir)/$$command" "$(DESTDIR)$(fish_completion_dir)/$$command.fish"; \
	done

# Packages, from the release tarball. It contains what is made here, so that it builds them without a configure.
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
	packages/tmpfiles.conf

.PHONY: rpm deb
rpm deb: dist-xz
	$(srcdir)/packages/$@/build $(distdir).tar.xz $@
clean-local: clean-packages
clean-packages:
	rm -rf rpm deb
.PHONY: clean-packages
