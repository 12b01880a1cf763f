# keys.cmd shows the keys of -s.
stack-top --help=all | sed '/^Keys of -s/,/^$/{//!d}'; (exit "${PIPESTATUS[0]}")
