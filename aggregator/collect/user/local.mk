libaggregator_a_SOURCES += \
	aggregator/collect/user/elf_build_id.c aggregator/collect/user/elf_build_id.h \
	aggregator/collect/user/elf_debug_file.c aggregator/collect/user/elf_debug_file.h \
	aggregator/collect/user/elf_file.c aggregator/collect/user/elf_file.h \
	aggregator/collect/user/elf_functions.c aggregator/collect/user/elf_functions.h \
	aggregator/collect/user/elf_mini_debug.c aggregator/collect/user/elf_mini_debug.h \
	aggregator/collect/user/elf_names.c aggregator/collect/user/elf_names.h \
	aggregator/collect/user/elf_plt.c aggregator/collect/user/elf_plt.h \
	aggregator/collect/user/elf_symbols.c aggregator/collect/user/elf_symbols.h \
	aggregator/collect/user/file_opener.c aggregator/collect/user/file_opener.h \
	aggregator/collect/user/jit_map.c aggregator/collect/user/jit_map.h \
	aggregator/collect/user/mapped_path.c aggregator/collect/user/mapped_path.h \
	aggregator/collect/user/object_files.c aggregator/collect/user/object_files.h \
	aggregator/collect/user/object_open.c aggregator/collect/user/object_open.h \
	aggregator/collect/user/opener_child.c aggregator/collect/user/opener_child.h \
	aggregator/collect/user/proc_maps.c aggregator/collect/user/proc_maps.h \
	aggregator/collect/user/user_resolve.c aggregator/collect/user/user_resolve.h \
	aggregator/collect/user/vdso_image.c aggregator/collect/user/vdso_image.h
