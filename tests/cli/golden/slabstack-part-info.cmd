fixture slab-part | slabstack -i - --info
