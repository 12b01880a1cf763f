# Frames of a program are matched as they are printed: in brackets is the name of a file.
fixture hits | stack-top -i - -q -e "[libc.so.6]"
