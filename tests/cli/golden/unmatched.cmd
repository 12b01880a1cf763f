# Globs that match no process and no cgroup of this host are named at the start. bash is there: it runs this case.
say() { "$@" 2>&1 >/dev/null | grep 'of this host' | sed 's/; nearest: [^;]*//'; }
say kmalloc-top --check --process='no-such-one*,bash'; say kmalloc-top --check --process='*'; say slabratetop --check --cgroup=/no-such; say slabstack '*' --check --cgroup='*'; say kmalloc-top --check --process=nosuchcommand -c /bin/true; say kmalloc-top --check --process='tr[u]e' -c /bin/true
