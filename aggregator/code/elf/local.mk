libaggregator_a_SOURCES += \
	aggregator/code/elf/elf_debug_file.c aggregator/code/elf/elf_debug_file.h \
	aggregator/code/elf/elf_file.c aggregator/code/elf/elf_file.h \
	aggregator/code/elf/elf_functions.c aggregator/code/elf/elf_functions.h \
	aggregator/code/elf/elf_symbols.c aggregator/code/elf/elf_symbols.h \
	aggregator/code/elf/file_opener.c aggregator/code/elf/file_opener.h \
	aggregator/code/elf/jit_map.c aggregator/code/elf/jit_map.h \
	aggregator/code/elf/object_files.c aggregator/code/elf/object_files.h \
	aggregator/code/elf/object_open.c aggregator/code/elf/object_open.h \
	aggregator/code/elf/opener_child.c \
	aggregator/code/elf/proc_maps.c aggregator/code/elf/proc_maps.h \
	aggregator/code/elf/user_resolve.c aggregator/code/elf/user_resolve.h
