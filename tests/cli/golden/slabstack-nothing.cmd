fixture slab | slabstack vm_area_struct -i -
