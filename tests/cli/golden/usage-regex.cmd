kmalloc-top --exclude-regex '('
