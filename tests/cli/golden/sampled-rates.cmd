# shows: Sampled
# columns: ALLOCS BYTES +-% FREES | CACHE PROCS
fixture rates | fixture throttle 4 >$WORK/r && slabratetop -i $WORK/r 0.5 2 --columns +free,+procs && slabratetop -i $WORK/r 0.5 1 --json && slabratetop -i $WORK/r 10 --json | grep -o '"sum":.*'
