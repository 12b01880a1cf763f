kmalloc-top --version | sed 's|Scripts: .*|Scripts: DIR|'
