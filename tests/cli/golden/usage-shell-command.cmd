kmalloc-top -c 'find / | wc -l'
