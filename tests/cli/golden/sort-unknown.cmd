# What ranks is not known of the input: a message says so, in each format. Ages of some objects suffice.
# columns: ALLOCATIONS SHARE% | PROCESS
kmalloc-top -i import/counted.txt -s bytes -t 1 --format=folded
kmalloc-top -i import/counted.txt -s bytes -t 1 --by=process -q
fixture hits | stack-top -i - -s time --format=csv | wc -l
fixture spans | stack-top -i - -s time --format=folded -t 1
kmalloc-top --import=allocinfo held/7.2/allocinfo.after -s age --format=ndjson | wc -l
kmalloc-top --import=page_owner held/7.2/page_owner.after -s age --format=ndjson -t 2 | wc -l
