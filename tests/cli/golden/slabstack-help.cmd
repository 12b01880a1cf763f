# keys.cmd shows the keys of -s.
slabstack --help | sed '/^Keys of -s/,/^$/{//!d}'; (exit "${PIPESTATUS[0]}")
