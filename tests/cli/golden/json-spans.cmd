# members: facts.{events,events_called,title,points_missing,value_of,value_unit,spans,spans_seconds}
# members: facts.{spans_max_seconds,spans_open,spans_not_begun,spans_not_ended,user_stacks,user_stacks_whole}
# members: facts.{user_stack_depth_max,allocations} sort by rows.{process,user-callsite,allocations,share_percent}
# members: rows.{value,time_seconds,time_max_seconds} others processes
fixture spans | stack-top -i - --format=json --by=process,user-callsite
