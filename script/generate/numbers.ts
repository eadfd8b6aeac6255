import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isReached, type Measurement } from '../../bench/lib/measurement.ts';
import type { Share } from '../../bench/measurements/profile.ts';
import { root } from '../run.ts';
import { between, table } from './marks.ts';

interface Results {
  readonly machine: Readonly<Record<string, string | number>>;
  readonly measurements: readonly Measurement[];
}

/** The table of goals and measured values, from the last whole run of the measurements. */
export function renewNumbers(page: string): string {
  // Written by script/bench.ts.
  const { machine, measurements } = JSON.parse(readFileSync(path.join(root, 'bench/results.json'), 'utf8')) as Results;
  const lines = measurements.filter(({ cell }) => cell === undefined);
  const rows = lines.map((one) => [one.name, goalOf(one), `${rounded(one.value)} ${one.unit}`, verdict(one)]);
  const { cpu, cores, memoryGb, system, node, python } = machine;
  const dates = measurements.map(({ date }) => String(date ?? machine['date'])).toSorted();
  const where = `Measured ${spanOf(dates)} on ${cores} shared cores of ${cpu}, ${memoryGb} GB, ${system}, Node ${node}, ${python}. How each number came about, and every round: [bench/results.json](bench/results.json).`;
  return between(page, 'numbers', `${table(['What', 'Goal', 'Measured', ''], rows)}\n${where}\n`);
}

/** The first and the last of sorted days. */
const spanOf = (days: readonly string[]): string =>
  days[0] === days.at(-1) ? `on ${days[0]}` : `from ${days[0]} to ${days.at(-1)}`;

/** The table of the user account service: a column for each number of users. */
export function renewAccounts(page: string): string {
  // Written by script/bench.ts.
  const { measurements } = JSON.parse(readFileSync(path.join(root, 'bench/results.json'), 'utf8')) as Results;
  const cells = measurements.flatMap((one) => (one.cell ? [{ ...one, cell: one.cell }] : []));
  const columns = [...new Set(cells.map(({ cell }) => cell.column))];
  const rows = [...Map.groupBy(cells, ({ cell }) => cell.row)].map(([row, of]) => {
    const shown = columns.map((column) => of.find(({ cell }) => cell.column === column));
    const goal = of.find((one) => one.goal !== null);
    return [row, goal ? goalOf(goal) : '', ...shown.map((one) => (one ? cellOf(one) : ''))];
  });
  return between(page, 'accounts', table(['What', 'Goal', ...columns], rows));
}

function cellOf(one: Measurement): string {
  const value = `${rounded(one.value)} ${one.unit}`;
  return isReached(one) === false ? `${value} **missed**` : value;
}

/** The table of where the time of a request goes, from the last profile. */
export function renewProfile(page: string): string {
  // Written by script/bench.ts.
  const profiles = JSON.parse(readFileSync(path.join(root, 'bench/profile.json'), 'utf8')) as Record<
    'statusReads' | 'tokenGrants',
    readonly Share[]
  >;
  const { statusReads, tokenGrants } = profiles;
  const percent = (shares: readonly Share[], where: string): string =>
    `${Math.round((shares.find((one) => one.where === where)?.share ?? 0) * 100)} %`;
  const machines = [...new Set([...statusReads, ...tokenGrants].map(({ where }) => where))];
  const rows = machines.map((where) => [where, percent(statusReads, where), percent(tokenGrants, where)]);
  return between(page, 'profile', table(['Where', 'Status read', 'Token grant'], rows));
}

function goalOf({ goal, unit }: Measurement): string {
  if (goal === null) return '';
  return 'atLeast' in goal ? `≥ ${goal.atLeast} ${unit}` : `≤ ${goal.atMost} ${unit}`;
}

function verdict(one: Measurement): string {
  const reached = isReached(one);
  return reached === null ? '' : reached ? 'reached' : '**missed**';
}

export function rounded(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en-US');
  return value >= 100 ? Math.round(value).toString() : value.toPrecision(3);
}
