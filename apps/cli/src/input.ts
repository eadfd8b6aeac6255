import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { usageFailure } from './failures.ts';
import { membersOf, objectOf, parseJson, parseObject, type JsonText } from './json.ts';
import type { Shell } from './shell.ts';
import { readAll } from './terminal/prompt.ts';

export interface InputOptions {
  /** A file, or `-` for standard input. */
  readonly input?: string;
  readonly data?: string;
  readonly params?: string;
  readonly secret?: readonly string[];
  readonly tag?: readonly string[];
}

/**
 * Reads the input of an execution: `--input`, else the folder `input` of the project, in the form for containers
 * (`data.json` is the member `data`). `--data` and `--params` replace these members; `--secret` adds to `$secrets`,
 * `--tag` to `$tags`. Secrets come from files or the environment, never from the command line, where every user of the
 * machine could read them.
 */
export async function readInput(
  shell: Shell,
  options: InputOptions,
  project: string | null,
  wanted?: string,
): Promise<JsonText> {
  const input = await readBase(shell, options, project, wanted);
  for (const member of ['data', 'params'] as const) {
    const file = options[member];
    if (file !== undefined) input.set(member, await readJsonText(path.resolve(shell.folder, file), file));
  }
  const secrets = await readSecrets(shell, options.secret ?? [], 'ket run');
  if (Object.keys(secrets).length > 0) {
    const given = parseObject(input.get('$secrets') ?? '{}', '$secrets of the input');
    input.set('$secrets', JSON.stringify({ ...given, ...secrets }));
  }
  const { tag: tags = [] } = options;
  if (tags.length > 0) input.set('$tags', JSON.stringify([...new Set([...tagsOf(input), ...tags])]));
  return objectOf(input);
}

function tagsOf(input: ReadonlyMap<string, string>): unknown[] {
  const tags = parseJson(input.get('$tags') ?? '[]', '$tags of the input');
  if (Array.isArray(tags)) return tags;
  throw usageFailure('$tags of the input must be a list of words.');
}

async function readBase(
  shell: Shell,
  options: InputOptions,
  project: string | null,
  wanted: string | undefined,
): Promise<Map<string, string>> {
  if (options.input === '-') return membersOf(await readAll(shell.stdin), 'Standard input');
  if (options.input !== undefined)
    return membersOf(await readJsonText(path.resolve(shell.folder, options.input), options.input), options.input);
  const folder = project === null ? null : path.join(project, 'input');
  const members = folder === null ? new Map<string, string>() : await readMembers(folder);
  if (members.size > 0 || options.data !== undefined || options.params !== undefined) return members;
  throw usageFailure(
    folder === null ? withoutFolder(wanted) : `No input was given, and ${folder} holds no JSON file.`,
    'ket run [service] --data data.json --params params.json',
    `echo '{"data": {}, "params": {}}' | ket run [service] --input -`,
    'ket run ./<folder>    (one with a kethub.json and input/)',
  );
}

/** The message for a missing input. It says how the argument was understood, as the user may have mistyped a folder. */
function withoutFolder(wanted: string | undefined): string {
  if (wanted === undefined) return 'No input was given.';
  return `No input was given, and ${JSON.stringify(wanted)} is taken as a service, not as a folder with an input/ of its own.`;
}

async function readMembers(folder: string): Promise<Map<string, string>> {
  const members = new Map<string, string>();
  for (const name of await jsonFilesIn(folder)) {
    const file = path.join(folder, name);
    members.set(name.slice(0, -'.json'.length), await readJsonText(file, file));
  }
  return members;
}

async function readJsonText(file: string, name: string): Promise<string> {
  // A byte order mark, which some editors write, is not JSON.
  const text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  parseJson(text, name);
  return text.trim();
}

async function jsonFilesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Reads secrets that options name: `name=@file` or `name=VARIABLE`. */
export async function readSecrets(
  shell: Shell,
  given: readonly string[],
  command: 'ket run' | 'ket serve' | 'ket test',
): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const text of given) {
    const [, name, source] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (name === undefined || source === undefined)
      throw usageFailure('--secret takes name=@file or name=VARIABLE (a variable of the environment).');
    secrets[name] = source.startsWith('@')
      ? (await readFile(path.resolve(shell.folder, source.slice(1)), 'utf8')).replace(/\r?\n$/, '')
      : variable(shell, name, source, command);
  }
  return secrets;
}

function variable(shell: Shell, name: string, source: string, command: string): string {
  const value = shell.environment[source];
  if (value !== undefined) return value;
  // The text is not repeated: it may be the secret itself, given by mistake.
  throw usageFailure(
    `--secret ${name}=...: the environment has no variable of that name. The value itself is not taken here, because others could see it.`,
    `${command} --secret ${name}=@<file>`,
    `${command} --secret ${name}=<VARIABLE>`,
  );
}
