import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command, Option } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProgram } from '@kethub/cli';
import { shellOfProcess } from '@kethub/cli';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';
import { beginsBadly, commentsOf, descriptionsOf } from '../script/openings.ts';
import { longSentences, longSentencesOf } from '../script/sentences.ts';

// Every command, page and operation that a text names must exist.

const root = path.resolve(import.meta.dirname, '..');
const notOurs = [
  '**/node_modules/**',
  '.runtime/**',
  '**/*.test.ts',
  '**/testing/**',
  '**/*.stand-in.ts',
  '**/.kethub/**',
];
const files = globSync('{{apps,packages,script}/**/*.{ts,py},docs/**/*.md,examples/**/*.{md,py},*.md}', {
  cwd: root,
  exclude: notOurs,
}).toSorted();
const texts = files.map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));

/** The matches of the pattern in all texts that are wrong, with the reason. */
function wrong(pattern: RegExp, judge: (found: RegExpMatchArray, file: string) => string | null): string[] {
  return texts.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].flatMap((found) => {
      const problem = judge(found, file);
      return problem === null ? [] : [`${file}: ${found[0].trim()}: ${problem}`];
    }),
  );
}

describe('commands', () => {
  const program = createProgram(shellOfProcess());
  // In backticks, as a whole text of code, or as it is typed in a block for a shell.
  const mentioned = /(?:(?<=[`'"])ket|^(?:\$ )?ket|npm run (?:--silent )?ket --) ([^`'"\n]+)/gm;

  test('every command that a text names is there, with these options', () => {
    const found = texts.flatMap(({ text }) => [...text.matchAll(mentioned)]);
    expect(found.length).toBeGreaterThan(150);
    expect(wrong(mentioned, ([, line = '']) => problemOf(program, line))).toEqual([]);
  });

  test.each([
    ['nonsense', 'no command nonsense'],
    ['org nonsense', 'no command nonsense'],
    ['run --nonsense', 'no option --nonsense'],
    ['storage keep 3 --json', null],
    ['--profile lab services', null],
    ['--profile lab nonsense', 'no command nonsense'],
    ['run max-cut@1.0.0 --data x.json    (the first)', null],
  ])('%s: %s', (line, problem) => {
    expect(problemOf(program, line)).toBe(problem);
  });
});

describe('first words', () => {
  test('of every help text are a noun or a verb, and its sentences are short', () => {
    const ofCommand = (command: Command): string[] => [
      command.description(),
      ...command.options.map(({ description }) => description),
      ...command.registeredArguments.map(({ description }) => description),
      ...command.commands.flatMap(ofCommand),
    ];
    const helps = ofCommand(createProgram(shellOfProcess()));
    expect(helps.length).toBeGreaterThan(300);
    expect(helps.filter(beginsBadly)).toEqual([]);
    expect(helps.flatMap((text) => longSentences(text))).toEqual([]);
  });

  test.each([
    ['// What it does', ['1: What']],
    ['/**\n * Whether it is on\n */', ['2: Whether']],
    ['const x = 1;\u0020// Of the last call', ['1: Of']],
    ['// Reads the file:\n// What is left is skipped', []],
  ])('the check judges the comment %j', (text, found) => expect(commentsOf(text)).toEqual(found));

  test.each([
    ["{ description: 'Where it runs' }", ['1: Where']],
    ["{\n  summary:\n    'How many wait',\n}", ['3: How']],
    ['<Input description="Whoever has it" />', ['1: Whoever']],
    ["command.description('What it is')", ['1: What']],
    ["{ description: 'Whatever'.length }", ['1: Whatever']],
    ["{ description: 'Address of the service' }", []],
  ])('the check judges the description %j', (text, found) => expect(descriptionsOf(text)).toEqual(found));
});

describe('long sentences', () => {
  const words = (count: number): string => Array.from({ length: count }, () => 'the').join(' ');
  const long = words(26);

  test.each([
    ['a.ts', `// ${words(13)}\n// ${words(13)}.`, [1]],
    ['a.ts', `/**\n * Short.\n * ${words(13)}\n * ${words(13)}.\n */`, [3]],
    ['a.ts', `const one = 1; // ${long}`, [1]],
    ['a.ts', `const text = 'It is\u0020' +\n  "${long}";`, [1]],
    ['a.ts', `const text = \`\${one} ${long}\`;`, [1]],
    ['a.ts', `const mark = /["'\`]/; const text = '${long}';`, [1]],
    ['a.tsx', `<p>\n  ${words(13)} {name}\n  ${words(13)}\n</p>`, [2]],
    ['a.py', `def run():\n    """${long}"""`, [2]],
    ['a.sql', `-- ${long}\nselect 1;`, [1]],
    ['a.css', `/* ${long} */`, [1]],
    ['a.md', `# Title\n\nShort. ${words(13)}\n${words(13)}.`, [3]],
    ['a.ts', `// ${words(25)}. ${words(24)}: \`${long}\`.`, []],
    ['a.ts', `// ${words(13)}\n\n// ${words(13)}.`, []],
    ['a.ts', `const text = 'select ${'name, '.repeat(30)}';`, []],
    ['a.test.ts', `const text = '${long}';`, []],
    ['a.md', `${words(20)}:\n\n- ${words(20)}\n- ${words(20)}\n\n| ${long} |`, []],
  ])('are found in %s: %j', (file, text, lines) => {
    expect(longSentencesOf(file, text).map(({ line }) => line)).toEqual(lines);
  });
});

/** The parts of a command line that do not exist. */
function problemOf(program: Command, line: string): string | null {
  // A wide gap precedes an explanation; a bar, a semicolon or an arrow precedes another command.
  const [typed = ''] = line.split(/ {2,}| [|;<>&#]|\\$/, 1);
  let command = program;
  let isValue = false;
  for (const word of typed.trim().split(/\s+/)) {
    const sub = command.commands.find((one) => one.name() === word);
    if (isValue) isValue = false;
    else if (sub) command = sub;
    else if (/^--[a-z]/.test(word)) {
      const name = word.split(/[=,.)]/, 1).join('');
      const option = optionsOf(command).find(({ long }) => long === name);
      if (!option && name !== '--help') return `no option ${name}`;
      isValue = option?.required === true && word === name;
    } else if (command.commands.length > 0 && /^[a-z][a-z-]+$/.test(word) && word !== 'help')
      return word === 'on' ? null : `no command ${word}`; // `ket on <machine>` is the name of a token
  }
  return null;
}

function optionsOf(command: Command): readonly Option[] {
  return command.parent ? [...command.options, ...optionsOf(command.parent)] : command.options;
}

test('every page that a text names is there', () => {
  const named = /(?<!\/)\b(?:docs|examples)\/[a-z-]+(?:\/[\w./-]*\w|\.[a-z]+)?/g;
  expect(wrong(named, ([file]) => (existsSync(path.join(root, file)) ? null : 'not there'))).toEqual([]);
});

describe('operations and addresses', () => {
  let platform: TestKethub;
  let operations: Set<string>;
  let documents: { paths: Record<string, object> }[];

  beforeAll(async () => {
    platform = await startTestKethub(sqlite);
    const { api, gateway } = platform.platform.addresses;
    documents = await Promise.all(
      [api, gateway].map(async (at) => (await fetch(`${at}/openapi.json`)).json() as Promise<(typeof documents)[0]>),
    );
    operations = new Set(
      documents.flatMap(({ paths }) =>
        Object.entries(paths).flatMap(([address, methods]) =>
          Object.keys(methods).map((method) => `${method.toUpperCase()} ${plain(address)}`),
        ),
      ),
    );
  });
  afterAll(() => platform.close());

  test('every description and summary of the interfaces begins well and has short sentences', () => {
    const textsOf = (value: unknown): string[] =>
      typeof value !== 'object' || value === null
        ? []
        : Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
            typeof member === 'string' ? (['description', 'summary'].includes(name) ? [member] : []) : textsOf(member),
          );
    const described = textsOf(documents);
    expect(described.length).toBeGreaterThan(1_000);
    expect([...new Set(described.filter(beginsBadly))]).toEqual([]);
    expect([...new Set(described.flatMap((text) => longSentences(text)).map(({ sentence }) => sentence))]).toEqual([]);
  });

  test('every operation that a text names is there', () => {
    const named = /\b(GET|POST|PUT|PATCH|DELETE|HEAD) ((?:\$?\{[\w.()]+\})?\/[^\s`'",;)\]]*)/g;
    // Interfaces of others: of container engines, on-premise services, stores and identity providers.
    const ofOthers = /^packages\/runtime\/(?:src\/containers|escapes)|^script\/|keycloak|\/s3/;
    // Besides the interfaces: health and metrics of a process.
    for (const one of ['/health', '/ready', '/metrics']) operations.add(`GET ${one}`);
    const isThere = (method = '', address = ''): boolean =>
      /^[{}/]+$/.test(plain(address)) ||
      [...aliases(plain(address))].some((one) => operations.has(`${method === 'HEAD' ? 'GET' : method} ${one}`));
    expect(operations.size).toBeGreaterThan(100);
    expect(
      wrong(named, ([, method, address], file) =>
        ofOthers.test(file) || isThere(method, address) ? null : 'no such operation',
      ),
    ).toEqual([]);
  });

  test('every page below /auth that a text names answers', async () => {
    const named = new Set(
      texts.flatMap(({ text }) => [...text.matchAll(/(?<![\w}])\/auth\/[a-z-]+(?:\/[a-z-]+)*/g)].map(([one]) => one)),
    );
    const origin = new URL(platform.platform.addresses.auth).origin;
    const isThere = async (one: string, method: string): Promise<boolean> =>
      (await fetch(origin + one, { method, redirect: 'manual' })).status !== 404;
    const missing: string[] = [];
    // The token endpoint takes POST only.
    for (const one of named) if (!(await isThere(one, 'GET')) && !(await isThere(one, 'POST'))) missing.push(one);
    expect(missing).toEqual([]);
  });
});

/** An address with its parameters as `{}`, without its base and without the punctuation mark that ends a sentence. */
function plain(address: string): string {
  return address
    .replace(/^\$?\{[^}]*\}(?=\/)/, '')
    .replace(/\?.*$/, '')
    .replace(/\\n$/, '')
    .replace(/[.:*\\]+$/, '')
    .replaceAll(/\$?\{[^}]*\}|<[^>]*>|:\w+|…/g, '{}');
}

/** An operation of a service is named by its path below the address of the service. */
function* aliases(address: string): Generator<string> {
  yield address;
  yield `/{}/{}/{}${address}`;
  yield address.replace(/^\/api(?=\/)/, '');
}
