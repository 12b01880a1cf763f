kmalloc-top --check --build-module -O $WORK/kmt.ko
