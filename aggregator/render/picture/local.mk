libaggregator_a_SOURCES += \
	aggregator/render/picture/page_data.c aggregator/render/picture/page_data.h \
	aggregator/render/picture/page_plain.c aggregator/render/picture/page_plain.h \
	aggregator/render/picture/page_strings.c aggregator/render/picture/page_strings.h \
	aggregator/render/picture/page_tables.c \
	aggregator/render/picture/page_texts.h \
	aggregator/render/picture/render_html.c \
	aggregator/render/picture/render_picture.h \
	aggregator/render/picture/render_svg.c

# The files of the pictures. The scripts of --format=html are one script in the page, in this order.
picture_folder = aggregator/render/picture
page_scripts = \
	page/format.js \
	page/dom.js \
	page/data.js \
	page/selection.js \
	page/summary.js \
	page/changes.js \
	page/table.js \
	page/tree.js \
	page/flame.js \
	page/calls.js \
	page/heat.js \
	page/chart.js \
	page/details.js \
	page/address.js \
	page/balance.js \
	page/main.js
EXTRA_DIST += $(picture_folder)/embed $(picture_folder)/page $(picture_folder)/graph
page_texts = aggregator/render/picture/page_texts.c
nodist_libaggregator_a_SOURCES += $(page_texts)
CLEANFILES += $(page_texts)

$(page_texts): $(srcdir)/$(picture_folder)/page/*.* $(srcdir)/$(picture_folder)/graph/*.* \
		$(srcdir)/$(picture_folder)/embed
	$(AM_V_GEN)$(MKDIR_P) $(@D) && (cd $(srcdir)/$(picture_folder) && \
		./embed page_html page/page.html -- page_css page/page.css -- page_js $(page_scripts) -- \
		graph_css graph/graph.css -- graph_js graph/graph.js) >$@-new && mv $@-new $@
