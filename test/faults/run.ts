import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fromTimestamp } from '@kethub/contract';
import { member, type Caller } from '../../apps/server/src/testing/gateway.ts';
import { decisionOf } from './decisions.ts';
import { faults, longOutage } from './faults.ts';
import { Follower, STUCK_MS } from './follow.ts';
import { openInstallation, type Installation, type InstallationOptions } from './installation.ts';
import { leftBehind } from './left-behind.ts';
import { leftInRuntime, leftInStorage } from './left-inside.ts';
import { load, type Promised } from './load.ts';
import { countOpens } from './opens.ts';
import { PADDING } from './service.ts';

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

/** Breaks an installation under a load of mixed executions, and looks at what became of each. */
export async function runFaults(plan: Plan): Promise<Report> {
  const installation = await openInstallation(plan);
  let report: Report;
  try {
    report = await breakAndLook(plan, installation);
  } finally {
    await installation.platform.end();
    await installation.close();
  }
  return { ...report, wrong: [...report.wrong, ...(await leftBehind(installation.dataDir))] };
}

async function breakAndLook(plan: Plan, installation: Installation): Promise<Report> {
  const { app, dataDir, postgres } = installation;
  const opens = await countOpens(installation.marks);
  let breaking = false;
  const follower = new Follower(app, () => breaking);
  const stop = new AbortController();
  const loading = load(app, plan.seed, 2 * plan.pauseMs > 200 ? 120 : 60, follower, stop.signal);
  const { containers } = installation;
  const inContainers = containers && new Follower(containers.app, () => breaking);
  const alsoLoading =
    containers &&
    inContainers &&
    load(containers.app, plan.seed + 1, LONGEST_BETWEEN_CONTAINERS_MS, inContainers, stop.signal);
  const happened: Happened[] = [];
  for await (const { name, happen } of breaks(plan, installation)) {
    const from = Date.now();
    breaking = true;
    if (await happen()) happened.push({ name, from, to: Date.now() });
    breaking = false;
  }
  stop.abort();
  const { promised, wrong: broken } = await loading;
  const stuck = await follower.end();
  const ends = await endsOf(app, promised, follower.ends);
  const opened = await opens.stop();
  const contained = await alsoLoading;
  const containedStuck = (await inContainers?.end()) ?? [];
  const containedEnds =
    containers && inContainers ? await endsOf(containers.app, contained?.promised ?? [], inContainers.ends) : null;
  const runs = containers?.runs() ?? new Map<string, number>();
  const wrong = [
    ...broken,
    ...(contained?.wrong ?? []),
    ...(contained?.promised ?? []).flatMap((one) =>
      judge(one, containedEnds?.get(one.id), runs, happened, ofContainers),
    ),
    ...[...containedStuck].map((id) => `${id}, in a container, was stuck for ${STUCK_MS / 1000} s while nothing broke`),
    ...runTwice(runs),
    ...((await containers?.left()) ?? []),
    ...promised.flatMap((one) => judge(one, ends.get(one.id), opened, happened)),
    ...[...stuck].map((id) => `${id} was stuck for ${STUCK_MS / 1000} s while nothing broke`),
    ...runTwice(opened),
    ...signals(ends, happened),
    ...(await leftInRuntime(dataDir)),
  ];
  if (wrong.length > 0) wrong.push(`The runner said: ${runnerLog(dataDir)}`);
  await installation.platform.end();
  wrong.push(...(await leftInStorage(dataDir, postgres?.url ?? null)));
  const statuses = countsOf([...ends.values(), ...(containedEnds?.values() ?? [])], ({ status }) => status);
  return {
    promised: promised.length + (contained?.promised.length ?? 0),
    happened: countsOf(happened, ({ name }) => name),
    statuses,
    wrong,
  };
}

interface Break {
  readonly name: string;
  /** False when there was nothing to break. */
  happen(): Promise<boolean>;
}

/** What breaks, one after the other, each after its pause. */
async function* breaks(plan: Plan, installation: Installation): AsyncGenerator<Break> {
  const possible = faults
    .filter(({ name }) => plan.only?.includes(name) ?? true)
    .filter((one) => one.isPossible(installation));
  for (let kill = 0; kill < plan.kills; kill++) {
    const { pauseMs, fault, random } = decisionOf(plan.seed, kill, possible, plan.pauseMs);
    await pause(pauseMs);
    plan.tell?.(`${kill + 1} of ${plan.kills}: ${fault}`);
    const chosen = possible.find(({ name }) => name === fault);
    if (chosen) yield { name: fault, happen: () => chosen.happen(installation, random) };
  }
  const { outageMs } = plan;
  if (outageMs === null) return;
  plan.tell?.(`the database is away for ${outageMs / 1000} s`);
  yield { name: 'database', happen: () => longOutage(installation, outageMs).then(() => true) };
}

/** They take longer to start than sandboxes. */
const LONGEST_BETWEEN_CONTAINERS_MS = 2_000;

/** Its last words, which go with the installation. */
function runnerLog(dataDir: string): string {
  return readFileSync(path.join(dataDir, 'runtime', 'runner.log'), 'utf8').slice(-8_000);
}

/** A fault, and when it happened: in milliseconds of this machine. */
interface Happened {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

interface End {
  readonly status: string;
  /** The status when it was first seen to have ended; OPEN when it was not. */
  readonly before: string;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** What stands at the place of the result. */
  readonly result: unknown;
  readonly log: readonly string[];
}

/** How each ended, as the interface tells it now. */
async function endsOf(
  app: Caller,
  promised: readonly Promised[],
  followed: ReadonlyMap<string, string>,
): Promise<Map<string, End>> {
  const ends = new Map<string, End>();
  for (const { id } of promised) {
    const before = followed.get(id) ?? 'OPEN';
    const { status: answered, body: execution } = await app.request('GET', `/${id}`);
    const status = answered === 200 ? member(execution, 'status') : 'LOST';
    if (before === 'OPEN' || status === 'LOST') {
      ends.set(id, { status, before, startedAt: null, endedAt: null, result: null, log: [] });
      continue;
    }
    const time = (name: string): number | null => fromTimestamp(String(Reflect.get(Object(execution), name)));
    const { body } = await app.request('GET', `/${id}/result`);
    const { text } = await app.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } });
    const [startedAt, endedAt] = [time('startedAt'), time('endedAt')];
    ends.set(id, { status, before, startedAt, endedAt, result: body, log: text.trimEnd().split('\n') });
  }
  return ends;
}

/** What differs between places to run code. */
interface Kind {
  /** The title of an execution that fails as it is told to. */
  readonly raised: string;
  /** Faults that can end it without anybody knowing how. */
  readonly lostWith: readonly string[];
  /** What a log says that may lack lines. */
  readonly gaps: string | null;
}

const ofSandboxes: Kind = { raised: 'ValueError', lostWith: ['runner'], gaps: null };
const ofContainers: Kind = {
  raised: 'Ended early',
  lostWith: ['engine', 'runner'],
  gaps: 'lines of this log may be missing',
};

/** What of an end is not the truth, given what has happened. */
function judge(
  { id, mark, mode, cancelled }: Promised,
  end: End | undefined,
  opened: ReadonlyMap<string, number>,
  happened: readonly Happened[],
  kind: Kind = ofSandboxes,
): string[] {
  const had = (name: string): boolean => happened.some((one) => one.name === name);
  const { status = 'LOST', before = 'LOST', result } = end ?? {};
  const wrong = (what: string): string[] => [`${id} (${mode}) is ${status}: ${what}`];
  const often = opened.get(String(mark)) ?? 0;
  if (status === 'LOST') return wrong('it was accepted and is not there');
  if (before === 'OPEN') return wrong('it has not ended');
  if (status !== before) return wrong(`it was ${before} before`);
  if (cancelled !== (status === 'CANCELLED')) return wrong(cancelled ? 'it was cancelled' : 'nobody has cancelled it');
  if (status === 'CANCELLED') return [];
  if (status === 'UNKNOWN')
    return isTrue(end, happened, kind) ? [] : wrong('nothing that ran it was lost while it ran');
  const title = String(Reflect.get(Object(result), 'title'));
  if (status === 'FAILED') {
    if (mode === 'raise' && title === kind.raised) return often === 1 ? [] : wrong(`it ran ${often} times`);
    if (title === 'Ended by a signal' && had('program')) return [];
    if (had('disk') && /^(OSError|No result|Ended early|Result not valid|Could not be started)/.test(title)) return [];
    return wrong(`${title}: ${String(Reflect.get(Object(result), 'detail'))}`);
  }
  if (mode === 'raise') return wrong('it must fail');
  if (often !== 1) return wrong(`it ran ${often} times`);
  if (Reflect.get(Object(result), 'mark') !== mark) return wrong('its result is that of another');
  const padding = mode === 'large' ? PADDING : '';
  if (Reflect.get(Object(result), 'padding') !== padding) return wrong('its result is not whole');
  const log = end?.log.join('') ?? '';
  const isWhole = log === `began ${mark}${padding}ended ${mark}` || (kind.gaps !== null && log.includes(kind.gaps));
  return isWhole || had('disk') ? [] : wrong(`its log is ${log.slice(0, 500)}`);
}

/** The interface tells seconds. */
const SECOND = 1_000;

/** Whether the runner was lost while this one was claimed and had not ended. */
function isTrue(end: End | undefined, happened: readonly Happened[], { lostWith }: Kind): boolean {
  const { startedAt, endedAt } = end ?? {};
  if (startedAt == null || endedAt == null) return false;
  return happened.some(({ name, from, to }) => lostWith.includes(name) && to >= startedAt && from <= endedAt + SECOND);
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
