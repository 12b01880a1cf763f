# What awk adds up of each record, and what the report does.
total() {
  kmalloc-top "$@" --format=json |
    sed -E 's/.*"allocations_before_filters":([0-9]+),.*"bytes_allocated_before_filters":([0-9]+|null),.*/\1 \2/'
}
for file in held/*/allocinfo.*; do
  awk '/func:/ { objects += $2; bytes += $1 } END { print objects, bytes }' "$file"
  total --import=allocinfo "$file"
done
for folder in held/6.12/alloc_traces/*; do
  cat "$folder"/*/alloc_traces | awk '/ age=/ { objects += $1 } END { print objects }'
  total --import=alloc_traces "$folder"
done
for file in held/7.2/page_owner.*; do
  sed -n 's/^Page allocated via order \([0-9]*\),.*/\1/p' "$file" |
    awk '{ objects++; bytes += 4096 * 2 ^ $1 } END { print objects, bytes }'
  total --import=page_owner "$file"
done
