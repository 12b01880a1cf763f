dist_man_MANS += doc/kmalloc-top.1 doc/slabratetop.1 doc/slabstack.1
dist_doc_DATA += \
	CONTRIBUTING.md \
	NEWS.md \
	README.md \
	doc/ARCHITECTURE.md \
	doc/COMPATIBILITY.md \
	doc/GLOSSARY.md \
	doc/JSON.md \
	doc/PERFORMANCE.md \
	doc/RECORD_FORMAT.md \
	doc/TESTING.md
EXTRA_DIST += \
	.ci/run \
	.clang-format \
	.editorconfig \
	.githooks/commit-msg \
	COPYING \
	packages/apt-bench \
	packages/apt-build \
	packages/apt-fuzz \
	packages/apt-run \
	packages/apt-test \
	packages/apt-vm \
	packages/dnf-build \
	packages/dnf-fuzz \
	packages/dnf-repos \
	packages/dnf-run \
	packages/dnf-test \
	packages/install \
	packages/needs \
	quickstart
