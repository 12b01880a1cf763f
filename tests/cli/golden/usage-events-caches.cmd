slabratetop --events=page; slabratetop --events=kmalloc,page 1 2; slabratetop --events=free; slabstack --events=free dentry
