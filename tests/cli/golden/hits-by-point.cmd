# columns: HITS SHARE% VALUE | POINT PROCESS
fixture hits | stack-top -i - -q --by=point,process
