slabstack --help
