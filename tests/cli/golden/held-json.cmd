# members: facts.{allocations,allocations_before_filters,held_is_counted,held_is_growth,shrunk_places}
# members: facts.{shrunk_objects,shrunk_bytes,larger_places,larger_bytes,objects_of_unknown_size,rows_marked_inaccurate}
# members: facts.{held_is_paired,held_allocated,held_freed,held_peak_bytes,held_over_bound,held_scale}
# members: stacks.{allocations,share_percent,margin_percent,bytes_requested,bytes_allocated,bytes_wasted}
# members: stacks.{allocations_failed,processes,frames} processes dropped left_out
kmalloc-top --import=allocinfo held/7.2/allocinfo.before held/7.2/allocinfo.after -t 1 --format=json
