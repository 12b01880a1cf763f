# A file that all may read, with nothing beside it; then what cannot be written, and what does not fit together.
fixture rates >"$WORK/r.kmr" && cd "$WORK" && mkdir f && umask 077 && touch f/slab.prom.part || exit
slabratetop -i r.kmr --format=prometheus --textfile=f/slab.prom .25
ls f && stat -c %a f/slab.prom && grep dentry f/slab.prom
ln -s f/slab.prom link && slabratetop -i r.kmr --format=prometheus --textfile=link
slabratetop -i r.kmr --format=prometheus --textfile=none/slab.prom
slabratetop -i r.kmr --textfile=slab.prom
slabratetop -i r.kmr --format=prometheus -r 5
slabratetop -i r.kmr --format=prometheus --rate
slabratetop -i r.kmr --format=prometheus --textfile=r.kmr
slabratetop --format=prometheus --textfile=r.prom --record=-
