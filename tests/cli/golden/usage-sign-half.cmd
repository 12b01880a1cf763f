kmalloc-top --build-module -O x.ko --sign-key k
