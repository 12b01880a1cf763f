fixture spans | stack-top -i - -q --by=point,process
