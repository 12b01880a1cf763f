kmalloc-top --cgroup ''
