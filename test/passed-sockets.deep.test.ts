import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { sqlite } from '@kethub/server/testing/databases';
import { callerOf, type Caller } from '@kethub/server/testing/gateway';
import { GitClient, gitTokenOf } from '@kethub/server/testing/git-client';
import { deploy, roomy, startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

// A stand-in of systemd keeps the ports open and passes them on, as the socket units in deploy/systemd have it do.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const MAIN = path.resolve(import.meta.dirname, '../apps/server/src/main.ts');
const HOLDER = `
import os, signal, socket, sys
ports, program = sys.argv[1:3], sys.argv[3:]
held = []
for port in ports:
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind(("127.0.0.1", int(port)))
    one.listen(4096)
    held.append(one)
def start():
    pid = os.fork()
    if pid: return pid
    high = [os.dup2(one.fileno(), 100 + at) for at, one in enumerate(held)]
    for at, one in enumerate(high): os.dup2(one, 3 + at, inheritable=True)
    for one in high: os.close(one)
    passed = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(len(held)), "LISTEN_FDNAMES": "platform:gateway"}
    os.execve(program[0], program, {**os.environ, **passed})
pid = start()
print("started", flush=True)
for line in sys.stdin:
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)
    if line.strip() == "stop": break
    pid = start()
    print("started", flush=True)
`;

let kethub: TestKethub;
let app: Caller;
let git: GitClient;
let cloneUrl: string;
let holder: ChildProcess;
let started: AsyncIterator<string>;

beforeAll(async () => {
  kethub = await startTestKethub(sqlite);
  app = await callerOf(await deploy(kethub.client, 'Quick', { 'src/program.py': 'def run():\n    return 1\n' }));
  git = await GitClient.open();
  const made = await kethub.client.createImplementation({ json: { name: 'code', visibility: 'PUBLIC' } });
  const token = await gitTokenOf(kethub.client);
  cloneUrl = made.cloneUrl;
  await git.commit('code', { 'a.txt': 'a' });
  await git.run('code', 'push', '-q', cloneUrl.replace('://', `://x:${token}@`), 'main');
  const { api, gateway } = kethub.platform.addresses;
  const [port, gatewayPort] = [new URL(api).port, new URL(gateway).port];
  await kethub.stop();
  const settings = {
    ...roomy,
    PATH: process.env['PATH'] ?? '',
    KETHUB_DATA_DIR: kethub.dataDir,
    KETHUB_PORT: port,
    KETHUB_GATEWAY_PORT: gatewayPort,
    KETHUB_DASHBOARD: 'off',
    KETHUB_DEMO: 'off',
    KETHUB_SANDBOX_ROOT: 'machine',
    KETHUB_LOG_LEVEL: 'warn',
  };
  holder = spawn('python3', ['-c', HOLDER, port, gatewayPort, process.execPath, MAIN], {
    env: settings,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (!holder.stdout) throw new Error('The stand-in has no output');
  started = createInterface({ input: holder.stdout })[Symbol.asyncIterator]();
  await nextStart();
});
afterAll(async () => {
  const ended = once(holder, 'exit');
  holder.stdin?.write('stop\n');
  await ended;
  await git.close();
  await kethub.close();
});

async function nextStart(): Promise<void> {
  for (;;) {
    const { value, done } = await started.next();
    if (done) throw new Error('The stand-in has ended');
    if (value === 'started') return;
  }
}

/** The status of an answer on a connection of its own; a sentence where there is none. */
function statusOf(url: string, token: string): Promise<number | string> {
  return new Promise((resolve) => {
    const request = http.get(url, { agent: false, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    request.on('error', (error) => resolve(String(error)));
  });
}

test('two restarts refuse no request, call, reading of refs or connection', async () => {
  const { api } = kethub.platform.addresses;
  const stop = new AbortController();
  const failed: unknown[] = [];
  const counts = { me: 0, calls: 0, lsRemotes: 0 };
  const repeat = async (name: keyof typeof counts, once: () => Promise<unknown>): Promise<void> => {
    while (!stop.signal.aborted) {
      const wrong = await once().catch((error: unknown) => error);
      if (wrong === null) counts[name]++;
      else failed.push(wrong);
    }
  };
  const calling = Promise.all([
    ...[1, 2, 3, 4].map(() =>
      repeat('me', async () => {
        const status = await statusOf(`${api}/me`, kethub.loginSession);
        return status === 200 ? null : status;
      }),
    ),
    repeat('calls', async () => {
      const headers = { prefer: 'wait=30', connection: 'close' };
      const { status, text } = await app.request('POST', '/', { body: '{}', headers });
      return status === 201 ? null : text;
    }),
    repeat('lsRemotes', async () => {
      const { code, err } = await git.try('', 'ls-remote', cloneUrl);
      return code === 0 ? null : err;
    }),
  ]);
  for (let restart = 0; restart < 3; restart++) {
    const before = { ...counts };
    while (Object.keys(counts).some((name) => counts[name as 'me'] < before[name as 'me'] + 3)) await pause(20);
    if (restart === 2) break;
    holder.stdin?.write('restart\n');
    await nextStart();
  }
  stop.abort();
  await calling;
  expect(failed).toEqual([]);
});
