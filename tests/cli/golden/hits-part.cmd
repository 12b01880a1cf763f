# columns: HITS SHARE% VALUE | POINT
fixture hits | stack-top -i - -q --by=point --from 0.03 --to 0.06
