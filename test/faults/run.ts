import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fromTimestamp } from '@kethub/contract';
import { member, type Caller } from '../../apps/server/src/testing/gateway.ts';
import { faults, longOutage, type Fault } from './faults.ts';
import { openInstallation, type InstallationOptions } from './installation.ts';
import { leftBehind } from './left-behind.ts';
import { load, type Promised } from './load.ts';
import { countOpens } from './opens.ts';
import { randomFrom } from './random.ts';

export interface Plan extends InstallationOptions {
  /** Repeats the same faults in the same order, and the same load. */
  readonly seed: number;
  readonly kills: number;
  /** Names of faults; null is all that are possible. */
  readonly only: readonly string[] | null;
  /** The longest pause between two faults. */
  readonly pauseMs: number;
  /** For how long the database is away once, or null. */
  readonly outageMs: number | null;
  readonly tell?: (line: string) => void;
}

export interface Report {
  readonly promised: number;
  /** How often each fault happened. */
  readonly happened: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** What must not be: one sentence each. */
  readonly wrong: readonly string[];
}

/** How long whatever was promised may take once nothing breaks any more. */
const STUCK_MS = 30_000;

/** Breaks an installation under a load of mixed executions, and looks at what became of each. */
export async function runFaults(plan: Plan): Promise<Report> {
  const random = randomFrom(plan.seed);
  const installation = await openInstallation(plan);
  const possible = faults
    .filter(({ name }) => plan.only?.includes(name) ?? true)
    .filter((one) => one.isPossible(installation));
  const opens = await countOpens(installation.marks);
  const stop = new AbortController();
  const loading = load(installation.app, randomFrom(plan.seed + 1), stop.signal, 2 * plan.pauseMs > 200 ? 120 : 60);
  const happened: Happened[] = [];
  for (let kill = 0; kill < plan.kills; kill++) {
    await pause(random() * plan.pauseMs);
    const fault = choose(possible, random);
    const from = Date.now();
    if (await fault.happen(installation, random)) happened.push({ name: fault.name, from, to: Date.now() });
    plan.tell?.(`${kill + 1} of ${plan.kills}: ${fault.name}`);
  }
  if (plan.outageMs !== null) {
    plan.tell?.(`the database is away for ${plan.outageMs / 1000} s`);
    await longOutage(installation, plan.outageMs);
  }
  stop.abort();
  const promised = await loading;
  const ends = await endsOf(installation.app, promised);
  const opened = await opens.stop();
  const wrong = [
    ...promised.flatMap((one) => judge(one, ends.get(one.id), opened, happened)),
    ...runTwice(opened),
    ...signals(ends, happened),
  ];
  if (wrong.length > 0) wrong.push(`The runner said: ${runnerLog(installation.dataDir)}`);
  await installation.platform.end();
  await installation.close();
  wrong.push(...(await leftBehind(installation.dataDir)));
  const statuses = countsOf([...ends.values()], ({ status }) => status);
  return { promised: promised.length, happened: countsOf(happened, ({ name }) => name), statuses, wrong };
}

/** Its last words, which go with the installation. */
function runnerLog(dataDir: string): string {
  return readFileSync(path.join(dataDir, 'runtime', 'runner.log'), 'utf8').slice(-8_000);
}

function choose(possible: readonly Fault[], random: () => number): Fault {
  let at = random() * possible.reduce((sum, { weight }) => sum + weight, 0);
  for (const fault of possible) {
    at -= fault.weight;
    if (at < 0) return fault;
  }
  throw new Error('Nothing can break');
}

/** A fault, and when it happened: in milliseconds of this machine. */
interface Happened {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

interface End {
  readonly status: string;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** What stands at the place of the result. */
  readonly result: unknown;
  readonly log: readonly string[];
}

/** How each ended; what has not ended within the time is as it is then. */
async function endsOf(app: Caller, promised: readonly Promised[]): Promise<Map<string, End>> {
  const limit = AbortSignal.timeout(STUCK_MS);
  const ends = new Map<string, End>();
  for (const { id } of promised) {
    const status = await statusOf(app, id, limit);
    if (status === 'PENDING' || status === 'RUNNING' || status === 'LOST') {
      ends.set(id, { status, startedAt: null, endedAt: null, result: null, log: [] });
      continue;
    }
    const { body: execution } = await app.request('GET', `/${id}`);
    const time = (name: string): number | null => fromTimestamp(String(Reflect.get(Object(execution), name)));
    const { body } = await app.request('GET', `/${id}/result`);
    const { text } = await app.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } });
    const [startedAt, endedAt] = [time('startedAt'), time('endedAt')];
    ends.set(id, { status, startedAt, endedAt, result: body, log: text.trimEnd().split('\n') });
  }
  return ends;
}

async function statusOf(app: Caller, id: string, limit: AbortSignal): Promise<string> {
  for (;;) {
    const answer = await app.request('GET', `/${id}`, { headers: { prefer: 'wait=5' } }).catch(() => null);
    if (answer?.status === 404) return 'LOST';
    const status = answer?.status === 200 ? member(answer.body, 'status') : 'PENDING';
    if ((status !== 'PENDING' && status !== 'RUNNING') || limit.aborted) return status;
    if (answer?.status !== 200) await pause(200);
  }
}

/** What of an end is not the truth, given what has happened. */
function judge(
  { id, mark, mode }: Promised,
  end: End | undefined,
  opened: ReadonlyMap<string, number>,
  happened: readonly Happened[],
): string[] {
  const had = (name: string): boolean => happened.some((one) => one.name === name);
  const status = end?.status ?? 'LOST';
  const wrong = (what: string): string[] => [`${id} (${mode}) is ${status}: ${what}`];
  const often = opened.get(String(mark)) ?? 0;
  if (status === 'LOST') return wrong('it was accepted and is not there');
  if (status === 'PENDING' || status === 'RUNNING') return wrong(`stuck for ${STUCK_MS / 1000} s`);
  if (status === 'UNKNOWN') return isTrue(end, happened) ? [] : wrong('nothing that ran it was lost while it ran');
  if (status === 'CANCELLED') return mode === 'cancel' ? [] : wrong('nobody has cancelled it');
  const title = String(Reflect.get(Object(end?.result), 'title'));
  if (status === 'FAILED') {
    if (mode === 'raise' && title === 'ValueError') return often === 1 ? [] : wrong(`it ran ${often} times`);
    if (title === 'Ended by a signal' && had('program')) return [];
    if (had('disk') && /^(OSError|No result|Ended early|Result not valid|Could not be started)/.test(title)) return [];
    return wrong(`${title}: ${String(Reflect.get(Object(end?.result), 'detail'))}`);
  }
  if (mode === 'raise') return wrong('it must fail');
  if (often !== 1) return wrong(`it ran ${often} times`);
  if (Reflect.get(Object(end?.result), 'mark') !== mark) return wrong('its result is that of another');
  const log = end?.log.join('|') ?? '';
  return log === `began ${mark}|ended ${mark}` || had('disk') ? [] : wrong(`its log is ${JSON.stringify(log)}`);
}

/** The interface tells seconds. */
const SECOND = 1_000;

/** Whether the runner was lost while this one was claimed and had not ended. */
function isTrue(end: End | undefined, happened: readonly Happened[]): boolean {
  const { startedAt, endedAt } = end ?? {};
  if (startedAt == null || endedAt == null) return false;
  return happened.some(({ name, from, to }) => name === 'runner' && to >= startedAt && from <= endedAt + SECOND);
}

/** No more programs have ended by a signal than were given one. */
function signals(ends: ReadonlyMap<string, End>, happened: readonly Happened[]): string[] {
  const ended = [...ends.values()].filter(({ result }) => Reflect.get(Object(result), 'title') === 'Ended by a signal');
  const given = happened.filter(({ name }) => name === 'program');
  return ended.length > given.length
    ? [`${ended.length} ended by a signal, but only ${given.length} were given one`]
    : [];
}

function countsOf<T>(all: readonly T[], keyOf: (one: T) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(all, keyOf)].map(([key, some]) => [key, some.length]));
}

function runTwice(opened: ReadonlyMap<string, number>): string[] {
  return [...opened].flatMap(([mark, often]) => (often > 1 ? [`mark ${mark} was opened ${often} times`] : []));
}
