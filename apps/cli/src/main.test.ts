import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCodes, type Report } from './failures.ts';
import { folderWith } from './testing/folder.ts';
import { ket, ketProcess } from './testing/ket.ts';
import { executionAnswers, executionId, problem, standInPlatform } from './testing/platform.stand-in.ts';

interface Failure {
  readonly error: Report;
}

/** Nothing listens on port 2, whose service no longer exists. fetch refuses to connect to port 1. */
const nowhere = { KET_TOKEN: 'ket_pat_x', KET_URL: 'http://127.0.0.1:2' };

describe('exit codes', () => {
  const commands: [args: string[], outcome: keyof typeof exitCodes, code: string][] = [
    [['nonsense'], 'usage', 'usage'],
    [['run', '--nonsense'], 'usage', 'usage'],
    [['list', '--limit', '0'], 'usage', 'usage'],
    [['cancel'], 'usage', 'usage'],
    [['up'], 'usage', 'usage'],
    [['login'], 'usage', 'usage'],
    [['login', '--token', 'ket_pat_secret'], 'usage', 'usage'],
    [['run', 'one', '--input', 'missing.json'], 'usage', 'file'],
    [['run', 'one', '--detach', '--wait'], 'usage', 'usage'],
    [['admin'], 'usage', 'usage'],
    [['admin', 'approve'], 'usage', 'usage'],
    [['admin', 'registrations', '--status', 'NONE'], 'usage', 'usage'],
    [['admin', 'approve', 'ada@example.org'], 'signedOut', 'not-signed-in'],
    [['status'], 'signedOut', 'not-signed-in'],
    [['whoami'], 'signedOut', 'not-signed-in'],
  ];
  test.each(commands)('ket %j', async (args, outcome, code) => {
    const { code: exitCode, stdout, stderr, json } = await ket([...args, '--json'], { folder: await folderWith() });
    expect(json<Failure>().error).toMatchObject({ exitCode, code });
    expect(exitCode).toBe(exitCodes[outcome].code);
    expect(stderr).toMatch(/^error: /);
    // A secret that was typed by mistake is not repeated.
    expect(stdout + stderr).not.toContain('ket_pat_secret');
  });

  test('the platform does not answer: 6', async () => {
    const { code, stderr } = await ketProcess(['whoami'], { folder: await folderWith(), environment: nowhere });
    expect(stderr).toContain('Cannot reach http://127.0.0.1:2 (connection refused)');
    expect(code).toBe(exitCodes.unreachable.code);
  });

  test.each([
    [problem(401, 'not-authenticated'), 3, 'ket login'],
    [problem(403, 'not-approved'), 7, 'about not-approved'],
    [problem(503, 'stopping'), 7, 'request id request-1'],
    [{ status: 302 }, 7, 'Is this the address of the platform?'],
  ])('the platform answers %j: %i', async (answer, code, message) => {
    const { url } = await standInPlatform({ 'GET /api/me': answer });
    const environment = { KET_TOKEN: 'ket_pat_x', KET_URL: url };
    const outcome = await ket(['whoami'], { folder: await folderWith(), environment });
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain(message);
    expect(outcome.stdout).toBe('');
  });

  test.each([
    ['SUCCEEDED', 0],
    ['FAILED', 1],
    ['CANCELLED', 5],
    ['UNKNOWN', 5],
    ['RUNNING', 4],
  ])('ket result of an execution that is %s: %i', async (status, code) => {
    const result = '{"title":"ValueError","detail":"too \\u001b[31mred","_links":{"self":{},"status":{}}}';
    const { url } = await standInPlatform(executionAnswers(status, result));
    const environment = { KET_TOKEN: 'ket_pat_x', KET_URL: url };
    const outcome = await ket(['result', executionId], { folder: await folderWith(), environment });
    expect(outcome.code).toBe(code);
    // Standard output holds a result only, not a cause.
    expect(outcome.stdout === '').toBe(status !== 'SUCCEEDED');
    if (status === 'FAILED') expect(outcome.stderr).toContain('ValueError: too');
  });

  test('an execution nobody knows: 4; one that has ended cannot be cancelled: 7', async () => {
    const { url } = await standInPlatform(executionAnswers('SUCCEEDED', '{}'));
    const options = { folder: await folderWith(), environment: { KET_TOKEN: 'ket_pat_x', KET_URL: url } };
    expect((await ket(['status', executionId.replace(/^0/, '1')], options)).code).toBe(4);
    expect((await ket(['status', 'last'], options)).code).toBe(4);
    expect((await ket(['cancel', executionId], options)).code).toBe(7);
  });
});

test('looking at an execution does not make it the last one, which cancel would then hit', async () => {
  const { url } = await standInPlatform(executionAnswers('RUNNING', '{}'));
  const options = { folder: await folderWith(), environment: { KET_TOKEN: 'ket_pat_x', KET_URL: url } };
  expect((await ket(['status', executionId], options)).code).toBe(0);
  expect((await ket(['cancel', 'last'], options)).code).toBe(4);
});

test('numbers of a result keep every digit', async () => {
  const result = '{"count":18446744073709551616,"ratio":1.0,"_links":{"self":{},"status":{}},"_embedded":{}}';
  const { url } = await standInPlatform(executionAnswers('SUCCEEDED', result));
  const environment = { KET_TOKEN: 'ket_pat_x', KET_URL: url };
  const { stdout } = await ket(['result', executionId], { folder: await folderWith(), environment });
  expect(stdout).toBe('{\n  "count": 18446744073709551616,\n  "ratio": 1.0\n}\n');
});

test('a token from standard input is kept where only its owner reads it, and logout forgets it', async () => {
  const me = { id: 'u', username: 'ada', firstname: 'Ada', lastname: 'L', email: 'ada@example.org' };
  const { url } = await standInPlatform({ 'GET /api/me': { status: 200, body: me } });
  const folder = await folderWith();
  const login = await ketProcess(['login', `${url}/`, '--token', '--json'], { folder, input: 'ket_pat_x\n' });
  expect(login.json()).toEqual({ url, username: 'ada' });
  const file = path.join(folder, '.ket/credentials.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ url, accessToken: 'ket_pat_x' });
  expect((await ketProcess(['whoami'], { folder })).stdout).toBe(`ada (Ada L) at ${url}\n`);
  expect((await ketProcess(['logout'], { folder })).code).toBe(0);
  expect((await ketProcess(['whoami'], { folder })).code).toBe(exitCodes.signedOut.code);
});

test('init lists what it wrote, as JSON on standard output alone', async () => {
  const folder = await folderWith();
  const { json, stderr, code } = await ket(['init', 'one', '--json'], { folder });
  expect(code).toBe(0);
  expect(json()).toMatchObject({ folder: path.join(folder, 'one'), name: 'one', kept: [] });
  expect(stderr).toContain('ket up one ');
});

test('a failure in JSON mode is JSON on standard output, and words on standard error', async () => {
  const { json, stderr } = await ketProcess(['whoami', '--json'], { folder: await folderWith() });
  expect(json()).toEqual({
    error: { exitCode: 3, code: 'not-signed-in', message: 'Not signed in.', next: ['ket login'] },
  });
  expect(stderr).toBe('error: Not signed in.\nNext:\n  ket login\n');
});

test('called by npm, ket works where npm was called and names itself so', async () => {
  const folder = await folderWith();
  const environment = { npm_lifecycle_event: 'ket', npm_package_name: 'kethub', INIT_CWD: folder };
  const { stderr } = await ketProcess(['up'], {
    folder: '/',
    environment: { ...environment, KETHUB_CONFIG_DIR: folder },
  });
  expect(stderr).toContain(`${path.join(folder, 'kethub.json')} does not exist`);
  expect(stderr).toContain('npm run ket -- init <folder>');
});

test('called by npm, ket takes a folder from where npm was called', async () => {
  const folder = await folderWith({ 'ghz/kethub.json': '{"name": "ghz"}' });
  const environment = { npm_lifecycle_event: 'ket', npm_package_name: 'kethub', INIT_CWD: folder };
  const { stderr } = await ketProcess(['run', 'ghz'], {
    folder: '/',
    environment: { ...environment, KETHUB_CONFIG_DIR: folder },
  });
  expect(stderr).toContain(`No input was given, and ${path.join(folder, 'ghz/input')} holds no JSON file.`);
});

test('help and version end with 0 and need nobody signed in', async () => {
  const folder = await folderWith();
  const [help, version, bare] = await Promise.all([
    ketProcess(['help', 'run'], { folder }),
    ketProcess(['--version'], { folder }),
    ketProcess([], { folder }),
  ]);
  expect([help.code, version.code, bare.code]).toEqual([0, 0, 2]);
  expect(help.stdout).toContain('Usage: ket run');
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [['app', 'key', 'x'], 'ket app --help'],
  [['app', 'rotate', 'x', '--overlap', 'long'], 'ket app rotate --help'],
  [['--in', 'lab', 'org', 'members', 'x'], 'ket org members --help'],
  [['nothing'], 'ket --help'],
])('%j is refused, and the next step is %s', async (args, next) => {
  const { code, stderr } = await ket(args, { folder: await folderWith() });
  expect([code, stderr]).toEqual([exitCodes.usage.code, expect.stringMatching(new RegExp(`  ${next}\n$`))]);
});
