# columns: ALLOCATIONS SHARE% | CALLSITE MODULE
kmalloc-top -i import/counted.txt --by=callsite,module -q
