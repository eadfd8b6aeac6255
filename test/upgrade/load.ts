import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { isFinal, type ExecutionStatus } from '@kethub/contract';
import { signInWithPassword } from '@kethub/client';
import {
  callerAt,
  member,
  read as readAnswer,
  requestToken,
  type Answered,
  type Caller,
} from '@kethub/server/testing/gateway';
import { GitClient } from '@kethub/server/testing/git-client';
import type { DeployedService } from '@kethub/server/testing/kethub';

/** A request that was not answered as it should. */
export interface Failure {
  readonly at: string;
  readonly request: string;
  readonly answer: string;
}

/** The calls of a run and their answers. */
export class Tally {
  readonly failures: Failure[] = [];
  readonly counts = new Map<string, number>();
  /** Executions by the mark that each opens. */
  readonly started = new Map<number, string>();
  readonly statuses = new Map<string, string>();

  /** Asks, and notes a failure unless the status is the expected one. */
  async ask(request: string, expected: number, send: () => Promise<Answered>): Promise<Answered | null> {
    this.counts.set(request, (this.counts.get(request) ?? 0) + 1);
    try {
      const answer = await send();
      if (answer.status === expected) return answer;
      this.fail(request, `${answer.status} ${answer.text.slice(0, 200)}`);
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
      this.fail(request, `${String(error)}${cause}`);
    }
    return null;
  }

  fail(request: string, answer: string): void {
    this.failures.push({ at: new Date().toISOString(), request, answer });
  }
}

export interface Target {
  readonly origin: string;
  readonly deployed: DeployedService;
  /** The access token of a login session from before the update. */
  readonly session: string;
  readonly person: { readonly username: string; readonly password: string };
  readonly cloneUrl: string;
  /** A repository that a person may push to, with the credential in its address. */
  readonly pushUrl: string;
}

const CALLERS = 6;
const PUSHED_BYTES = 3_000_000;
/** Seconds of the executions that run while their worker is replaced. */
const LONG_SECONDS = 25;
/** Milliseconds after which an execution counts as lost. */
const LOST_MS = 600_000;

/** Calls all parts steadily until it is stopped, and then waits for the ends of all executions. */
export async function callSteadily(target: Target, stop: AbortSignal): Promise<Tally> {
  const tally = new Tally();
  const { deployed, origin } = target;
  const { accessKeyId, secretAccessKey, application } = deployed;
  const token = () => requestToken(application.tokenEndpoint, `${accessKeyId}:${secretAccessKey}`);
  const first = await token();
  let app: Caller = callerAt(deployed.endpoint, member(first.body, 'access_token'));
  let mark = 1;
  const repeat = async (pauseMs: number, once: () => Promise<void>): Promise<void> => {
    while (!stop.aborted) {
      await once();
      await pause(pauseMs);
    }
  };
  /** Returns a function that says whether an execution has had far more time than it needs. It has no status then. */
  const whetherLost = (): (() => boolean) => {
    const end = performance.now() + LOST_MS;
    return () => performance.now() > end;
  };
  const call = async (seconds: number): Promise<void> => {
    const own = mark++;
    const body = JSON.stringify({ mark: own, seconds });
    const started = await tally.ask('POST service', 201, () => app.request('POST', '/', { body }));
    if (started === null) return;
    const id = member(started.body, 'id');
    tally.started.set(own, id);
    const isLost = whetherLost();
    while (!isLost()) {
      const headers = { prefer: 'wait=10' };
      const read = await tally.ask('GET status', 200, () => app.request('GET', `/${id}`, { headers }));
      const status = read === null ? null : member(read.body, 'status');
      if (status !== null && isFinal(status as ExecutionStatus)) {
        tally.statuses.set(id, status);
        break;
      }
      if (read === null) await pause(100);
    }
    await tally.ask('GET result', 200, () => app.request('GET', `/${id}/result`));
  };
  /** Follows a log, and resumes where a stream has ended. */
  const follow = async (): Promise<void> => {
    const own = mark++;
    const body = JSON.stringify({ mark: own, seconds: 8 });
    const started = await tally.ask('POST service', 201, () => app.request('POST', '/', { body }));
    if (started === null) return;
    const id = member(started.body, 'id');
    tally.started.set(own, id);
    let text = '';
    const isLost = whetherLost();
    while (!text.includes('event: end') && !isLost()) {
      const position = /id: (\d+)\n(?!.*id: )/s.exec(text)?.[1] ?? '0';
      const headers = { accept: 'text/event-stream', 'last-event-id': position };
      const part = await tally.ask('GET log', 200, () => app.request('GET', `/${id}/log`, { headers }));
      text += part?.text ?? '';
      if (part === null) await pause(100);
    }
    const lines = [...text.matchAll(/"message":"((?:began|ended) \d+)"/g)].map(([, line]) => line);
    if (lines.join() !== `began ${own},ended ${own}`) tally.fail('GET log', `lines: ${lines.join()}`);
    const read = await tally.ask('GET status', 200, () => app.request('GET', `/${id}`));
    if (read !== null) tally.statuses.set(id, member(read.body, 'status'));
  };
  const platform = callerAt(`${origin}/api`, target.session);
  const read = (path: string): Promise<unknown> => tally.ask(`GET ${path}`, 200, () => platform.request('GET', path));
  const client = await GitClient.open();
  await Promise.all([
    ...Array.from({ length: CALLERS }, () => repeat(50, () => call(0.1))),
    ...Array.from({ length: 4 }, () => repeat(500, () => call(LONG_SECONDS))),
    repeat(100, follow),
    repeat(300, async () => {
      const answer = await tally.ask('POST token', 200, token);
      if (answer !== null) app = callerAt(deployed.endpoint, member(answer.body, 'access_token'));
    }),
    repeat(100, async () => {
      await read('/me');
      await read('/services');
    }),
    repeat(300, async () => {
      const body = JSON.stringify({ name: `pool ${Math.random()}` });
      const made = await tally.ask('POST /data-pools', 201, () => platform.request('POST', '/data-pools', { body }));
      if (made === null) return;
      const where = `${origin}/api/data-pools/${member(made.body, 'id')}`;
      const headers = { authorization: `Bearer ${target.session}` };
      await tally.ask('DELETE /data-pools', 204, async () =>
        readAnswer(await fetch(where, { method: 'DELETE', headers })),
      );
    }),
    repeat(1_000, async () => {
      await tally.ask('sign in', 200, async () => {
        const session = await signInWithPassword({ authUrl: `${origin}/auth`, ...target.person });
        return callerAt(`${origin}/api`, session).request('GET', '/me');
      });
    }),
    repeat(200, async () => {
      const headers = { accept: 'text/event-stream' };
      // The stream ends when its process ends, or after five minutes.
      await tally.ask('GET /events', 200, async () => {
        const signal = AbortSignal.any([stop, AbortSignal.timeout(240_000)]);
        const answer = platform.request('GET', '/events', { headers, signal });
        return answer.catch((error: unknown) => {
          if (!signal.aborted) throw error;
          return { status: 200, headers: new Headers(), body: null, text: '' };
        });
      });
    }),
    repeat(1_000, () => pushAndClone(tally, client, target.pushUrl)),
    repeat(300, async () => {
      const where = `${target.cloneUrl}/info/refs?service=git-upload-pack`;
      await tally.ask('git', 200, async () => readAnswer(await fetch(where)));
    }),
  ]);
  await client.close();
  return tally;
}

/** Pushes some MB and clones them again, with a real Git. */
async function pushAndClone(tally: Tally, client: GitClient, url: string): Promise<void> {
  const commit = await client.commit('pushed', { 'data.bin': randomBytes(PUSHED_BYTES) });
  const run = (name: string, ...args: string[]) =>
    tally.ask(name, 0, async () => {
      const { code, err } = await client.try('', ...args);
      return { status: code, headers: new Headers(), body: null, text: err };
    });
  await run('git push', '-C', 'pushed', 'push', '-q', url, 'HEAD:main');
  await rm(client.at('cloned'), { recursive: true, force: true });
  if ((await run('git clone', 'clone', '-q', '--depth=1', url, 'cloned')) === null) return;
  const cloned = await client.run('cloned', 'rev-parse', 'HEAD');
  if (cloned !== commit) tally.fail('git clone', `${cloned} was cloned after ${commit} was pushed`);
}
