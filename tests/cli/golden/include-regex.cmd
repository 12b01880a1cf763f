kmalloc-top -i import/hashkey.txt --include-regex '^ 0xf+8002' -q
