# columns: HITS SHARE% VALUE TIME MAX | POINT PROCESS
fixture spans | stack-top -i - -q --by=point,process
