slabstack --events=page dentry
