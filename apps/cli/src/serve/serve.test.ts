import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { folderWith } from '../testing/folder.ts';
import { quietShell } from '../testing/ket.ts';
import { serveFolder, type Served, type ServeOptions } from './serve.ts';

const running: Served[] = [];
afterEach(async () => {
  for (const served of running.splice(0)) await served.close();
});

const echo = 'def run(data, params=None):\n    return {"data": data}\n';

async function serve(
  folder: string,
  options: ServeOptions = {},
  write?: (text: string) => boolean,
): Promise<{ served: Served; url: string }> {
  const { shell, output } = quietShell(folder, write);
  const usual = { port: 0, mode: 'paths', python: '/usr/bin/python3', quiet: true } as const;
  const served = await serveFolder(shell, output, folder, { ...usual, ...options });
  running.push(served);
  await served.start();
  return { served, url: served.url };
}

interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function post(url: string, input: unknown, wait = 'wait=60'): Promise<Answered> {
  const headers = { 'content-type': 'application/json', prefer: wait };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function resultOf(url: string, { body }: Answered): Promise<Record<string, unknown>> {
  return (await (await fetch(`${url}${String(body['id'])}/result`)).json()) as Record<string, unknown>;
}

test('status objects have the names of the specification and those of the gateway', async () => {
  const { url } = await serve(await folderWith({ 'src/program.py': echo }));
  const { status, body } = await post(url, { data: 1 });
  expect(status).toBe(201);
  expect(body).toMatchObject({ status: 'SUCCEEDED', type: 'MANAGED' });
  for (const [ours, theirs] of [
    ['createdAt', 'created_at'],
    ['startedAt', 'started_at'],
    ['endedAt', 'ended_at'],
  ] as const)
    expect(body[theirs]).toBe(body[ours]);
});

test('an execution that was just accepted is found at once', async () => {
  const { url, served } = await serve(await folderWith({ 'src/program.py': echo }), { atOnce: 1 });
  const statuses = new Set<number>();
  for (let count = 0; count < 50; count++) {
    const { body } = await post(url, { data: count }, '');
    statuses.add((await fetch(`${url}${String(body['id'])}`)).status);
    await fetch(`${url}${String(body['id'])}/cancel`, { method: 'PUT' });
  }
  expect([...statuses]).toEqual([200]);
  expect(served.executions.list()).toHaveLength(50);
});

describe('a save', () => {
  test('is used by the next execution; one that runs keeps the code it started with', async () => {
    const slow = `
import time, os
def run(data):
    open("/var/runtime/output/begun", "w").close()
    while not os.path.exists(data["until"]): time.sleep(0.05)
    from src.helper import word
    return {"word": word}
`;
    const folder = await folderWith({ 'src/program.py': slow, 'src/helper.py': 'word = "old"\n' });
    const { url } = await serve(folder);
    const until = path.join(folder, '.kethub/go');
    const first = await post(url, { data: { until } }, '');
    await expect.poll(async () => await statusOf(url, first), { timeout: 30_000 }).toBe('RUNNING');
    writeFileSync(path.join(folder, 'src/helper.py'), 'word = "new"\n');
    writeFileSync(until, '');
    const second = await post(url, { data: { until } });
    await expect.poll(async () => await statusOf(url, first), { timeout: 30_000 }).toBe('SUCCEEDED');
    expect(await resultOf(url, first)).toMatchObject({ word: 'old' });
    expect(await resultOf(url, second)).toMatchObject({ word: 'new' });
  });

  test.each([
    ['a syntax error', 'def run(data):\n    return (\n', 'src/program.py, line 2'],
    ['a failing import', '\nimport nothing_of_that_name\ndef run(data): ...\n', 'src/program.py, line 2'],
    ['a program that raises', 'x = 1 / 0\n', 'ZeroDivisionError'],
    ['no run', 'def main(): ...\n', 'no function `run`'],
  ])('with %s is reported by the next call, with its line, until it is mended', async (_what, text, mention) => {
    const folder = await folderWith({ 'src/program.py': echo });
    const { url, served } = await serve(folder);
    writeFileSync(path.join(folder, 'src/program.py'), text);
    await expect.poll(() => served.service.problem?.detail ?? '', { timeout: 30_000 }).toContain(mention);
    const refused = await post(url, { data: 1 });
    expect([refused.status, refused.body['type']]).toEqual([503, expect.stringMatching(/service-not-importable$/)]);
    expect(refused.body['detail']).toContain(mention);
    writeFileSync(path.join(folder, 'src/program.py'), echo);
    await expect.poll(() => served.service.problem, { timeout: 30_000 }).toBeNull();
    expect((await post(url, { data: 1 })).body['status']).toBe('SUCCEEDED');
  });
});

test('output that goes into the folder itself is found, and holds up no call', async () => {
  const folder = await folderWith({ 'src/program.py': echo });
  const file = path.join(folder, 'serve.log');
  const { url } = await serve(folder, {}, (text) => (appendFileSync(file, text), true));
  const log = () => readFileSync(file, 'utf8');
  writeFileSync(path.join(folder, 'src/program.py'), echo.replace('{"data": data}', '{"new": data}'));
  const input = { data: 1 };
  expect(await resultOf(url, await post(url, input))).toMatchObject({ new: 1 });
  await expect.poll(log, { timeout: 60_000 }).toContain('serve.log changes whenever the code is loaded');
  // Another save is loaded; the log alone loads nothing any more.
  writeFileSync(path.join(folder, 'src/program.py'), echo);
  expect(await resultOf(url, await post(url, input))).toMatchObject({ data: 1 });
  expect(log().match(/reloaded/g)?.length).toBeLessThan(20);
  writeFileSync(path.join(folder, 'src/program.py'), 'def run(:\n');
  expect((await post(url, input)).status).toBe(503);
  writeFileSync(path.join(folder, 'src/program.py'), echo);
  expect(await resultOf(url, await post(url, input))).toMatchObject({ data: 1 });
  expect(log().match(/Syntax error/g)?.length).toBeLessThan(5);
});

async function statusOf(url: string, { body }: Answered): Promise<unknown> {
  return ((await (await fetch(`${url}${String(body['id'])}`)).json()) as { status: unknown }).status;
}

test('executions survive a restart; one that was cut off is UNKNOWN', async () => {
  const folder = await folderWith({ 'src/program.py': echo });
  const { served, url } = await serve(folder);
  const ended = await post(url, { data: 'kept' });
  await served.close();
  running.length = 0;
  const index = path.join(folder, '.kethub/serve/index');
  const id = '01900000-0000-7000-8000-000000000001';
  const cut = { id, status: 'RUNNING', created_at: 1, started_at: 2, ended_at: null, tags: [], cause: null, key: null };
  writeFileSync(path.join(index, `${id}.json`), JSON.stringify(cut));
  writeFileSync(path.join(index, 'damaged.json'), '{');
  const again = await serve(folder);
  expect(await resultOf(again.url, ended)).toMatchObject({ data: 'kept' });
  expect(await (await fetch(`${again.url}${id}`)).json()).toMatchObject({ status: 'UNKNOWN' });
});

test('a package that is installed but not required is reported with its line', async () => {
  const folder = await folderWith({
    'src/program.py': 'import os\nimport tiny\ndef run(data): return {}\n',
    'lib/tiny/__init__.py': '',
    'lib/tiny-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: Tiny.Package\nVersion: 1.0\n',
    'lib/tiny-1.0.dist-info/top_level.txt': 'tiny\n',
  });
  const { inspectLocally } = await import('@kethub/runtime/local');
  const code = { python: '/usr/bin/python3', sourceDir: folder, packages: path.join(folder, 'lib'), environment: {} };
  const unlisted = async () => (await inspectLocally(code, new AbortController().signal)).unlisted;
  const mention = { module: 'tiny', distribution: 'tiny-package', file: 'src/program.py', line: 2 };
  expect(await unlisted()).toEqual([mention]);
  writeFileSync(path.join(folder, 'requirements.txt'), 'tiny_package>=1\n');
  expect(await unlisted()).toEqual([]);
});

test('a package that is required but not installed is named with the command that installs it', async () => {
  const folder = await folderWith({
    'src/program.py': 'import tiny\ndef run(data): return {}\n',
    'requirements.txt': 'Tiny>=1\n',
    'lib/other.py': '',
  });
  const { served } = await serve(folder);
  expect(served.service.problem?.detail).toContain('-m pip install -r requirements.txt');
  const { inspectLocally } = await import('@kethub/runtime/local');
  const code = { python: '/usr/bin/python3', sourceDir: folder, packages: path.join(folder, 'lib'), environment: {} };
  const inspected = () => inspectLocally(code, new AbortController().signal);
  await expect(inspected()).rejects.toThrow(/names tiny, but .* Run: \/usr\/bin\/python3 -m pip install -r/);
  mkdirSync(path.join(folder, 'lib/tiny-1.0.dist-info'));
  writeFileSync(
    path.join(folder, 'lib/tiny-1.0.dist-info/METADATA'),
    'Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n',
  );
  await expect(inspected()).rejects.toThrow('brings tiny 1.0, which has no module tiny');
});

test('options that name what is not there are refused at the start', async () => {
  const folder = await folderWith({ 'src/program.py': 'def run(data, graphs): ...\n', 'a.txt': '' });
  const at = path.join(folder, 'nope');
  await expect(serve(folder, { envFile: [at] })).rejects.toThrow(/nope/);
  await expect(serve(folder, { dataPool: [`graphs=${at}`] })).rejects.toThrow(`there is no folder ${at}`);
  await expect(serve(folder, { dataPool: ['graphs=a.txt'] })).rejects.toThrow('there is no folder');
  await expect(serve(folder, { dataPool: ['other=.'] })).rejects.toThrow('Its parameters: data, graphs.');
  await expect(serve(folder, { secret: ['x=NOVAR'] })).rejects.toMatchObject({
    next: expect.arrayContaining(['ket serve --secret x=@<file>']),
  });
  await expect(serve(at)).rejects.toThrow(/nope/);
  await expect(serve(path.join(folder, 'a.txt'))).rejects.toThrow('is not a folder');
  await serve(folder, { dataPool: ['graphs=.'] });
});

test('an address that is too long is answered with a problem, as by the gateway', async () => {
  const { url } = await serve(await folderWith({ 'src/program.py': echo }));
  const answer = await fetch(`${url}${'a'.repeat(60_000)}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([431, 'application/problem+json']);
  expect(await answer.json()).toMatchObject({ status: 431, detail: expect.stringContaining('16 KiB') });
});

test('secrets come from .env.secrets, data pools from folders, variables from .env; no file has a secret', async () => {
  const program = `
import os
from kethub import DataPool, SecretValue
def run(graphs: DataPool, token: SecretValue):
    value = token.unwrap()
    print("using", value)
    return {"pool": sorted(graphs.list_files()), "length": len(value), "level": os.environ["LEVEL"]}
`;
  const folder = await folderWith({
    'src/program.py': program,
    '.env.secrets': 'token="open-sesame-4711"\n',
    '.env': 'LEVEL=7\n',
    'datapool/graphs/one.txt': '1',
  });
  const { url } = await serve(folder);
  const pool = { id: '01900000-0000-7000-8000-000000000000', ref: 'DATAPOOL' };
  const ended = await post(url, { graphs: pool });
  expect(await resultOf(url, ended)).toMatchObject({ pool: ['one.txt'], length: 16, level: '7' });
  const log = await (await fetch(`${url}${String(ended.body['id'])}/log`)).text();
  expect(log).toContain('using [redacted]');
  const given = await post(url, { graphs: pool, $secrets: { token: 'given-with-the-call-4712' } });
  expect(given.body['status']).toBe('SUCCEEDED');
  const kept = readdirSync(path.join(folder, '.kethub'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  expect(kept.length).toBeGreaterThan(4);
  const secret = /open-sesame-4711|given-with-the-call-4712/;
  expect(kept.filter((file) => secret.test(readFileSync(file, 'latin1')))).toEqual([]);
  const refused = await post(url, { graphs: 'none' });
  expect(refused.status).toBe(400);
});

describe('who may call', () => {
  test('a foreign Host or Origin is refused; a page of this server is not', async () => {
    const { url } = await serve(await folderWith({ 'src/program.py': echo }));
    const { port } = new URL(url);
    const statusWith = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        httpRequest({ port, host: '127.0.0.1', path: '/', headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .once('error', reject)
          .end();
      });
    expect(await statusWith({ host: `evil.example:${port}` })).toBe(403);
    expect(await statusWith({ host: `127.0.0.1:${port}`, origin: 'http://evil.example' })).toBe(403);
    expect(await statusWith({ host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` })).toBe(200);
    expect(await statusWith({ host: `localhost:${port}` })).toBe(200);
    const foreign = { method: 'POST', headers: { origin: 'http://evil.example' }, body: '{"data": 1}' };
    expect((await fetch(url, foreign)).status).toBe(403);
  });

  test('any key pair gets a token', async () => {
    const { url } = await serve(await folderWith({ 'src/program.py': echo }));
    const headers = { authorization: 'Basic eDp5', 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'grant_type=client_credentials';
    const token = await fetch(`${url}token`, { method: 'POST', headers, body });
    expect(await token.json()).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect((await fetch(`${url}token`, { method: 'POST', headers, body: 'grant_type=x' })).status).toBe(400);
    expect((await fetch(`${url}token`, { method: 'POST', body: new URLSearchParams(body) })).status).toBe(401);
  });

  test('another address than loopback is refused without --allow-remote', async () => {
    const folder = await folderWith({ 'src/program.py': echo });
    await expect(serve(folder, { host: '0.0.0.0' })).rejects.toThrow('--allow-remote');
    const elsewhere = { host: '192.0.2.1', allowRemote: true };
    await expect(serve(folder, elsewhere)).rejects.toThrow('192.0.2.1 is no address of this machine.');
  });
});

test('a port that is taken is refused when it was asked for', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  const folder = await folderWith({ 'src/program.py': echo });
  await expect(serve(folder, { port })).rejects.toThrow(`Port ${port} of 127.0.0.1 is taken by another program.`);
  other.close();
  // Everything that was opened is closed, so another process may serve the folder.
  expect(existsSync(path.join(folder, '.kethub/serve/pid'))).toBe(false);
  const secret = ['token=@nowhere.txt'];
  await expect(serve(folder, { secret })).rejects.toThrow('nowhere.txt');
  expect(existsSync(path.join(folder, '.kethub/serve/pid'))).toBe(false);
});

test('the OpenAPI document and the page are there; a browser gets the page at /', async () => {
  const { url } = await serve(await folderWith({ 'src/program.py': 'def run(data: dict[str, int]) -> float: ...\n' }));
  const document = (await (await fetch(`${url}openapi.json`)).json()) as { servers: unknown; paths: object };
  expect(document.servers).toEqual([{ url: url.slice(0, -1) }]);
  expect(Object.keys(document.paths)).toHaveLength(6);
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  expect(page.headers.get('content-type')).toContain('text/html');
  expect((await page.arrayBuffer()).byteLength).toBeLessThan(60_000);
});

test.each([
  ['{"name": "a", "workflow": "a.bpmn"}', 'is a workflow'],
  ['{"name": "a", "configuration": {"runtime": "DOCKER"}}', 'runs in the mode engine only'],
])('a folder with %s is refused in the mode paths', async (text, message) => {
  await expect(serve(await folderWith({ 'kethub.json': text }))).rejects.toThrow(message);
});

test('the state of ket serve is not part of the project', async () => {
  const folder = await folderWith({ 'src/program.py': echo });
  mkdirSync(path.join(folder, '.git'));
  await serve(folder);
  expect(readFileSync(path.join(folder, '.kethub/.gitignore'), 'utf8')).toBe('*\n');
  expect(existsSync(path.join(folder, '.kethub/serve/pid'))).toBe(true);
  await expect(serve(folder)).resolves.toBeDefined(); // the same process may
});
