# Pages below slabs are not held a second time if the objects are counted; pages that are split are noted.
# shows: Pages of slabs and large kmallocs; Freed in parts
# columns: HELD SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES OLDEST ALLOCATED FREED FREED<1ms CROSS-CPU PEAK-BYTES DOUBTFUL | CALLSITE
sample() { printf 'x 1 [000] 1.%s\n' "$1"; shift; [ $# = 0 ] || printf '\tffffffff81000010 %s ([kernel.kallsyms])\n' "$@"; echo; }
{
  sample '1: kmem:mm_page_alloc: page=0x1 pfn=0x100 order=0' alloc_pages_noprof+0x1 allocate_slab+0x2 ___slab_alloc+0x3
  sample '2: kmem:mm_page_alloc: page=0x2 pfn=0x200 order=2' alloc_pages_noprof+0x1 ___kmalloc_large_node+0x2 f+0x3
  sample '3: kmem:mm_page_alloc: page=0x3 pfn=0x300 order=1' alloc_pages_noprof+0x1 pipe_write+0x2
  sample '4: kmem:mm_page_alloc: page=0x4 pfn=0x400 order=1' alloc_pages_noprof+0x1 split_it+0x2
  sample '5: kmem:mm_page_free: page=0x4 pfn=0x400 order=0' free_it+0x1
} >"$WORK/pages"
{
  cat "$WORK/pages"
  sample '6: kmem:kmalloc: call_site=f+0x1 ptr=0xffff888000000100 bytes_req=5 bytes_alloc=8' f+0x1
  sample '7: kmem:kfree: call_site=f+0x1 ptr=0xffff888000000200' f+0x1
} >"$WORK/both"
for file in both pages; do
  kmalloc-top -q --held -i "$WORK/$file" --by=callsite -s held-bytes | grep -E '^ *(HELD|[0-9])|^Pages|^Freed'
done
