# keys.cmd shows the keys of -s.
slabratetop --help=all | sed '/^Keys of -s/,/^$/{//!d}'; (exit "${PIPESTATUS[0]}")
