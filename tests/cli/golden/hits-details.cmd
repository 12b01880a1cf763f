fixture hits | stack-top -i - -q --details -t 1
