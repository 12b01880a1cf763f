slabstack --by=process
