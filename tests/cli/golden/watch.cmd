slabstack -i watch/leak.kmr -t 4 && slabstack -i watch/leak.kmr -t 1 --from 3 --to 9s | head -n 3
