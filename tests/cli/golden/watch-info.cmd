slabstack -i watch/leak.kmr --info --no-host
