import { execFileSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../testing/folder.ts';
import { ket } from '../testing/ket.ts';
import { standInPlatform } from '../testing/platform.stand-in.ts';

/** Makes the script for a shell, and a stub of ket that names the services ghz and max-cut. */
async function scriptFor(shell: string): Promise<{ script: string; env: Record<string, string> }> {
  const folder = await folderWith();
  const script = path.join(folder, `script.${shell}`);
  await writeFile(script, (await ket(['completion', shell], { folder })).stdout);
  const stub = path.join(folder, 'ket');
  await writeFile(stub, '#!/bin/sh\n[ "$1 $2" = "completion-names services" ] && printf "ghz\\nmax-cut\\n"\nexit 0\n');
  await chmod(stub, 0o755);
  return { script, env: { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder, TERM: 'xterm' } };
}

/** The words that bash offers after each line. */
async function offeredFor(...lines: readonly string[]): Promise<string[]> {
  const { script, env } = await scriptFor('bash');
  const ask = lines.map((line) => {
    const words = line.split(' ');
    const list = words.map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _ket; echo "\${COMPREPLY[*]}"`;
  });
  const text = execFileSync('bash', ['--norc', '-c', `source '${script}'\n${ask.join('\n')}`], {
    encoding: 'utf8',
    env,
  });
  return text.trimEnd().split('\n');
}

test('bash completes commands, options, accepted values and names', async () => {
  const [commands, group, options, role, names, version, afterOption] = await offeredFor(
    'ket ser',
    'ket app ke',
    'ket app keys --e',
    'ket org invite --role ',
    'ket run ',
    'ket run max',
    'ket --in lab app r',
  );
  expect(commands).toBe('serve services service');
  expect(group).toBe('keys');
  expect(options).toBe('--env');
  expect(role).toBe('VIEWER MAINTAINER OWNER');
  expect(names).toBe('ghz max-cut');
  expect(version).toBe('max-cut');
  expect(afterOption).toBe('rename rotate revoke');
});

/** Lines that are typed, and the words that must be offered. */
const typed: readonly (readonly [line: string, ...words: string[]])[] = [
  ['ket ser', 'serve', 'service', 'services'],
  ['ket app keys --e', '--env'],
  ['ket org invite --role ', 'MAINTAINER', 'OWNER', 'VIEWER'],
  ['ket run ', 'ghz', 'max-cut'],
  ['ket --in lab app r', 'rename', 'revoke', 'rotate'],
];

test('fish completes the same', async () => {
  const { script, env } = await scriptFor('fish');
  const ask = typed.map(([line]) => `echo "== "; complete -C ${JSON.stringify(line)}`);
  const commands = [`source ${JSON.stringify(script)}`, ...ask].join('\n');
  const text = execFileSync('fish', ['--no-config', '-c', commands], { encoding: 'utf8', env, cwd: env['HOME'] });
  const offered = text.split('== \n').slice(1);
  for (const [index, [line, ...words]] of typed.entries())
    expect([line, offered[index]?.split('\n')]).toEqual([line, expect.arrayContaining(words)]);
});

test('zsh completes the same, as it is typed into a terminal', async () => {
  const { script, env } = await scriptFor('zsh');
  const lines = typed.map(([line, ...words]) =>
    // Waits until all words are on the screen, then clears the line.
    [
      `zpty -n -w z ${JSON.stringify(line)}$'\\t\\t'`,
      `zpty -r -m z out ${JSON.stringify(`*${words.join('*')}*`)} && print -r -- ${JSON.stringify(line)}`,
      `zpty -n -w z $'\\x15'`,
    ].join('\n'),
  );
  const setup = `PS1=READY; autoload -Uz compinit; compinit -u -D; source ${JSON.stringify(script)}; LISTMAX=0; echo O''K`;
  const commands = ['zmodload zsh/zpty', 'zpty z zsh -f -i', `zpty -w z '${setup.replaceAll("'", `'\\''`)}'`];
  const text = execFileSync('zsh', ['-f', '-c', [...commands, 'zpty -r -m z out "*OK*READY*"', ...lines].join('\n')], {
    encoding: 'utf8',
    env,
    cwd: env['HOME'],
    timeout: 60_000,
  });
  expect(text.split('\n').slice(0, -1)).toEqual(typed.map(([line]) => line));
});

test.each(['zsh', 'fish'])('the script for %s has every command', async (shell) => {
  const { code, stdout } = await ket(['completion', shell], { folder: await folderWith() });
  expect(code).toBe(0);
  for (const command of ['app keys', 'service retire', 'admin purge-layer']) expect(stdout).toContain(`'${command}'`);
});

test('names come from the platform; without an answer there are none, and no message', async () => {
  const service = (slug: string) => ({ id: slug, name: slug, slug, versions: [] });
  const { url } = await standInPlatform({
    'GET /api/services': { status: 200, body: [service('ghz'), service('$(touch x)')] },
    'GET /api/shared-services': { status: 200, body: [service('max-cut')] },
  });
  const ask = async (environment: Record<string, string>) =>
    ket(['completion-names', 'services'], { folder: await folderWith(), environment });
  // A machine under load answers later than the time that somebody types in: then there are no names.
  expect(['ghz\nmax-cut\n', '']).toContain((await ask({ KET_TOKEN: 'ket_pat_x', KET_URL: url })).stdout);
  expect(await ask({})).toMatchObject({ code: 0, stdout: '', stderr: '' });
});
