libaggregator_a_SOURCES += \
	aggregator/rates/growth.c aggregator/rates/growth.h \
	aggregator/rates/net_check.c aggregator/rates/net_check.h \
	aggregator/rates/rate_chart.c aggregator/rates/rate_chart.h \
	aggregator/rates/rate_detail.c aggregator/rates/rate_detail.h \
	aggregator/rates/rate_row.c aggregator/rates/rate_row.h \
	aggregator/rates/rate_table.c aggregator/rates/rate_table.h \
	aggregator/rates/rate_totals.c aggregator/rates/rate_totals.h
