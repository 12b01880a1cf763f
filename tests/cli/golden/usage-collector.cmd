kmalloc-top --collector=ebpf
