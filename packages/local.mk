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
