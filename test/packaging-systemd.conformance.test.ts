import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createPlatformClient, signInWithPassword } from '@kethub/client';
import { callerOf, member, type Caller } from '@kethub/server/testing/gateway';
import { deploy } from '@kethub/server/testing/kethub';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../script/free-port.ts';
import { root } from '../script/run.ts';
import { startSystemdMachine, type SystemdMachine } from '../script/systemd.ts';

// The unit under a real systemd, installed by the commands of docs/installation.md on a fresh Debian. The machine is one of
// systemd-nspawn, which shares kernel and network with this one. The tests build on each other, in this order.

const ADA = 'ada@example.org';
const PASSWORD = 'correct horse battery staple';
const SLOW = 'import time, uuid\ndef run(s: int) -> dict:\n  print("began")\n  time.sleep(s)\n  return {"slept": s}\n';

let machine: SystemdMachine;
let api: string;
let gateway: string;
let caller: Caller;

const systemctl = (words: string): Promise<string> => machine.run(`systemctl ${words}`);
const isReady = async (): Promise<boolean> =>
  (await fetch(`${api}/ready`, { signal: AbortSignal.timeout(10_000) }).catch(() => null))?.status === 200;
const ready = (): Promise<void> => expect.poll(isReady, { timeout: 120_000, interval: 250 }).toBe(true);
const mainPid = async (): Promise<string> => (await systemctl('show --property MainPID --value kethub')).trim();

beforeAll(async () => {
  machine = await startSystemdMachine();
  execFileSync('git', ['clone', '--quiet', '--bare', root, path.join(machine.root, 'srv/kethub.git')]);
  const ports = [await freePort(), await freePort()];
  [api, gateway] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const settings = [`KETHUB_PORT=${ports[0]}`, `KETHUB_GATEWAY_PORT=${ports[1]}`, `KETHUB_ADMINISTRATORS=${ADA}`];
  const page = readFileSync(path.join(root, 'docs/installation.md'), 'utf8');
  const commands = /^## One machine with systemd\n+```sh\n(.*?)^```$/ms.exec(page)?.[1] ?? '';
  const script = commands
    .replace('<repository>', '/srv/kethub.git')
    .replace(/^systemctl daemon-reload/m, `printf '%s\\n' ${settings.join(' ')} > /etc/kethub/kethub.env\n$&`);
  expect(script).toContain(ADA);
  await machine.run(script);
}, 900_000);

afterAll(() => machine?.stop(), 300_000);

test('the unit is active, enabled and ready', async () => {
  await ready();
  expect(await systemctl('is-active kethub')).toBe('active\n');
  expect(await systemctl('is-enabled kethub')).toBe('enabled\n');
  expect((await fetch(`${gateway}/ready`)).status).toBe(200);
  expect(await (await fetch(`${api}/`)).text()).toContain('id="root"');
}, 180_000);

test('systemd finds no fault in it, and its exposure is as the page says', async () => {
  expect(await machine.run('systemd-analyze verify /etc/systemd/system/kethub.service')).toBe('');
  const said = await machine.run('systemd-analyze security --no-pager kethub.service');
  const exposure = /Overall exposure level for kethub.service: ([\d.]+)/.exec(said)?.[1];
  expect(readFileSync(path.join(root, 'docs/installation.md'), 'utf8')).toContain(`gives it ${exposure} of 10`);
}, 60_000);

test('the platform is neither root nor can it write outside its folders', async () => {
  const pid = await mainPid();
  const said = await machine.run(`grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/${pid}/status; stat --format %U /proc/${pid}`);
  expect(said.replaceAll('\t', ' ')).toBe('CapEff: 0000000000000000\nCapBnd: 0000000000000000\nNoNewPrivs: 1\nkethub\n');
  const write = (file: string): Promise<string> =>
    machine.run(`nsenter --target ${pid} --mount setpriv --reuid kethub --regid kethub --clear-groups touch ${file}`);
  await write('/var/lib/kethub/written');
  for (const file of ['/opt/kethub/written', '/etc/kethub/written', '/var/written'])
    await expect(write(file)).rejects.toThrow(/Read-only file system|Permission denied/);
}, 60_000); // prettier-ignore

test('the first administrator chooses a password, and a service is published and called', async () => {
  const outbox = path.join(machine.root, 'var/lib/kethub/outbox');
  const mail = (): string => readdirSync(outbox).map((name) => readFileSync(path.join(outbox, name), 'utf8')).join('');
  await expect.poll(() => { try { return mail(); } catch { return ''; } }, { timeout: 60_000 }).toMatch(/\/password\/[0-9a-f]{40}/);
  const token = /\/password\/([0-9a-f]{40})/.exec(mail())?.[1] ?? '';
  const chosen = await fetch(`${api}/auth/password/${token}`, { method: 'POST', body: new URLSearchParams({ password: PASSWORD }) });
  expect(chosen.status).toBe(200);
  const loginSession = await signInWithPassword({ authUrl: `${api}/auth`, username: ADA, password: PASSWORD });
  const client = createPlatformClient({ baseUrl: `${api}/api`, credential: { loginSession } });
  caller = await callerOf(await deploy(client, 'slow', { 'src/program.py': SLOW }));
  const ended = await caller.finish({ s: 0 });
  expect(ended.status).toBe('SUCCEEDED');
  expect((await caller.request('GET', `/${ended.id}/result`)).body).toMatchObject({ slept: 0 });
}, 180_000); // prettier-ignore

test.each(['restart kethub', 'kill --signal KILL --kill-who main kethub', 'stop kethub; systemctl start kethub'])(
  'systemctl %s loses no execution that runs, and runs none twice',
  async (words) => {
    const before = await mainPid();
    const started = [await caller.start({ s: 15 }), await caller.start({ s: 15 })];
    for (const { id } of started)
      await expect.poll(async () => (await caller.request('GET', `/${id}`)).body, { timeout: 60_000 }).toMatchObject({ status: 'RUNNING' });
    await systemctl(words);
    await expect.poll(mainPid, { timeout: 60_000 }).not.toMatch(new RegExp(`^(${before}|0)$`));
    await ready();
    // The runner that has gone on can make further sandboxes.
    const next = await caller.finish({ s: 0 });
    expect([next.status, (await caller.request('GET', `/${next.id}/result`)).body]).toMatchObject(['SUCCEEDED', { slept: 0 }]);
    for (const { id } of started) {
      const answer = await caller.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } });
      const log = await caller.request('GET', `/${id}/log`);
      expect([member(answer.body, 'status'), log.text]).toEqual(['SUCCEEDED', expect.stringMatching(/began/)]);
      expect(log.text.match(/began/g)).toHaveLength(1);
    }
  },
  300_000,
); // prettier-ignore

test('a wrong setting is named in the journal, and systemd gives up instead of trying for ever', async () => {
  await machine.run('echo KETHUB_PORT=many >> /etc/kethub/kethub.env');
  await systemctl('restart kethub');
  await expect.poll(() => systemctl('is-failed kethub || true'), { timeout: 300_000, interval: 1_000 }).toBe('failed\n');
  expect(await machine.run('journalctl --no-pager --unit kethub --lines 30')).toContain('KETHUB_PORT');
  await machine.run(`sed -i '$d' /etc/kethub/kethub.env; systemctl reset-failed kethub; systemctl start kethub`);
  await ready();
}, 480_000); // prettier-ignore
