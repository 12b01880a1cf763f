# What most people need, on one screen.
for tool in kmalloc-top slabstack slabratetop stack-top; do $tool --help; echo "[lines: $($tool --help | wc -l)]"; done
