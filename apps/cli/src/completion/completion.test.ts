import { execFileSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../testing/folder.ts';
import { ket } from '../testing/ket.ts';
import { standInPlatform } from '../testing/platform.stand-in.ts';

/** The words that bash offers after this line, where the platform names the services ghz and max-cut. */
async function offeredFor(...lines: readonly string[]): Promise<string[]> {
  const folder = await folderWith();
  const script = path.join(folder, 'ket.bash');
  await writeFile(script, (await ket(['completion', 'bash'], { folder })).stdout);
  const stub = path.join(folder, 'ket');
  await writeFile(stub, '#!/bin/sh\n[ "$1 $2" = "completion-names services" ] && printf "ghz\\nmax-cut\\n"\nexit 0\n');
  await chmod(stub, 0o755);
  const ask = lines.map((line) => {
    const words = line.split(' ');
    const list = words.map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _ket; echo "\${COMPREPLY[*]}"`;
  });
  const text = execFileSync('bash', ['--norc', '-c', `source '${script}'\n${ask.join('\n')}`], {
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` },
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
