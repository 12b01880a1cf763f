# keys.cmd shows the keys of -s.
stack-top --help | sed '/^Keys of -s/,/^$/{//!d}'; (exit "${PIPESTATUS[0]}")
