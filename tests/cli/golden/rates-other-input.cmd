slabratetop -i import/slab.txt 1; slabratetop -i /nowhere 1
