# shows: Lost
fixture aarch64 | kmalloc-top -q -i - --to 0.0005 | tail -n 1; fixture aarch64 | kmalloc-top -q -i - | tail -n 1; fixture rates | kmalloc-top -q -i - --to 0.5 | tail -n 1; fixture rates | kmalloc-top -q -i - --from 0.77 | tail -n 1
