kmalloc-top -i held/made/show_stacks; kmalloc-top -q -t 1 --import=page_owner held/made/show_stacks --page-size=64K
