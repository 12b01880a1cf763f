# keys.cmd shows the keys of -s.
slabstack --help=all | sed '/^Keys of -s/,/^$/{//!d}'; (exit "${PIPESTATUS[0]}")
