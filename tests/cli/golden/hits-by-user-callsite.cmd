fixture hits | stack-top -i - -q --by=user-callsite -s count
