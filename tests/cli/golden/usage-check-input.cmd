kmalloc-top --check -i example.kmr
