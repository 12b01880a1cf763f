kmalloc-top -i import/counted.txt --by=callsite,module -q
