/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * Returns the offset of `size` (what an object takes in its slab) in the running kernel's struct
 * kmem_cache, from its BTF; 0 when that is not known: no BTF, or a build without libbpf. The
 * structure is private to the kernel from 6.8 on, so the probe module cannot know it itself.
 */
unsigned cache_layout_size_offset(void);
