fixture hits | stack-top -i - -q -U
