fixture hits | stack-top -i - -q -s count -t 2
