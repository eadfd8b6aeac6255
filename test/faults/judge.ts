import type { End, Times } from './ends.ts';
import type { Promised } from './load.ts';
import { PADDING } from './service.ts';
import type { Task } from './tasks.ts';

/** A fault and its time, in milliseconds of this machine. */
export interface Happened {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Facts that the interface does not show. */
export interface Evidence {
  readonly happened: readonly Happened[];
  /** Number of times that each mark was opened. */
  readonly opened: ReadonlyMap<string, number>;
}

/** Differences between the drivers that run code. */
export interface Kind {
  /** The title of an execution that fails on purpose. */
  readonly raised: string;
  /** Faults that can end it unnoticed. */
  readonly lostWith: readonly string[];
  /** The log line for missing lines. */
  readonly gaps: string | null;
  /** Titles of executions that the fault `removal` has ended. */
  readonly removed?: RegExp;
  /** Lines by which a driver names the reason why it does not start an execution yet. */
  readonly waiting?: RegExp;
}

export const ofSandboxes: Kind = { raised: 'ValueError', lostWith: ['runner'], gaps: null };
export const ofContainers: Kind = {
  raised: 'Ended early',
  lostWith: ['engine', 'runner'],
  gaps: 'lines of this log may be missing',
};

/** False statements about the end of a task, considering the faults that happened. */
export function judge({ order, ...one }: Promised<Task>, end: End, evidence: Evidence, kind: Kind): string[] {
  const { mark, mode } = order;
  const { status, result } = end;
  const wrong = (what: string): string[] => [`${one.id} (${mode}) is ${status}: ${what}`];
  const broken = brokenPromise(one.cancelled, end);
  if (broken !== null) return wrong(broken);
  if (status === 'CANCELLED') return [];
  if (status === 'UNKNOWN')
    return wasLost(end, evidence.happened, kind)
      ? []
      : wrong(`nothing that ran it was lost while it ran. ${factsOf(end)}`);
  const often = evidence.opened.get(String(mark)) ?? 0;
  if (status === 'FAILED') {
    const title = titleOf(result);
    if (mode === 'raise' && title === kind.raised) return often === 1 ? [] : wrong(`it ran ${often} times`);
    const isExcused = happenedTo(title, evidence.happened, kind);
    return isExcused ? [] : wrong(`${title}: ${String(Reflect.get(Object(result), 'detail'))}`);
  }
  if (mode === 'raise') return wrong('it must fail');
  if (often !== 1) return wrong(`it ran ${often} times`);
  if (Reflect.get(Object(result), 'mark') !== mark) return wrong('its result is that of another');
  const padding = mode === 'large' ? PADDING : '';
  if (Reflect.get(Object(result), 'padding') !== padding) return wrong('its result is not whole');
  const isWaiting = (line: string) =>
    kind.waiting?.test(line) === true || (had(evidence.happened, 's3') && STORE_IS_AWAY.test(line));
  const log = end.log.filter((line) => !isWaiting(line)).join('');
  const isWhole = log === `began ${mark}${padding}ended ${mark}` || (kind.gaps !== null && log.includes(kind.gaps));
  return isWhole || had(evidence.happened, 'disk') ? [] : wrong(`its log is ${log.slice(0, 500)}`);
}

/** The log line of an execution whose long input is in the store. */
const STORE_IS_AWAY = /^The store of files does not answer\./;

/** Facts of the interface about an end, for whoever looks for the reason. */
function factsOf({ startedAt, endedAt, result, log }: End): string {
  const [from, to] = [startedAt, endedAt].map((time) => new Date(time ?? 0).toISOString());
  return `From ${from} to ${to}, ${JSON.stringify(result)}, ${JSON.stringify(log).slice(0, 1_000)}`;
}

/** The contradiction between the end of an execution and the promise to its caller; null for none. */
export function brokenPromise(cancelled: boolean, { status, before }: End): string | null {
  if (status === 'LOST') return 'it was accepted and is not there';
  if (before === 'OPEN') return 'it has not ended';
  if (status !== before) return `it was ${before} before`;
  if (cancelled !== (status === 'CANCELLED')) return cancelled ? 'it was cancelled' : 'nobody has cancelled it';
  return null;
}

/** Returns whether a fault that happened can be the reason for a failure with this title. */
export function happenedTo(title: string, happened: readonly Happened[], { removed }: Kind): boolean {
  if (title === BY_A_SIGNAL) return had(happened, 'program');
  if (removed?.test(title)) return had(happened, 'removal');
  return had(happened, 'disk') && /^(OSError|No result|Ended early|Result not valid|Could not be started)/.test(title);
}

const BY_A_SIGNAL = 'Ended by a signal';
export const titleOf = (problem: unknown): string => String(Reflect.get(Object(problem), 'title'));
export const had = (happened: readonly Happened[], name: string): boolean => happened.some((one) => one.name === name);

/** The interface has seconds. */
const SECOND = 1_000;

/** Returns whether the runner was lost while this execution was claimed and had not ended. */
export function wasLost({ startedAt, endedAt }: Times, happened: readonly Happened[], { lostWith }: Kind): boolean {
  if (startedAt === null || endedAt === null) return false;
  return happened.some(({ name, from, to }) => lostWith.includes(name) && to >= startedAt && from <= endedAt + SECOND);
}

/** At most as many programs may end by a signal as signals were sent. */
export function signals(titles: readonly string[], happened: readonly Happened[]): string[] {
  const ended = titles.filter((title) => title === BY_A_SIGNAL).length;
  const given = happened.filter(({ name }) => name === 'program').length;
  return ended > given ? [`${ended} ended by a signal, but only ${given} were given one`] : [];
}

export function runTwice(opened: ReadonlyMap<string, number>): string[] {
  return [...opened].flatMap(([mark, often]) => (often > 1 ? [`mark ${mark} was opened ${often} times`] : []));
}
