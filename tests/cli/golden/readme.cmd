# A line "..." of the README stands for lines that it leaves out.
for tool in slabstack kmalloc-top stack-top; do
	sed -n "/^\\$ $tool -i/,/^\`\`\`\$/p" ../../README.md | sed '$d' >"$WORK/block"
	line=$(sed -n '1s/^. //p' "$WORK/block")
	(cd ../.. && eval "$line") >"$WORK/printed"
	sed 1d "$WORK/block" | awk -v line="$line" '
		FNR == NR { want[++n] = $0; next }
		at < n && want[at + 1] == "..." { at++; skips = 1 }
		$0 == want[at + 1] { at++; skips = 0; next }
		!skips { print "printed, but not in the README: " $0; exit }
		END { print (at == n ? "the README shows" : "the README differs from") ", in " n " of " FNR " lines: " line }
	' - "$WORK/printed"
done
