import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { probe } from '@kethub/server/testing/probe';
import { localServers } from './ket/served.ts';

// Packages come from PyPI.
vi.setConfig({ testTimeout: 300_000 });

const { root, project, serve } = localServers();
const run = promisify(execFile);

/** Runs a script of published-client with packages from PyPI against `ket serve`, in the address of a published service. */
async function use(script: string, ...packages: string[]): Promise<unknown> {
  const target = path.join(root, packages.join(' '));
  mkdirSync(target);
  const options = ['--quiet', '--disable-pip-version-check', '--root-user-action', 'ignore', '--target', target];
  await run('/usr/bin/python3', ['-m', 'pip', 'install', ...options, ...packages]);
  const { url } = await serve(project(probe), ['--python', '/usr/bin/python3']);
  const { stdout } = await run('/usr/bin/python3', [path.join(import.meta.dirname, 'published-client', script)], {
    env: {
      PYTHONPATH: target,
      ENDPOINT: `${url}me/probe/1.0.0`,
      TOKEN_ENDPOINT: `${url}token`,
      ACCESS_KEY_ID: 'any',
      SECRET_ACCESS_KEY: 'pair',
      TARGET: target,
    },
  });
  return JSON.parse(stdout);
}

/** A service on this machine has no ids of a service, its version and an application. */
const ids = ['MANAGED', null, null, null];
const log = [
  { severity: 'INFO', message: 'one' },
  { severity: 'INFO', message: 'two' },
];

test('qhub-service, unmodified: run, result, files, log, cancel, list', async () => {
  expect(await use('use.py', 'qhub-service==2.0.0')).toEqual({
    status: 'SUCCEEDED',
    result: { cut: 3 },
    files: ['a.txt'],
    content: 'the file',
    log,
    cancelled: 'CANCELLED',
    failed: 'FAILED',
    cause: { type: 'ValueError', title: 'ValueError', detail: 'no such graph' },
    reported: Array.from({ length: 4 }, () => [...ids, ['nightly', 'two']]),
    untagged: null,
    listed: 4,
  });
});

test('planqk-service-sdk 2.x, unmodified: run, result, cancel of what runs and of what has ended', async () => {
  expect(await use('use_older.py', 'planqk-service-sdk==2.12.1')).toEqual({
    status: 'SUCCEEDED',
    cut: 3,
    cancelled: 'CANCELLED',
    ended: 'SUCCEEDED',
    reported: ids,
  });
});

test('qhub-api 3.3.0, unmodified: the seven operations', async () => {
  expect(await use('use_api.py', 'qhub-api==3.3.0')).toEqual({
    started: [true, true],
    status: ['SUCCEEDED', 'MANAGED'],
    times: [true, true, true],
    result: { cut: 3 },
    embedded: true,
    links: ['a.txt', 'self', 'status'],
    content: 'the file',
    log: log.map(({ severity, message }) => [severity, message]),
    cancelled: 'CANCELLED',
    failed: ['FAILED', 'no such graph'],
    listed: true,
  });
});
