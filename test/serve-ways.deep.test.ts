import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { call, localServers, logOf, resultOf } from './ket/served.ts';
import { usesOutput } from './ket/uses-output.ts';

// Packages come from PyPI.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

const { root, project, serve } = localServers();
const venv = path.join(root, 'with packages');

beforeAll(() => {
  execFileSync('python3', ['-m', 'venv', venv]);
  const packages = ['numpy==2.2.6', 'pandas==2.3.3'];
  execFileSync(path.join(venv, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], {
    stdio: 'inherit',
  });
});

describe.each(['sandbox', 'namespace', 'paths'])('mode %s', (mode) => {
  test('numpy, pandas, a subprocess and chdir find /var/runtime/output, SQLite except in paths', async () => {
    const folder = project({ 'src/program.py': usesOutput, 'requirements.txt': 'numpy\npandas\n' });
    const { url } = await serve(folder, ['--mode', mode, '--python', path.join(venv, 'bin/python')]);
    const { id, status } = await call(url, { data: 'files' });
    expect([status, await logOf(url, id)]).toEqual(['SUCCEEDED', expect.anything()]);
    const { _links: links, ...result } = await resultOf(url, id);
    expect(result).toMatchObject({ array: [0, 1, 2, 3], map: [7, 7, 7, 7], frame: [1, 2], pickled: 2 });
    const names = ['array.npy', 'array.txt', 'echoed.txt', 'frame.csv', 'frame.pkl', 'here.txt', 'map.bin'];
    expect(Object.keys(links as object)).toEqual(expect.arrayContaining(names));
    const based = await call(url, { data: 'sqlite' });
    // The native library opens the file itself, so the mapping of Python does not reach it.
    if (mode === 'paths')
      expect([based.status, await resultOf(url, based.id)]).toMatchObject([
        'FAILED',
        { type: expect.stringContaining('OperationalError'), detail: expect.stringContaining('unable to open') },
      ]);
    else expect(await resultOf(url, based.id)).toMatchObject({ word: 'hello' });
  });
});
