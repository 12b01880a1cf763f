slabstack dentry filp -d 1
