# The picture without its style and its script: of bytes, of time, of what is held with losses.
drawing() { sed -e '/^<style>/,/^<.style>/d' -e '/^<script>/,/^\]\]>/d'; }
kmalloc-top -i ../../examples/mixed.kmr -t 2 -s bytes --no-host --format=svg | drawing
stack-top -i ../../examples/reclaim.kmr -t 1 -s time --format=svg | drawing
fixture rates-held >"$WORK/h.kmr" && kmalloc-top --held -i "$WORK/h.kmr" -s held-bytes --format=svg | drawing
