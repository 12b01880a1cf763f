for words in "kmalloc-top -d .3 --info" "slabratetop .5 -i x" "kmalloc-top -d ." "kmalloc-top -d .x" "slabratetop -.5"; do $words; echo "status $?"; done
