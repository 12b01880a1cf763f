# keys.cmd shows the keys of -s.
slabratetop --help | sed '/^Keys of -s/,/^$/{//!d}'; (exit "${PIPESTATUS[0]}")
