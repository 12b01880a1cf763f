# columns: HITS SHARE% VALUE TIME MAX | PROCESS
fixture spans | stack-top -i - -q -s count --by=process
