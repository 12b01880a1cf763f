fixture slab | slabstack -i -
