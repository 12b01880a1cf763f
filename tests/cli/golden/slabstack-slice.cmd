# shows: Part
fixture slab | slabstack filp -q -i - --to 3.5
