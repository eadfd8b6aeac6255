import type { Limits } from '../types.ts';
import type { Seen } from './types.ts';

/** Expects that the program ran to its end and that each of its attempts was refused. */
export function allRefused({ end, report }: Seen): string[] {
  if (report === null) return [`it did not report: ${end.outcome} ${JSON.stringify(end.cause)}`];
  return attemptsThatWorked(report.tried);
}

/** Attempts that were not refused, also of a program that was ended early. */
function attemptsThatWorked(tried: Record<string, string>): string[] {
  return Object.entries(tried)
    .filter(([, answer]) => !answer.startsWith('refused'))
    .map(([what, answer]) => `${what}: ${answer.slice(0, 200)}`);
}

/** Expects that a limit with one of these titles ended the program. */
export function endedBy(...titles: string[]): (seen: Seen) => string[] {
  return ({ end, report }) => {
    if (end.outcome === 'FAILED' && titles.includes(end.cause?.title ?? '')) return [];
    return [`it was not ended by a limit: ${end.outcome} ${JSON.stringify(end.cause ?? report)}`.slice(0, 300)];
  };
}

/** The result files besides `output.json`, which is the result of a container. */
export function besideResult({ end }: Seen): Seen['end']['files'] {
  return end.files.filter(({ name }) => name !== 'output.json');
}

/** Expects that exactly these of its files are offered. */
export function offersOnly(...names: string[]): (seen: Seen) => string[] {
  return (seen) => {
    const offered = besideResult(seen).map(({ name }) => name);
    const more = offered.filter((name) => !names.includes(name)).map((name) => `${JSON.stringify(name)} is offered`);
    const missing = names.filter((name) => !offered.includes(name)).map((name) => `${JSON.stringify(name)} is missing`);
    return [...allRefused(seen), ...more, ...missing];
  };
}

/** Returns a finding for a value above a bound. */
export function atMost(what: string, value: number, bound: number): string[] {
  return value <= bound ? [] : [`${what}: ${value}, at most ${bound} may be`];
}

/**
 * The disk space that a program may take before it is noticed: twice its limit, plus what a fast disk writes on a busy
 * machine.
 */
export function diskBound(limits: Limits): { bytes: number; entries: number } {
  return { bytes: 2 * limits.outputBytes + 384 * 2 ** 20, entries: 200_000 };
}
