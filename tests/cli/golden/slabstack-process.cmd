fixture slab | slabstack filp -q -i - --process '[a-f]*'
