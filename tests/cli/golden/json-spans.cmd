fixture spans | stack-top -i - --format=json --by=process,user-callsite
