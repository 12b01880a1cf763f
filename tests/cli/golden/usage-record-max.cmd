kmalloc-top --record-max 1Z
