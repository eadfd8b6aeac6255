import type { CompletionNode } from './tree.ts';

/** Quotes a text for bash and zsh. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The parts of a script that bash and zsh read alike. They set `where` (the command), `last` (the word before the
 * cursor) and `words` (what may come next). `names` is the kind of names that may come next.
 */
export function commonLines(tree: readonly CompletionNode[]): string {
  const arms = tree.map(
    ({ path, subcommands, options, names }) =>
      `    ${singleQuoted(path)}) subcommands=${singleQuoted(subcommands.join(' '))} options=${singleQuoted(options.join(' '))} names=${singleQuoted(names ?? '')} ;;`,
  );
  const choices = tree.flatMap(({ path, choices: all }) =>
    [...all]
      .filter(([, values]) => values.length > 0)
      .map(
        ([option, values]) => `    ${singleQuoted(`${path} ${option}`)}) choices=${singleQuoted(values.join(' '))} ;;`,
      ),
  );
  const valued = [...new Set(tree.flatMap((one) => one.valued))].toSorted();
  const paths = tree.filter(({ path }) => path !== '').map(({ path }) => singleQuoted(path));
  return `_ket_takes_value() {
  case "$1" in ${valued.join('|')}) return 0 ;; esac
  return 1
}
_ket_is_command() {
  case "$1" in ${paths.join('|')}) return 0 ;; esac
  return 1
}
_ket_describe() {
  subcommands='' options='' names='' choices=''
  case "$1" in
${arms.join('\n')}
  esac
  case "$1 $2" in
${choices.join('\n')}
  esac
}`;
}
