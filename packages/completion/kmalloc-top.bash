# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion for bash, of all commands of kmalloc-top. They know their own options and values: the form of their
# answers is in aggregator/options/option_completion.h.

# _kmalloc_top_command: the words behind "--" are a command line of their own.
_kmalloc_top_command() {
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [ "${COMP_WORDS[i]}" != -- ] || break
  done
  _command_offset $((i + 1))
}

# _kmalloc_top_trim WORD: bash replaces only what follows the last '=' or ':' of WORD.
_kmalloc_top_trim() {
  local begin=${1%"${1##*[=:]}"}
  COMPREPLY=("${COMPREPLY[@]#"$begin"}")
}

_kmalloc_top() {
  local cur prev words cword line value
  _get_comp_words_by_ref -n =: cur prev words cword || return
  local typed=$cur
  while IFS= read -r line; do
    # Names of files begin behind "--output=".
    value=$typed
    [[ $typed != --*=* ]] || value=${typed#*=}
    case $line in
      ':file '*) cur=$value && _filedir "${line#:file .}" ;;
      :file) cur=$value && _filedir ;;
      :folder) cur=$value && _filedir -d ;;
      :user) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -u -- "$value") ;;
      :command) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -- "$value") ;;
      ':command '*)
        _kmalloc_top_command
        return
        ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${words[0]/#\~\//$HOME/}" --complete "${words[@]:1:cword}" 2>/dev/null)
  _kmalloc_top_trim "$typed"
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *[=:] ]] || compopt -o nospace
}

complete -F _kmalloc_top kmalloc-top slabratetop slabstack stack-top
