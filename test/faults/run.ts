import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bear, type Burden } from './bear.ts';
import { decisionOf } from './decisions.ts';
import type { End } from './ends.ts';
import { errands as errandsOf, judgeErrand, titlesOf, type ErrandOrder } from './errands.ts';
import { faults, longOutage } from './faults.ts';
import { openInstallation, type Installation, type InstallationOptions } from './installation.ts';
import {
  judge,
  ofContainers,
  ofSandboxes,
  runTwice,
  signals,
  titleOf,
  type Evidence,
  type Happened,
  type Kind,
} from './judge.ts';
import { STUCK_MS } from './follow.ts';
import { leftBehind } from './left-behind.ts';
import { leftInRuntime, leftInStorage } from './left-inside.ts';
import type { Order, Promised } from './load.ts';
import { tasks, type Task } from './tasks.ts';
import { upload } from './uploads.ts';

export interface Plan extends InstallationOptions {
  /** The same seed repeats the same faults in the same order, and the same load. */
  readonly seed: number;
  readonly kills: number;
  /** Names of faults; null for all that are possible. */
  readonly only: readonly string[] | null;
  /** Milliseconds of the longest pause between two faults. */
  readonly pauseMs: number;
  /** Milliseconds for which the database is away once; null for never. */
  readonly outageMs: number | null;
  readonly report?: (line: string) => void;
}

export interface Report {
  readonly promised: number;
  /** Number of times that each fault happened. */
  readonly happened: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** Violations, one sentence each. */
  readonly wrong: readonly string[];
}

/** Breaks an installation under a load of mixed executions, and checks every end. */
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
  const { dataDir, containers } = installation;
  const runs = await installation.countRuns();
  let breaking = false;
  const stop = new AbortController();
  const bearing = burdens(plan, installation).map((one) => one(() => breaking, stop.signal));
  const happened: Happened[] = [];
  for await (const { name, happen } of breaks(plan, installation)) {
    const from = Date.now();
    breaking = true;
    if (await happen()) happened.push({ name, from, to: Date.now() });
    breaking = false;
  }
  stop.abort();
  const borne = await Promise.all(bearing);
  const opened = await runs.stop();
  const wrong = [
    ...borne.flatMap((one) => one.judge({ happened, opened })),
    ...runTwice(containers?.runs() ?? new Map()),
    ...runTwice(opened),
    ...signals(
      borne.flatMap(({ titles }) => titles),
      happened,
    ),
    ...((await containers?.left()) ?? []),
    ...((await installation.cluster?.left(dataDir)) ?? []),
    ...(await leftInRuntime(dataDir)),
  ];
  if (wrong.length > 0)
    wrong.push(
      `Faults: ${happened.map(({ name, from, to }) => `${name} ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`).join(', ')}`,
      `The runner said: ${runnerLog(dataDir)}`,
      `The platform said: ${installation.platform.errors()}`,
    );
  wrong.push(...(await leftAfterwards(installation)));
  const ends = borne.flatMap((one) => one.ends);
  return {
    promised: ends.length,
    happened: countsOf(happened, ({ name }) => name),
    statuses: countsOf(ends, ({ status }) => status),
    wrong,
  };
}

/** Executions in sandboxes or in a cluster, and in containers, instances of a workflow, and for an api apart uploads. */
function burdens({ seed, pauseMs }: Plan, { app, errands, containers, cluster, platform, client }: Installation) {
  const ofTasks = (kind: Kind) => ({
    judge: (one: Promised<Task>, end: End, evidence: Evidence) => judge(one, end, evidence, kind),
    titlesOf: ({ status, result }: End) => (status === 'FAILED' ? [titleOf(result)] : []),
  });
  const pace = cluster === null ? ofMachine(pauseMs) : OF_CLUSTER;
  const kind = cluster?.kind ?? ofSandboxes;
  const executions: Burden<Task> = {
    app,
    orders: tasks(seed, pace.betweenTasksMs),
    mostOpen: pace.mostTasks,
    stuckMs: pace.stuckMs,
    ...ofTasks(kind),
  };
  const workflows: Burden<ErrandOrder> = {
    app: errands,
    orders: errandsOf(seed, pace.betweenWorkflowsMs),
    mostOpen: pace.mostWorkflows,
    stuckMs: pace.stuckMs,
    judge: (one, end, evidence) => judgeErrand(one, end, evidence, kind),
    titlesOf,
  };
  const inContainers = containers && {
    app: containers.app,
    orders: tasks(seed + 1, LONGEST_BETWEEN_CONTAINERS_MS),
    mostOpen: pace.mostTasks,
    ...ofTasks(ofContainers),
    judge: (one: Promised<Task>, end: End, { happened }: Evidence) =>
      judge(one, end, { happened, opened: containers.runs() }, ofContainers),
  };
  const start =
    <O extends Order>(burden: Burden<O>) =>
    (isBreaking: () => boolean, stop: AbortSignal) =>
      bear(burden, isBreaking, stop);
  const uploads = (isBreaking: () => boolean, stop: AbortSignal) => upload(client, isBreaking, stop);
  return [
    start(executions),
    start(workflows),
    ...(inContainers ? [start(inContainers)] : []),
    ...(platform.has('api') ? [uploads] : []),
  ];
}

/** The amount of load, and the milliseconds after which an open execution is stuck. */
interface Pace {
  readonly betweenTasksMs: number;
  readonly mostTasks: number;
  /** Each calls the service three times. */
  readonly betweenWorkflowsMs: number;
  readonly mostWorkflows: number;
  readonly stuckMs: number;
}

function ofMachine(pauseMs: number): Pace {
  const betweenTasksMs = 2 * pauseMs > 200 ? 120 : 60;
  return { betweenTasksMs, mostTasks: 40, betweenWorkflowsMs: 1_200, mostWorkflows: 8, stuckMs: STUCK_MS };
}

/** A node of a small machine takes some at once. A cluster whose parts were killed needs a minute or two to go on. */
const OF_CLUSTER: Pace = {
  betweenTasksMs: 3_000,
  mostTasks: 6,
  betweenWorkflowsMs: 8_000,
  mostWorkflows: 2,
  stuckMs: 240_000,
};

interface Break {
  readonly name: string;
  /** False when there was nothing to break. */
  happen(): Promise<boolean>;
}

/** Injects the faults one after the other, each after its pause. */
async function* breaks(plan: Plan, installation: Installation): AsyncGenerator<Break> {
  const possible = faults
    .filter(({ name }) => plan.only?.includes(name) ?? true)
    .filter((one) => one.isPossible(installation));
  for (let kill = 0; kill < plan.kills; kill++) {
    const { pauseMs, fault, random } = decisionOf(plan.seed, kill, possible, plan.pauseMs);
    await pause(pauseMs);
    plan.report?.(`${kill + 1} of ${plan.kills}: ${fault}`);
    const chosen = possible.find(({ name }) => name === fault);
    if (chosen) yield { name: fault, happen: () => chosen.happen(installation, random) };
  }
  const { outageMs } = plan;
  if (outageMs === null) return;
  plan.report?.(`the database is away for ${outageMs / 1000} s`);
  yield { name: 'database', happen: () => longOutage(installation, outageMs).then(() => true) };
}

/** Containers take longer to start than sandboxes. */
const LONGEST_BETWEEN_CONTAINERS_MS = 2_000;
const ATTEMPTS = 15;

/**
 * Leftovers in the storage. The tasks of a cancelled workflow are cancelled after it. A platform that stops in between
 * cancels them after its next start.
 */
async function leftAfterwards({ dataDir, postgres, platform, s3 }: Installation): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    await platform.end();
    const left = await leftInStorage(dataDir, postgres?.url ?? null, s3?.settings);
    if (!left.isUnfinished || attempt === ATTEMPTS) return left.sentences;
    await platform.bringUp();
    await pause(2_000);
  }
}

/** The end of its log, which is deleted with the installation. */
function runnerLog(dataDir: string): string {
  return readFileSync(path.join(dataDir, 'runtime', 'runner.log'), 'utf8').slice(-8_000);
}

function countsOf<T>(all: readonly T[], keyOf: (one: T) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(all, keyOf)].map(([key, some]) => [key, some.length]));
}
