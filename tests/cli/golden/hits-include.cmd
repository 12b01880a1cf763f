# A name is escaped before it is matched.
fixture hits | stack-top -i - -q -I 're\x1b[31mload'
