libaggregator_a_SOURCES +=
