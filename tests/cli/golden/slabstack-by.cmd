# columns: ALLOCATIONS SHARE% REQUESTED-BYTES ALLOCATED-BYTES WASTED-BYTES | CACHE PROCESS
fixture slab | slabstack -i - --by=cache,process
