import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
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
