# keys.cmd shows the keys of -s.
kmalloc-top --help | sed '/^Keys of -s/,/^$/{//!d}'; (exit "${PIPESTATUS[0]}")
