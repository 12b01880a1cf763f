fixture hits >"$WORK.kms"
why() { stack-top -i "$WORK.kms" -q "$@" | sed -n 's/^Nothing to show: //p'; }
why --include-regex='^ nobody'
why --process=nobody
why --from 0.9
