fixture overview | slabstack -i -
