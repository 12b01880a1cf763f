# What stack-top observes by name; doc/PRESETS.md describes the format.
presetsdir = $(pkgdatadir)/presets
dist_presets_DATA = \
	presets/brk.preset \
	presets/compaction.preset \
	presets/extfrag.preset \
	presets/faults.preset \
	presets/ffaults.preset \
	presets/hugepage.preset \
	presets/kswapd.preset \
	presets/majfaults.preset \
	presets/malloc.preset \
	presets/migrate.preset \
	presets/mmap.preset \
	presets/oomkill.preset \
	presets/pages.preset \
	presets/pfaults.preset \
	presets/reclaim.preset \
	presets/shmsnoop.preset \
	presets/vmscan.preset
