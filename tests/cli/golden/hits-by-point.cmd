fixture hits | stack-top -i - -q --by=point,process
