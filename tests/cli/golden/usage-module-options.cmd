kmalloc-top --module x.ko -o "-DX=1"
