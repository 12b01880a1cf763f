# The run over time: of all caches, with what they hold; of one cache; not of events without times.
fixture rates-held >"$WORK/h.kmr" && kmalloc-top --held -i "$WORK/h.kmr" --format=html | grep -oE '"chart":\{[^}]*\}'
slabstack filp -i "$WORK/h.kmr" --format=html | grep -oE '"cache":"filp[^}]*"bytes_allocated":[^}]*\}' | head -n 1
kmalloc-top -i import/counted.txt --format=html | grep -c '"chart":'
