slabstack -c true
