slabstack --version | sed 1q | grep -o "^slabstack "
