kmalloc-top --import=allocinfo held/7.2/allocinfo.before held/7.2/allocinfo.after -t 1 --format=json |
  grep -oE '"(allocations|held|shrunk|larger|objects_of|rows_marked)[a-z_]*":[^,}]*|"stacks":.*'
