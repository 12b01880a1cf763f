fixture slab | fixture memory 2 | slabstack filp -i -
