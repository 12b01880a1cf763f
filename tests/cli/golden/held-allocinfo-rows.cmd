kmalloc-top -q -i held/made/allocinfo.rows; kmalloc-top -q --import=allocinfo held/made/oom.log; kmalloc-top -i held/made/oom.log
