fixture hits | stack-top -i - --format=json -t 2
