# members: facts.{scope,memory_total_bytes,memory_free_bytes_start,memory_free_bytes_end}
# members: facts.{memory_available_bytes_start,memory_available_bytes_end,slab_bytes_start,slab_bytes_end}
# members: facts.{slab_unreclaimable_bytes_start,slab_unreclaimable_bytes_end,memory_pressure_some_percent}
# members: facts.{memory_pressure_full_percent,major_faults,reclaim_stalls,oom_kills,sampling_period_asked}
# members: facts.{sampling_period_min,sampling_period_max,allocations,allocations_before_filters}
# members: facts.{allocations_before_filters_margin_percent,allocations_left_out,allocations_named_by_kernel}
# members: facts.{allocations_named_by_size,bytes_requested,bytes_allocated,bytes_wasted,rows_before_filters}
# members: facts.rows_after_filters command report growth by rows.{process,cache,frames}
# members: {rows,others}.{allocations,share_percent,margin_percent,bytes_requested,bytes_allocated,bytes_wasted}
# members: others.rows processes dropped left_out
fixture slab | fixture memory 2 | fixture sample 5 | slabstack -i - 'kmalloc-*' -t 2 --format json
