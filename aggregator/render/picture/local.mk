libaggregator_a_SOURCES += \
	aggregator/render/picture/page_data.c aggregator/render/picture/page_data.h \
	aggregator/render/picture/page_diff.c aggregator/render/picture/page_diff.h \
	aggregator/render/picture/page_escape.c aggregator/render/picture/page_escape.h \
	aggregator/render/picture/page_names.c aggregator/render/picture/page_names.h \
	aggregator/render/picture/page_plain.c aggregator/render/picture/page_plain.h \
	aggregator/render/picture/page_texts.h \
	aggregator/render/picture/render_html.c \
	aggregator/render/picture/render_picture.h

# The page of --format=html. Its scripts are one script in the page, in this order.
page_folder = aggregator/render/picture/page
page_scripts = \
	format.js \
	dom.js \
	data.js \
	selection.js \
	summary.js \
	changes.js \
	table.js \
	tree.js \
	flame.js \
	calls.js \
	heat.js \
	chart.js \
	details.js \
	main.js
EXTRA_DIST += aggregator/render/picture/embed $(page_folder)
page_texts = aggregator/render/picture/page_texts.c
nodist_libaggregator_a_SOURCES += $(page_texts)
CLEANFILES += $(page_texts)

$(page_texts): $(srcdir)/$(page_folder)/*.* $(srcdir)/aggregator/render/picture/embed
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
		$(srcdir)/aggregator/render/picture/embed $(srcdir)/$(page_folder) $(page_scripts) >$@-new && \
		mv $@-new $@
