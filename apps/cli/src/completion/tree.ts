import type { Command, Option } from 'commander';

/** The command that prints names for completion. The help does not show it. */
export const NAMES_COMMAND = 'completion-names';

/** Kinds of names that `ket` looks up on the platform or in its own files while somebody types. */
export const nameKinds = ['services', 'applications', 'data-pools', 'organizations', 'profiles'] as const;
export type NameKind = (typeof nameKinds)[number];

/** A command as completion needs it. */
export interface CompletionNode {
  /** Words from `ket` on, without it: '' for `ket` itself, `app keys` for a subcommand. */
  readonly path: string;
  /** Names and aliases of the subcommands. */
  readonly subcommands: readonly string[];
  /** Options in all their spellings. */
  readonly options: readonly string[];
  /** Spellings of options that take a value: the word after them is no command. */
  readonly valued: readonly string[];
  /** Values that an option accepts, by its spelling. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
  /** The kind of names that the first argument takes; null for files and everything else. */
  readonly names: NameKind | null;
}

/** First arguments that take a name, by the word in the usage of the command. */
const kindOfArgument: readonly [argument: RegExp, kind: NameKind][] = [
  [/^service/, 'services'],
  [/^application$/, 'applications'],
  [/^pool$/, 'data-pools'],
  [/^organization$/, 'organizations'],
];

/** All commands that the help shows, from commander's tree. `inherited` are the options of the program. */
export function completionTree(program: Command): CompletionNode[] {
  const global = program.options;
  const walk = (command: Command, path: string): CompletionNode[] => [
    node(command, path, global),
    ...visible(command).flatMap((one) => namesOf(one).flatMap((name) => walk(one, `${path} ${name}`.trim()))),
  ];
  return walk(program, '');
}

function node(command: Command, path: string, global: readonly Option[]): CompletionNode {
  const options = [...new Set([...command.options, ...global])].filter(({ hidden }) => !hidden);
  const valued = options.filter((option) => option.required);
  return {
    path,
    subcommands: visible(command).flatMap(namesOf),
    options: [...options.flatMap(spellings), '-h', '--help'],
    valued: valued.flatMap(spellings),
    choices: new Map(
      options.flatMap((option) => spellings(option).map((one): [string, string[]] => [one, option.argChoices ?? []])),
    ),
    names: path.startsWith('profile ') ? 'profiles' : kindOf(command),
  };
}

function visible(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');
}

function namesOf(command: Command): string[] {
  return [command.name(), ...command.aliases()];
}

function spellings({ short, long }: Option): string[] {
  return [short, long].filter((one) => one !== undefined && one !== null);
}

function kindOf(command: Command): NameKind | null {
  const [first] = command.registeredArguments;
  if (first === undefined) return null;
  return kindOfArgument.find(([argument]) => argument.test(first.name()))?.[1] ?? null;
}
