kmalloc-top --sign-key k --sign-cert c
