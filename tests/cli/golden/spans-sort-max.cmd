fixture spans | stack-top -i - -q -s max --by=user-callsite
