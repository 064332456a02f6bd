# fish completion for service-cli
function __service_cli_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l lines ($words[1] __complete $words[2..] "$current" 2> /dev/null)
  if test "$lines[1]" = ':files'
    __fish_complete_path "$current"
  else
    printf '%s\n' $lines
  end
end
complete -c service-cli -f -a '(__service_cli_complete)'
