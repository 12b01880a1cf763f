# columns: ALLOCS BYTES | CACHE PROCS
fixture cgroups >"$WORK/g.kmr" && cd "$WORK" && slabratetop -q -i g.kmr --columns +procs 86400; slabratetop -q -i g.kmr --columns +procs --cgroup sshd.service 86400; slabratetop -q -i g.kmr --columns +procs --cgroup 'docker:*' 86400
