kmalloc-top --record=- --record-max=1G -d 1
