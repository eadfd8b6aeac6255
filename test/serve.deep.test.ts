import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { call, interrupted, localServers, processesIn, resultOf } from './ket/served.ts';

const { root, project, serve } = localServers();

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

describe('with debugpy', () => {
  const venv = path.join(root, 'venv');
  const python = path.join(venv, 'bin/python');
  beforeAll(() => {
    execFileSync('python3', ['-m', 'venv', venv]);
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'debugpy==1.8.22'], {
      stdio: 'inherit',
    });
  }, 300_000);

  test('--debug waits for a debugger, which stops at a breakpoint in the files of the project', async () => {
    const text = 'def run(data):\n    doubled = data * 2\n    return {"doubled": doubled}\n';
    const folder = project({ 'src/program.py': text });
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const { url } = await serve(folder, ['--mode', 'paths', '--python', python, '--debug', String(port)]);
    const ended = call(url, { data: 21 });
    const file = path.join(folder, 'src/program.py');
    const debugger_ = await attach(port);
    await debugger_.event('initialized');
    await debugger_.request('setBreakpoints', { source: { path: file }, breakpoints: [{ line: 3 }] });
    await debugger_.request('configurationDone', {});
    const { threadId } = await debugger_.event<{ threadId: number }>('stopped');
    const { stackFrames } = await debugger_.request<{
      stackFrames: { id: number; line: number; source: { path: string } }[];
    }>('stackTrace', { threadId });
    const [frame] = stackFrames;
    expect([frame?.source.path, frame?.line]).toEqual([file, 3]);
    const changed = { expression: 'doubled + 100', frameId: frame?.id };
    expect(await debugger_.request('evaluate', changed)).toMatchObject({ result: '142' });
    await debugger_.request('continue', { threadId });
    const { id, status } = await ended;
    debugger_.close();
    expect([status, await resultOf(url, id)]).toEqual(['SUCCEEDED', expect.objectContaining({ doubled: 42 })]);
  });
});

/** A client of the Debug Adapter Protocol, as an editor is one. */
interface Debugger {
  request<T extends object>(command: string, args: object): Promise<T>;
  /** The next event of this name, or the one that came already. */
  event<T extends object>(name: string): Promise<T>;
  close(): void;
}

/** Attaches to the debugger that listens at the port. */
async function attach(port: number): Promise<Debugger> {
  const socket = await connected(port);
  const messages: { type: string; event?: string; request_seq?: number; body?: object }[] = [];
  const arrived = new EventEmitter();
  let received = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const [header, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(received.toString('latin1')) ?? [];
      if (header === undefined || received.length < header.length + Number(length)) return;
      const end = header.length + Number(length);
      messages.push(JSON.parse(received.subarray(header.length, end).toString()) as (typeof messages)[number]);
      received = received.subarray(end);
      arrived.emit('message');
    }
  });
  const wait = async <T extends object>(fits: (message: (typeof messages)[number]) => boolean): Promise<T> => {
    for (;;) {
      const found = messages.find(fits);
      if (found !== undefined) return (found.body ?? {}) as T;
      await once(arrived, 'message');
    }
  };
  let sequence = 0;
  const send = (command: string, args: object): number => {
    const text = JSON.stringify({ seq: ++sequence, type: 'request', command, arguments: args });
    socket.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    return sequence;
  };
  send('initialize', { adapterID: 'test', clientID: 'test' });
  send('attach', { name: 'test' });
  return {
    request: (command, args) => {
      const asked = send(command, args);
      return wait(({ type, request_seq: answered }) => type === 'response' && answered === asked);
    },
    event: (name) => wait(({ type, event }) => type === 'event' && event === name),
    close: () => socket.destroy(),
  };
}

/** A connection to the port as soon as something listens there. */
async function connected(port: number): Promise<Socket> {
  for (let attempt = 0; ; attempt++) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      if (attempt > 600) throw error;
      await pause(100);
    }
  }
}
