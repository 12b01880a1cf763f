fixture spans | stack-top -i - -q -s count --by=process
