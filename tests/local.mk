# The longest tests first, as they run beside each other.
include tests/live/local.mk
include tests/unit/local.mk
include tests/screen/local.mk
include tests/cli/local.mk
include tests/fuzz/local.mk
include tests/bench/local.mk
include tests/vm/local.mk
include tests/reach/local.mk
include tests/torture/local.mk

# Most of their time they wait. Each job of Criterion is a test.
AM_TESTS_ENVIRONMENT = CRITERION_JOBS=$$(($$(nproc) * 2)); export CRITERION_JOBS;
