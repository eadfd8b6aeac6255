import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlite } from '@kethub/server/testing/databases';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '@kethub/server/testing/kethub';
import { probe } from '@kethub/server/testing/probe';

const run = promisify(execFile);
const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-client-'));
/** A version with other dependencies. */
const older = mkdtempSync(path.join(os.tmpdir(), 'kethub-client-'));
let platform: TestKethub;
let service: DeployedService;
let versionId: string;
const ids = () => ['MANAGED', service.service.id, versionId, service.application.id];

beforeAll(async () => {
  const quietly = ['--quiet', '--disable-pip-version-check', '--root-user-action', 'ignore', '--no-compile'];
  const install = (target: string, library: string) =>
    run('/usr/bin/python3', ['-m', 'pip', 'install', ...quietly, '--target', target, library]);
  await Promise.all([install(folder, 'qhub-service==2.0.0'), install(older, 'planqk-service-sdk==2.12.1')]);
  platform = await startTestKethub(sqlite);
  service = await deploy(platform.client, 'Probe', probe);
  const { read } = platform.kethub.platform.database;
  versionId = (await read.selectFrom('service_versions').select('id').executeTakeFirstOrThrow()).id;
});
afterAll(async () => {
  await platform.close();
  rmSync(folder, { recursive: true });
  rmSync(older, { recursive: true });
});

test('the client library qhub-service from PyPI, unmodified: run, result, files, log, cancel, list', async () => {
  const script = path.join(import.meta.dirname, 'published-client', 'use.py');
  const { stdout } = await run('/usr/bin/python3', [script], {
    env: {
      PYTHONPATH: folder,
      ENDPOINT: service.endpoint,
      TOKEN_ENDPOINT: service.application.tokenEndpoint,
      ACCESS_KEY_ID: service.accessKeyId,
      SECRET_ACCESS_KEY: service.secretAccessKey,
      TARGET: folder,
    },
  });
  expect(JSON.parse(stdout)).toEqual({
    status: 'SUCCEEDED',
    result: { cut: 3 },
    files: ['a.txt'],
    content: 'the file',
    log: [
      { severity: 'INFO', message: 'one' },
      { severity: 'INFO', message: 'two' },
    ],
    cancelled: 'CANCELLED',
    failed: 'FAILED',
    cause: { type: 'ValueError', title: 'ValueError', detail: 'no such graph' },
    reported: Array.from({ length: 4 }, () => [...ids(), ['nightly', 'two']]),
    untagged: null,
    listed: 4,
  });
});

test('the client library planqk-service-sdk 2.x from PyPI, unmodified: run, result, cancel of what runs and of what has ended', async () => {
  const script = path.join(import.meta.dirname, 'published-client', 'use_older.py');
  const { stdout } = await run('/usr/bin/python3', [script], {
    env: {
      PYTHONPATH: older,
      ENDPOINT: service.endpoint,
      TOKEN_ENDPOINT: service.application.tokenEndpoint,
      ACCESS_KEY_ID: service.accessKeyId,
      SECRET_ACCESS_KEY: service.secretAccessKey,
    },
  });
  expect(JSON.parse(stdout)).toEqual({
    status: 'SUCCEEDED',
    cut: 3,
    cancelled: 'CANCELLED',
    ended: 'SUCCEEDED',
    reported: ids(),
  });
});
