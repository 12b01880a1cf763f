fixture hits | stack-top -i - --info
