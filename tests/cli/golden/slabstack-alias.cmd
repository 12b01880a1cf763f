# shows: Scope
fixture slab | slabstack ftrace_event_field -i - --details
