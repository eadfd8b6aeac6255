import { commonLines } from './posix.ts';
import { NAMES_COMMAND, type CompletionNode } from './tree.ts';

/** The script for bash from 3.2 on. */
export function bashScript(tree: readonly CompletionNode[]): string {
  return `# Completion of ket for bash. Load it with: source <(ket completion bash)
${commonLines(tree)}
_ket() {
  local current="\${COMP_WORDS[COMP_CWORD]}" last="\${COMP_WORDS[COMP_CWORD-1]}"
  local at=1 where='' word given=0 subcommands options names choices reply
  COMPREPLY=()
  while [ "$at" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[at]}"
    if _ket_takes_value "$word"; then at=$((at + 1))
    elif _ket_is_command "\${where:+$where }$word"; then where="\${where:+$where }$word"
    elif [ "\${word#-}" = "$word" ]; then given=$((given + 1)); fi
    at=$((at + 1))
  done
  _ket_describe "$where" "$last"
  if [ -n "$choices" ]; then reply="$choices"
  elif _ket_takes_value "$last"; then return 0
  elif [ "\${current#-}" != "$current" ]; then reply="$options"
  else
    reply="$subcommands"
    if [ -n "$names" ] && [ "$given" -eq 0 ]; then
      reply="$reply
$(command "\${COMP_WORDS[0]}" ${NAMES_COMMAND} "$names" 2>/dev/null)"
    fi
  fi
  local IFS=$' \\n'
  COMPREPLY=($(compgen -W "$reply" -- "$current"))
}
complete -o default -F _ket ket
`;
}
