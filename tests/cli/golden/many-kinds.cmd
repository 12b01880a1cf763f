# columns: HITS SHARE% VALUE | POINT HOST
mkdir -p $WORK; cd $WORK; fixture hits >a.kmr; fixture cgroups >b.kmr; fixture spans >c.kmr; stack-top -q -i . --by=point,host
