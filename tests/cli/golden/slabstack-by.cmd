fixture slab | slabstack -i - --by=cache,process
