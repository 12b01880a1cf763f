fixture hits | stack-top -i - -q -K
