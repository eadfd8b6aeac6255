import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CgroupsAround, meterOf } from './containers/usage.ts';
import { Container } from './containers/container.ts';
import { Engine } from './containers/engine.ts';
import { MOUNT } from './sandbox/cgroups.ts';
import { isAlive, openBench, until, type Bench } from './testing/bench.ts';

const mark = `test${process.pid}`;
const cgroups = new CgroupsAround(mark);
const groups = (path: string): string[] =>
  existsSync(join(MOUNT, 'cgroup.controllers'))
    ? [join(MOUNT, path)]
    : readdirSync(MOUNT).map((controller) => join(MOUNT, controller, path));

/** A leftover of runc: a process in a cgroup inside the one around a container. */
function park(around: string): ChildProcess {
  const orphan = spawn('/bin/sleep', ['1000'], { stdio: 'ignore' });
  for (const group of groups(`${around}/made-by-the-engine`)) {
    mkdirSync(group, { recursive: true });
    // A cgroup of cpusets needs its processors set before it accepts processes.
    if (existsSync(`${group}/cpuset.mems`)) continue;
    writeFileSync(`${group}/cgroup.procs`, String(orphan.pid));
  }
  return orphan;
}

const isLeft = (around: string): boolean => groups(around).some((group) => existsSync(group));

describe.skipIf(cgroups.pathFor('x') === null)('what an engine leaves in the cgroup around a container', () => {
  const orphans: ChildProcess[] = [];
  afterAll(async () => {
    for (const orphan of orphans) orphan.kill('SIGKILL');
    await cgroups.close(new Set());
  });

  test('is ended with it, also in cgroups of its own', async () => {
    const around = cgroups.pathFor('one') ?? '';
    const orphan = park(around);
    orphans.push(orphan);
    await meterOf(new Container(new Engine('/none'), 'none'), around).remove();
    expect(isLeft(around)).toBe(false);
    await until('the process has ended', () => !isAlive(orphan.pid ?? 0));
  });

  test('is ended by a sweep, but for what is in use', async () => {
    const [used, unused] = [cgroups.pathFor('used') ?? '', cgroups.pathFor('unused') ?? ''];
    const [kept, ended] = [park(used), park(unused)];
    orphans.push(kept, ended);
    await cgroups.sweep(new Set([used]));
    expect([isLeft(used), isLeft(unused)]).toEqual([true, false]);
    expect(isAlive(kept.pid ?? 0)).toBe(true);
    await cgroups.close(new Set());
    expect(isLeft(`/kethub-${mark}-containers`)).toBe(false);
  });

  describe('that dies while it starts one (a fake engine that hangs up)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kethub-engine-'));
    const socketPath = join(folder, 'engine.sock');
    let server: Server;
    let bench: Bench;
    let isAway = false;
    const made = new Map<string, string>();
    const removed: string[] = [];

    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      const body = Buffer.concat(await request.toArray()).toString();
      const name = pathname.split('/')[2] ?? '';
      const answer = (value: object): void => void response.end(JSON.stringify(value));
      if (pathname === '/info') return answer({ CgroupDriver: 'cgroupfs' });
      if (pathname === '/version') return answer({ Version: '1' });
      if (pathname.startsWith('/images/')) return answer({ Config: { Cmd: ['/program'] } });
      if (isAway) return void request.socket.destroy();
      if (pathname === '/containers/json')
        return void response.end(JSON.stringify([...made.keys()].map((Id) => ({ Id, Names: [`/${Id}`] }))));
      if (pathname === '/containers/create') {
        const { HostConfig } = JSON.parse(body) as { HostConfig: { CgroupParent: string } };
        made.set(searchParams.get('name') ?? '', HostConfig.CgroupParent);
        return answer({});
      }
      if (request.method === 'DELETE') {
        made.delete(name);
        removed.push(name);
        return answer({});
      }
      if (neverAnswers) return;
      if (!pathname.endsWith('/start')) return void request.socket.destroy();
      orphans.push(park(made.get(name) ?? ''));
      isAway = awayAfterStart;
      return void request.socket.destroy();
    };
    let awayAfterStart = false;
    let neverAnswers = false;

    beforeAll(async () => {
      server = createServer((request, response) => void answer(request, response));
      await new Promise<void>((resolve) => server.listen(socketPath, resolve));
      bench = await openBench({ containers: { socketPath, network: 'none' } });
    });
    beforeEach(() => {
      orphans.length = 0;
      made.clear();
      removed.length = 0;
    });
    afterAll(async () => {
      await bench.close();
      server.close();
      rmSync(folder, { recursive: true });
    });

    test(
      'nothing of it is left when the start is refused, and it can be tried again',
      { timeout: 120_000 },
      async () => {
        const job = bench.jobOf({ image: 'any' });
        for (const attempt of [1, 2]) {
          await expect(bench.runtime.start(job)).rejects.toThrow(/could not be started: socket hang up/);
          // The refusal waits 2 s for it, and no longer.
          await until('the container is removed', () => removed.length === attempt);
          expect(orphans).toHaveLength(attempt);
          await until('what it began has ended', () => orphans.every(({ pid = 0 }) => !isAlive(pid)));
        }
        expect(new Set(removed).size).toBe(2);
        expect(made.size).toBe(0);
      },
    );

    test('a start that was cut off with its runner has run nothing, and the next runner reports it', async () => {
      neverAnswers = true;
      const job = bench.jobOf({ image: 'any' });
      const ended = bench.ended(job.executionId);
      const started = bench.runtime.start(job).catch(() => 'CUT');
      await until('it is made', () => made.size === 1);
      // Keeps the next runner busy with others when this one has ended.
      for (let n = 0; n < 50; n++) mkdirSync(join(bench.dataDir, 'runtime', 'executions', `lost-${n}`));
      process.kill((await bench.runtime.status()).runnerPid, 'SIGKILL');
      expect(await started).toBe('CUT');
      expect((await ended).outcome).toBe('NOT_STARTED');
      await until('the container is removed', () => made.size === 0);
      const log = readFileSync(join(bench.dataDir, 'runtime', 'runner.log'), 'utf8');
      expect(log).not.toContain('ReferenceError');
      neverAnswers = false;
    });

    test(
      'the start is refused soon while it stays away, and the rest goes when it is back',
      { timeout: 120_000 },
      async () => {
        awayAfterStart = true;
        const job = bench.jobOf({ image: 'any' });
        await expect(bench.runtime.start(job)).rejects.toThrow(/could not be started: socket hang up/);
        expect([made.size, removed]).toEqual([1, []]);
        await until('what it began has ended', () => orphans.every(({ pid = 0 }) => !isAlive(pid)));
        isAway = false;
        await until('the container is removed', () => made.size === 0);
      },
    );
  });
});
