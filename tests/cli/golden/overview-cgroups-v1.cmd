fixture overview-v1 | slabstack -i - --human -t 1 | tail -n 6
