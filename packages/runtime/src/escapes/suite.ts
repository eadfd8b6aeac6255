import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import type { ExecutionEnd, Limits } from '../types.ts';
import { HOSTILE_BUILDS } from './builds.ts';
import { HOSTILE_IMAGES } from './images.ts';
import { allRefused } from './judging.ts';
import { endOf, logHas, logOf } from './observe.ts';
import { HOSTILE_RUNS, LIMITS } from './runs.ts';
import { layTraps, type Traps } from './traps.ts';
import { processorMs } from '../sandbox/processes.ts';
import type { EscapeDriver, Finding, HostileRun, Report, Seen } from './types.ts';
import { startVictim } from './victim.ts';

const MOST_REPORT_BYTES = 2 ** 20;

/** All hostile programs, by name. */
export const HOSTILE: readonly { name: string; tries: string }[] = [
  ...HOSTILE_RUNS,
  ...HOSTILE_BUILDS,
  ...HOSTILE_IMAGES.filter(({ name }) => HOSTILE_BUILDS.every((build) => build.name !== name)),
];

/** Number of these programs that concern a driver. */
export function countFor(driver: EscapeDriver, only: readonly string[] | null = null): number {
  return [...HOSTILE_RUNS, ...driver.builds].filter(({ name }) => only?.includes(name) ?? true).length;
}

/**
 * Starts every hostile program against one driver, one after the other, while a victim's execution runs beside them.
 * @param onFinding called with each finding as it comes.
 * @param only names of the programs to start; null for all.
 */
export async function attack(
  driver: EscapeDriver,
  onFinding: (finding: Finding) => void = () => undefined,
  only: readonly string[] | null = null,
): Promise<Finding[]> {
  const traps = await layTraps(driver.folders);
  const findings: Finding[] = [];
  const note = (name: string, tries: string, faults: string[]): void => {
    const finding = { driver: driver.name, name, tries, contained: faults.length === 0, faults };
    findings.push(finding);
    onFinding(finding);
  };
  try {
    const victim = await startVictim(driver, traps);
    for (const hostile of HOSTILE_RUNS) {
      if (only !== null && !only.includes(hostile.name)) continue;
      note(hostile.name, hostile.tries, [...(await run(driver, traps, hostile)), ...(await victim.touched())]);
    }
    for (const hostile of driver.builds) {
      if (only !== null && !only.includes(hostile.name)) continue;
      const faults = await hostile.attack(driver, traps);
      note(hostile.name, hostile.tries, [...faults, ...traps.sprung(), ...(await victim.touched())]);
    }
    await victim.end();
  } finally {
    await traps.close();
  }
  return findings;
}

async function run(driver: EscapeDriver, traps: Traps, hostile: HostileRun): Promise<string[]> {
  const limits: Limits = { ...LIMITS, ...hostile.limits };
  const program = await driver.program(hostile.name);
  const executionId = randomUUID();
  const ended = endOf(driver.runtime, executionId);
  const input = { ...traps.hints, engines: driver.sockets, most: limits.fileBytes, secret: `own-${executionId}` };
  const { code } = program;
  const environment = { ...program.environment, ...hostile.environment };
  const hosts = hostile.hosts?.(traps.hints) ?? [];
  const { runnerPid } = await driver.runtime.status();
  const before = processorMs(runnerPid);
  await driver.runtime.start({ executionId, code, input: JSON.stringify(input), secrets: {}, environment, hosts, dataPools: [], limits, warm: false });
  if (hostile.cancelled) {
    await logHas(driver.runtime, executionId, 'ready');
    await driver.runtime.cancel(executionId);
  }
  const end = await ended;
  const seen = await look(driver, end, processorMs(runnerPid) - before);
  const faults = [
    ...(hostile.judge ?? allRefused)(seen, limits),
    ...leaks(seen, traps.secret),
    ...end.files.flatMap(({ name, path }) => fileFaults(name, path)),
    ...traps.sprung(),
  ];
  await driver.runtime.forget(executionId);
  return faults;
} // prettier-ignore

async function look(driver: EscapeDriver, end: ExecutionEnd, runnerMs: number): Promise<Seen> {
  const folder = driver.folderOf(end.executionId);
  const du = (option: string): number =>
    Number(spawnSync('du', ['-s', option, folder], { encoding: 'utf8' }).stdout.split('\t')[0]);
  return {
    end,
    report: reportOf(end),
    runnerMs,
    log: await logOf(driver.runtime, end.executionId),
    left: { bytes: du('--block-size=1'), entries: du('--inodes') },
  };
}

/** Reads a report. A report is short; a long result was made to be expensive. */
function reportOf({ result }: ExecutionEnd): Report | null {
  if (result === null || result.bytes > MOST_REPORT_BYTES) return null;
  return JSON.parse(result.text ?? readFileSync(result.path, 'utf8')) as Report;
}

/** Finds the traps' secret in everything that comes out of an execution. */
function leaks({ end, report, log }: Seen, secret: string): string[] {
  const outputs = {
    'its result': JSON.stringify(report),
    'its cause': JSON.stringify(end.cause),
    'its log': log.map(({ message }) => message).join('\n'),
    ...Object.fromEntries(end.files.map(({ name, path }) => [`its file ${name}`, readFileSync(path, 'latin1')])),
  };
  return Object.entries(outputs)
    .filter(([, text]) => text.includes(secret))
    .map(([output]) => `a secret of the machine is in ${output}`);
}

function fileFaults(name: string, path: string): string[] {
  const kind = lstatSync(path);
  const faults = [];
  if (!kind.isFile() || kind.nlink !== 1) faults.push(`${name} is offered and is no plain file`);
  if ((kind.mode & 0o7000) !== 0) faults.push(`${name} is offered with mode ${(kind.mode & 0o7777).toString(8)}`);
  if (kind.uid !== process.getuid?.()) faults.push(`${name} is offered and belongs to user ${kind.uid}`);
  return faults;
}
