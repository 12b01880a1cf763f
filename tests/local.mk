include tests/unit/local.mk
include tests/cli/local.mk
include tests/fuzz/local.mk
include tests/bench/local.mk
include tests/vm/local.mk
include tests/screen/local.mk
include tests/live/local.mk
include tests/reach/local.mk
