# columns: HITS SHARE% VALUE | PROCESS STACK
fixture hits | stack-top -i - -q --by=process,stack -t 2
