# bash completion for service-cli
_service_cli() {
  local word current="${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  [ "$current" = '=' ] && current=''
  while IFS=$'\t' read -r word _; do
    if [ "$word" = ':files' ]; then
      compopt -o filenames 2> /dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
    else
      COMPREPLY+=("$word")
    fi
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -F _service_cli service-cli
