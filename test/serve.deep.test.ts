import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

const MAIN = path.resolve(import.meta.dirname, '../apps/cli/src/main.ts');
const root = mkdtempSync(path.join(tmpdir(), 'kethub serve '));
// The users of sandboxes pass through it.
chmodSync(root, 0o755);
const running: ChildProcess[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) await interrupted(child);
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

interface Said {
  readonly url: string;
  readonly mode: string;
  readonly about: string;
}

/** Starts `ket serve` as a process, until it says where it is. */
async function serve(folder: string, args: readonly string[] = []): Promise<Said & { child: ChildProcess }> {
  const child = spawn(process.execPath, [MAIN, 'serve', folder, '--json', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', HOME: root, KETHUB_CONFIG_DIR: root },
  });
  running.push(child);
  let said = '';
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  for await (const text of child.stdout.setEncoding('utf8')) {
    said += String(text);
    if (said.includes('\n')) break;
  }
  if (!said.includes('\n')) throw new Error(`ket serve ended: ${errors}`);
  return { ...(JSON.parse(said) as Said), child };
}

async function interrupted(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
  return child.exitCode;
}

function project(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(root, 'a project '));
  chmodSync(folder, 0o755);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

async function call(url: string, input: unknown): Promise<{ id: string; status: string }> {
  const headers = { 'content-type': 'application/json', prefer: 'wait=60' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) });
  return (await answer.json()) as { id: string; status: string };
}

async function resultOf(url: string, id: string): Promise<Record<string, unknown>> {
  return (await (await fetch(`${url}${id}/result`)).json()) as Record<string, unknown>;
}

const writer = `
import os, pathlib
def run(data):
    pathlib.Path("/var/runtime/output/word.txt").write_text(data)
    return {"uid": os.getuid(), "here": os.getcwd().startswith("/var/runtime") }
`;

describe.each(['sandbox', 'namespace', 'paths'])('mode %s', (mode) => {
  test('runs code with /var/runtime, and leaves no process', async () => {
    const folder = project({ 'src/program.py': writer });
    const served = await serve(folder, ['--mode', mode, '--python', '/usr/bin/python3']);
    expect(served.mode).toBe(mode);
    const { id, status } = await call(served.url, { data: 'hello' });
    expect([status, await resultOf(served.url, id)]).toEqual([
      'SUCCEEDED',
      expect.objectContaining({ here: mode !== 'paths', uid: expect.any(Number) }),
    ]);
    expect(await (await fetch(`${served.url}${id}/result/word.txt`)).text()).toBe('hello');
    expect(await interrupted(served.child)).toBe(0);
    await expect.poll(() => processesIn(folder), { timeout: 30_000 }).toEqual([]);
  });
});

test('the packages of requirements.txt are installed into .kethub/venv, and a changed file again', async () => {
  const program = 'import six\ndef run(): return {"version": six.__version__}\n';
  const folder = project({ 'src/program.py': program, 'requirements.txt': 'six==1.16.0\n' });
  const { url } = await serve(folder, ['--mode', 'paths']);
  expect(await resultOf(url, (await call(url, {})).id)).toMatchObject({ version: '1.16.0' });
  writeFileSync(path.join(folder, 'requirements.txt'), 'six==1.17.0\n');
  await expect
    .poll(async () => (await resultOf(url, (await call(url, {})).id))['version'], { timeout: 120_000, interval: 1_000 })
    .toBe('1.17.0');
});

describe('with packages from PyPI', () => {
  const venv = path.join(root, 'venv');
  const python = path.join(venv, 'bin/python');
  beforeAll(() => {
    execFileSync('python3', ['-m', 'venv', venv]);
    const packages = ['debugpy==1.8.22', 'qhub-service==2.0.0'];
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages], {
      stdio: 'inherit',
    });
  }, 300_000);

  test('the unmodified qhub-service runs, polls and reads results', async () => {
    const folder = project({ 'src/program.py': 'def run(data, params): return {"sum": sum(data["values"])}\n' });
    const { url } = await serve(folder, ['--mode', 'paths', '--python', '/usr/bin/python3']);
    const client = `
from qhub.service.client import HubServiceClient
client = HubServiceClient("${url.slice(0, -1)}/me/sums/1.0.0", "id", "secret", token_endpoint="${url}token")
execution = client.run(request={"data": {"values": [1, 2, 3]}, "params": {}})
execution.wait_for_final_state(timeout=60)
print(execution.status, execution.result().sum)
`;
    // Asynchronous, because the server of the test is another process but the test waits with a limit.
    const ran = spawn(python, ['-c', client], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    ran.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await once(ran, 'close');
    expect(said.trim()).toBe('SUCCEEDED 6');
  });

  test('--debug waits for a debugger, which sees the files of the project', async () => {
    const folder = project({ 'src/program.py': 'def run(data):\n    return {"file": __file__}\n' });
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const { url } = await serve(folder, ['--mode', 'paths', '--python', python, '--debug', String(port)]);
    const ended = call(url, { data: 1 });
    await attach(port);
    const { id, status } = await ended;
    expect([status, (await resultOf(url, id))['file']]).toEqual(['SUCCEEDED', path.join(folder, 'src/program.py')]);
  });
});

/** Attaches as an editor does (Debug Adapter Protocol), and lets the program run. */
async function attach(port: number): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      let sequence = 0;
      const send = (command: string, args: object): void => {
        const text = JSON.stringify({ seq: ++sequence, type: 'request', command, arguments: args });
        socket.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
      };
      let received = '';
      socket.setEncoding('utf8').on('data', (text: string) => {
        const before = received;
        received += text;
        if (!before.includes('"initialized"') && received.includes('"initialized"')) send('configurationDone', {});
      });
      send('initialize', { adapterID: 'test', clientID: 'test' });
      send('attach', { name: 'test' });
      return;
    } catch (error) {
      if (attempt > 600) throw error;
      await pause(100);
    }
  }
}

/** Command lines of processes that name this folder. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter((command) => command.includes(folder));
}
