fixture slab | fixture memory 1 | slabstack filp -i - | head -n 2
