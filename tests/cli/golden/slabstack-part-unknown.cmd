fixture slab-part | slabstack -i - vm_area_struct
