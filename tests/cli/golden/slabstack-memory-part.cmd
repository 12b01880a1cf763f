fixture slab | fixture memory 2 | slabstack filp -i - --to 3.5 | head -n 2
