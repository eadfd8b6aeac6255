import { commonLines } from './posix.ts';
import { NAMES_COMMAND, type CompletionNode } from './tree.ts';

/** The script for zsh. */
export function zshScript(tree: readonly CompletionNode[]): string {
  return `#compdef ket
# Completion of ket for zsh. Load it with: source <(ket completion zsh), after compinit.
${commonLines(tree)}
_ket() {
  local last="\${words[CURRENT-1]}" at=2 where='' word given=0 subcommands options names choices
  while (( at < CURRENT )); do
    word="\${words[at]}"
    if _ket_takes_value "$word"; then (( at += 1 ))
    elif _ket_is_command "\${where:+$where }$word"; then where="\${where:+$where }$word"
    elif [[ "$word" != -* ]]; then (( given += 1 )); fi
    (( at += 1 ))
  done
  _ket_describe "$where" "$last"
  if [[ -n "$choices" ]]; then compadd -- \${=choices}
  elif _ket_takes_value "$last"; then _files
  elif [[ "\${words[CURRENT]}" == -* ]]; then compadd -- \${=options}
  else
    compadd -- \${=subcommands}
    if [[ -n "$names" && $given -eq 0 ]]; then
      compadd -- \${(f)"$(command "\${words[1]}" ${NAMES_COMMAND} "$names" 2>/dev/null)"}
    fi
    [[ -z "$subcommands" ]] && _files
  fi
}
compdef _ket ket
`;
}
