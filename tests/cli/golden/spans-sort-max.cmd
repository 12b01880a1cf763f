# columns: HITS VALUE TIME MAX | USER-CALLSITE
fixture spans | stack-top -i - -q -s max --by=user-callsite
