#compdef service-cli
_service_cli() {
  local line tab=$'\t'
  local -a lines candidates
  lines=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ "${lines[1]}" == ':files' ]]; then
    _files
    return
  fi
  for line in $lines; do
    candidates+=("${${line%%$tab*}//:/\\:}:${line#*$tab}")
  done
  _describe service-cli candidates
}
if [[ "${funcstack[1]}" == _service_cli ]]; then
  _service_cli "$@"
else
  compdef _service_cli service-cli
fi
