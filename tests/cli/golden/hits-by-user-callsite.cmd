# columns: HITS SHARE% VALUE | USER-CALLSITE
fixture hits | stack-top -i - -q --by=user-callsite -s count
