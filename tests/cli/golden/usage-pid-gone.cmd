for tool in kmalloc-top "slabstack filp" "slabratetop .5 1" "kmalloc-top --check"; do $tool -p 4194303; echo "status $?"; done
