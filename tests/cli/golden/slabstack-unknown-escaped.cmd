fixture slab | slabstack -i - $'\033[31mred'
