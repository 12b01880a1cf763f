# shows: Scope
# columns: requested allocated wasted
fixture slab | slabstack ftrace_event_field -i - --details
