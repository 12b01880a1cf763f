# Recordings of real kernels, made by this program.
examplesdir = $(docdir)/examples
dist_examples_DATA = examples/growth.kmr examples/mixed.kmr examples/reclaim.kmr
