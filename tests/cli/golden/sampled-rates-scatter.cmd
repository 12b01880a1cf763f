# members: interval seconds sampling_period caches {rows,sum}.{cache,allocations,bytes_allocated}
# members: {rows,sum}.{allocations_margin_percent,bytes_allocated_margin_percent}
fixture rates | fixture sample 4 900 | slabratetop -i - 0.5 1 --json
