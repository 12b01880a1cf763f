slabstack dentry --frobnicate
