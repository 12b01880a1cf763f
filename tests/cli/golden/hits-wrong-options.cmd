# Each has one line that names the remedy, and status 2.
try() {
  stack-top "$@" 2>&1
  echo "status $?"
}
try
try xyzzyxyzzy
try t:kmem
try k:
try sw:page-faults nonsense
try faults brk
try --begin t:a:b
try --begin t:a:b --end t:a:c t:a:d
try t:a:b --weight '1 +'
try t:a:b --where 'order >'
try t:a:b --print
try t:a:b --print time,
try t:a:b --user-stacks=maybe
try t:a:b -K -U
try t:a:b --by=cache
try t:a:b --held
try t:a:b --min-bytes=1
try -i x.kmr faults
try -i x.kmr --weight 1
try -i x.kmr --begin t:a:b --end t:a:c
