import { singleQuoted } from './posix.ts';
import { NAMES_COMMAND, type CompletionNode } from './tree.ts';

/** The script for fish from 3.1 on. */
export function fishScript(tree: readonly CompletionNode[]): string {
  const valued = [...new Set(tree.flatMap((one) => one.valued))].toSorted();
  const paths = tree.filter(({ path }) => path !== '').map(({ path }) => singleQuoted(path));
  return `# Completion of ket for fish. Load it with: ket completion fish | source
function __ket_where
    set -l where
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip -eq 1
            set skip 0
        else if contains -- $word ${valued.join(' ')}
            set skip 1
        else if contains -- (string join ' ' $where $word) ${paths.join(' ')}
            set -a where $word
        end
    end
    string join ' ' -- $where
end
function __ket_at
    test (__ket_where | string collect -a) = "$argv[1]"
end
${tree.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, subcommands, options, choices, valued, names }: CompletionNode): string[] {
  const at = `complete -c ket -n ${singleQuoted(`__ket_at "${path}"`)}`;
  const lookedUp = `(command ket ${NAMES_COMMAND} ${names ?? ''} 2>/dev/null)`;
  return [
    ...(subcommands.length === 0 ? [] : [`${at} -f -a ${singleQuoted(subcommands.join(' '))}`]),
    ...(names === null ? [] : [`${at} -a ${singleQuoted(lookedUp)}`]),
    ...options.map((option) => {
      const values = choices.get(option) ?? [];
      const accepted = values.length === 0 ? '' : ` -f -a ${singleQuoted(values.join(' '))}`;
      const name = option.startsWith('--') ? `-l ${option.slice(2)}` : `-s ${option.slice(1)}`;
      return `${at} ${name}${valued.includes(option) ? ` -r${accepted}` : ''}`;
    }),
  ];
}
