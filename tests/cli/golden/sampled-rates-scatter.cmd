fixture rates | fixture sample 4 900 | slabratetop -i - 0.5 1 --json
