# A recording of readings alone knows no allocations.
fixture overview | slabstack -i - filp | head -n 2
