# members: facts.{allocations,allocations_before_filters,events_counted,lost_events,lost_uncounted_events}
# members: facts.{lost_transport_events,lost_not_delivered_events,lost_unread_events,lost_skipped_events,lost_missed_events}
# members: facts.{lost_reentrant_events,lost_damaged_events,lost_memory_bound_events,lost_damaged_bytes}
# members: facts.{lost_more_is_possible,lost_is_unknown,end_is_unknown}
# members: stacks.{allocations,bytes_allocated,frames.text}
{ fixture s390x; printf junk; fixture s390x | tail -c 400; } | kmalloc-top -i - -t 1 --format=json
