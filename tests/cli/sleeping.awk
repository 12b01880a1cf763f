# SPDX-License-Identifier: GPL-2.0-or-later
# sleeping.awk FILE ...: prints each call in the emitter's sources that may sleep with PREEMPT_RT although interrupts
# may be off: "FILE:LINE FUNCTION calls NAME". Probes run with interrupts off, those of begin and of ends, too. Only
# functions that the kernel calls for a parameter (.set, .get, .free) run in a process, and those that nobody else
# names. What SystemTap's runtime and the kernel's functions call is not looked at. Needs code_of.awk.

BEGIN {
	sleeping = "^(kv?[mzc]alloc(_[a-z]+)*|v[mz]alloc(_[a-z]+)*|krealloc(_[a-z]+)*|k[vz]?free(_sensitive)?|vfree|" \
		   "kmem_cache_(alloc|free)[a-z_]*|(__)?(alloc|free|get_free)_pages?[a-z_]*|(alloc|free)_percpu|" \
		   "get_random_[a-z0-9_]+|(spin|read|write|local)_(try)?lock[a-z_]*|(rt_)?mutex_(try)?lock[a-z_]*|" \
		   "down(_[a-z]+)*|task_lock|wait_event[a-z_]*|wake_up[a-z_]*|complete(_all)?|wait_for_[a-z_]+|" \
		   "schedule(_[a-z]+)*|cond_resched|might_sleep|[mu]sleep(_[a-z]+)*|synchronize_[a-z_]+|" \
		   "tracepoint_(probe|synchronize)_[a-z]+|(un)?register_[a-z_]+|v?printk[a-z_]*|pr_[a-z_]+|WARN[A-Z_]*|" \
		   "copy_(to|from)_user|get_user|put_user)$"
}

# A definition stands at the left margin; so does a declaration, which names nobody.
function begin_function(line) {
	if (line ~ /^(#define|function) /)
		sub(/^(#define|function) +/, "", line)
	else if (line !~ /^[A-Za-z_].*\(/ || line ~ /^(struct|enum|union|probe|module_[a-z_]+\()|=/)
		return
	match(line, /[A-Za-z_][A-Za-z_0-9]*(\(|:|$| )/)
	while (RSTART && substr(line, RSTART + RLENGTH - 1, 1) == " " && line ~ /\(/) {
		line = substr(line, RSTART + RLENGTH)
		match(line, /[A-Za-z_][A-Za-z_0-9]*(\(|:|$| )/)
	}
	inside = substr(line, RSTART, RLENGTH)
	sub(/[^A-Za-z_0-9]$/, "", inside)
	declares = 1
	irqs_off = 0
}

# What the line names, and what it calls.
function note_words(line,    word, is_call, who) {
	who = inside ? inside : "?"
	while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
		word = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		is_call = line ~ /^\(/
		if (is_call && word ~ /^local_irq_(save|disable)$/)
			irqs_off = 1
		if (is_call && word ~ /^local_irq_(restore|enable)$/)
			irqs_off = 0
		if (word == inside)
			continue
		if (!((word, who) in named)) {
			named[word, who] = 1
			namers[word] = namers[word] " " who
		}
		if (is_call && word ~ sleeping) {
			places[++calls] = FILENAME ":" FNR " " who " calls " word
			by[calls] = who
			always[calls] = irqs_off
		}
	}
}

FNR == 1 { in_comment = 0; inside = ""; in_c = FILENAME ~ /\.[ch]$/ }

# The emitter's script has C between these.
/^%\{|^%\(.*%\{|%\{ \/\*/ { in_c = 1 }
/^%\}|%\} %:/ { in_c = FILENAME ~ /\.[ch]$/; inside = ""; if (!/%\{/) next; in_c = 1 }

{
	line = code_of($0)
	if (!in_c && line ~ /^#/)
		line = ""
	is_macro = line ~ /^#define /
	if (line ~ /^[A-Za-z_]|^#define /)
		begin_function(line)
	if (!inside && match(line, /\.(set|get|free) = [A-Za-z_0-9]+/)) {
		name = substr(line, RSTART, RLENGTH)
		sub(/.* /, "", name)
		in_process[name] = 1
		next
	}
	if (line ~ /^%?[{]/ || is_macro || line ~ /[{]$/)
		declares = 0
	if (!declares)
		note_words(line)
	if (line ~ /^}/ || (declares && line ~ /;$/) || (is_macro && line !~ /\\$/) || (was_macro && line !~ /\\$/)) {
		inside = ""
		declares = 0
	}
	was_macro = (is_macro || was_macro) && line ~ /\\$/
}

END {
	for (name in in_process)
		if (name in namers)
			delete in_process[name]
	do {
		found = 0
		for (name in namers) {
			n = split(namers[name], who, " ")
			for (i = 1; i <= n && who[i] in in_process; i++)
				;
			if (i > n && !(name in in_process))
				found = in_process[name] = 1
		}
	} while (found)
	for (i = 1; i <= calls; i++)
		if (always[i] || !(by[i] in in_process))
			print places[i]
}
