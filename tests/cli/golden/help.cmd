# keys.cmd shows the keys of -s.
kmalloc-top --help=all | sed '/^Keys of -s/,/^$/{//!d}'; (exit "${PIPESTATUS[0]}")
