# An unpacked sosreport is named, with what can be read of it, whatever reads it.
mkdir -p "$WORK/sosreport/sos_commands" "$WORK/sosreport/proc"
for how in -i --import=allocinfo --import=alloc_traces --import=page_owner; do kmalloc-top $how "$WORK/sosreport"; done
