slabstack ''
