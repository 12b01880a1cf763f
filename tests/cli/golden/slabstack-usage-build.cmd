slabstack --build-module -O $WORK/x.ko dentry
