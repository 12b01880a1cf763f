# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for fish, of all commands of kmalloc-top. They know their own options and values: the form of their
# answers is in aggregator/options/option_completion.h.

# Prints names of files, or only of folders, for the value that is being typed.
function __kmalloc_top_files --argument-names current suffix kind
    set -l value (string replace --regex '^--[^=]*=' '' -- $current)
    set -l before (string sub --length (math (string length -- $current) - (string length -- $value)) -- $current)
    for name in $value*
        if test -d $name
            echo $before$name/
        else if test "$kind" != folder; and string match --quiet -- "*$suffix" $name
            echo $before$name
        end
    end
end

function __kmalloc_top_complete
    set -l words (commandline --tokenize --current-process --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    command $words[1] --complete $words[2..] "$current" 2>/dev/null | while read --local line
        switch $line
            case ':command *'
                set -l first (math (string replace ':command ' '' -- $line) + 2)
                complete --do-complete (string join ' ' -- (string escape -- $words[$first..]) "$current")
            case ':command'
                __fish_complete_command
            case ':user'
                __fish_complete_users
            case ':folder'
                __kmalloc_top_files "$current" '' folder
            case ':file*'
                __kmalloc_top_files "$current" (string replace --regex '^:file *' '' -- $line)
            case '*'
                echo $line
        end
    end
end

for command in kmalloc-top slabratetop slabstack stack-top
    complete --command $command --no-files --arguments '(__kmalloc_top_complete)'
end
