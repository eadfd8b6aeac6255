import { expect, test } from 'vitest';
import { folderWith } from './testing/folder.ts';
import { ket } from './testing/ket.ts';
import { standInPlatform } from './testing/platform.stand-in.ts';

const service = { id: 's1', name: 'Nightly', slug: 'nightly', type: 'WORKFLOW', versions: [] };
const running = {
  elementId: 'every-night',
  version: '1.0.0',
  nextAt: '2026-01-02 00:00:00',
  failures: 0,
  failure: null,
};
const stopped = {
  elementId: 'every-hour',
  version: '1.0.0',
  failures: 20,
  failure: 'The storage quota is used up.',
  stoppedAt: '2026-01-01 20:00:00',
};
const group = {
  serviceName: 'Nightly',
  version: '1.0.0',
  elementId: 'call',
  errorCode: 'HUB_SERVICE_FAILED',
  incidents: 1200,
  newest: { error: { message: 'It failed.' } },
};
/** A number that a double cannot represent. */
const instance = '{"id":"i1","variables":{"seed":12345678901234567890,"scale":1.0}}';

const journal =
  '[{"seq":1,"at":"2026-01-01 00:00:00","type":"event","event":{"variables":{"n":12345678901234567890}}}]';
const scopes = '{"step":7,"isPartial":true,"scopes":[{"elementId":"p","variables":{"n":12345678901234567890}}]}';

async function run(...args: string[]) {
  const { url, requests, bodies } = await standInPlatform({
    'GET /api/workflow-instances/i1/journal?limit=100': { status: 200, body: journal },
    'GET /api/workflow-instances/i1/variables?step=7&elementId=p': { status: 200, body: scopes },
    'PUT /api/workflow-instances/i1/incidents/3/retry': { status: 202, body: instance },
    'POST /api/services/s1/workflow-messages': { status: 201, body: { outcome: 'DELIVERED', detail: 'To 1.' } },
    'POST /api/workflow-signals': { status: 202, body: { waiting: 1, starting: 0 } },
    'GET /api/services': { status: 200, body: [service] },
    'GET /api/services/s1/workflow-schedules': { status: 200, body: [running, stopped] },
    'PUT /api/services/s1/workflow-schedules/every-hour/retry': { status: 200, body: running },
    'GET /api/workflow-instances/i1': { status: 200, body: instance },
    'GET /api/workflow-incident-groups': { status: 200, body: [group] },
    'PUT /api/workflow-incidents/retry': { status: 202, body: { retried: 1000, foreign: 0, isLeft: true } },
  });
  const environment = { KET_TOKEN: 'ket_pat_x', KET_URL: url };
  const folder = await folderWith({ 'v.json': '{"n": 12345678901234567890, "one": 1.0}' });
  return { ...(await ket(args, { folder, environment })), requests, bodies };
}

test('timer start events are listed with when they start next, or since when they are stopped', async () => {
  const { code, stdout } = await run('workflow', 'schedules', 'nightly');
  expect(code).toBe(0);
  expect(stdout).toMatch(/every-night +1\.0\.0 +2026-01-02 00:00:00 +0/);
  expect(stdout).toMatch(/every-hour +1\.0\.0 +stopped 2026-01-01 20:00:00 +20 +The storage quota is used up\./);
});

test('a timer start event is tried again', async () => {
  const { code, stdout, requests } = await run('workflow', 'retry-schedule', 'nightly', 'every-hour');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'every-hour is tried again.\n' });
  expect(requests.at(-1)).toBe('PUT /api/services/s1/workflow-schedules/every-hour/retry');
});

test('incidents of all workflows are shown by cause, and tried again together', async () => {
  const shown = await run('workflow', 'incidents');
  expect(shown.stdout).toMatch(/Nightly +1\.0\.0 +call +HUB_SERVICE_FAILED +1200 +It failed\./);
  const { code, stdout, stderr, requests } = await run('workflow', 'retry-all', 'nightly', '--element', 'call');
  expect({ code, stdout }).toEqual({ code: 0, stdout: '1000 incidents are tried again.\n' });
  expect(stderr).toContain('Repeat the command');
  expect(requests.at(-1)).toBe('PUT /api/workflow-incidents/retry');
});

test.each([[[]], [['--json']]])('variables of an instance keep every digit (ket workflow show %j)', async (json) => {
  const { stdout } = await run('workflow', 'show', 'i1', ...json);
  expect(stdout).toContain('"seed": 12345678901234567890,');
  expect(stdout).toContain('"scale": 1.0');
});

test('variables after a step, and the journal, keep every digit', async () => {
  const shown = await run('workflow', 'variables', 'i1', '--step', '7', '--element', 'p');
  expect(shown.stdout).toContain('"n": 12345678901234567890');
  expect(shown.stderr).toContain('There are more scopes');
  const { stdout } = await run('workflow', 'journal', 'i1');
  expect(stdout).toContain('{"event":{"variables":{"n":12345678901234567890}}}');
});

test.each([
  [['retry', 'i1', '3', '--variables', 'v.json'], ''],
  [['retry-all', 'nightly', '--variables', 'v.json'], '"serviceId":"s1",'],
  [['message', 'nightly', 'told', '--variables', 'v.json'], '"name":"told","correlationKey":"",'],
  [['signal', 'arrived', '--variables', 'v.json'], '"name":"arrived",'],
])('variables that are sent keep every digit (ket workflow %j)', async (args, before) => {
  const { code, bodies } = await run('workflow', ...args);
  expect(code).toBe(0);
  expect(bodies.at(-1)).toBe(`{${before}"variables":{"n":12345678901234567890,"one":1.0}}`);
});
