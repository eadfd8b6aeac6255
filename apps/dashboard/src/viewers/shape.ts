import { ExactNumber, toNumber } from '../data/exact-json.ts';
import { graphOf, type Graph } from './graph.ts';
import { isQasm } from './qasm.ts';

/** A result, or a part of one, by the way in which it is shown best. */
export type Shape =
  | { readonly as: 'histogram'; readonly counts: readonly (readonly [state: string, count: number])[] }
  | { readonly as: 'table'; readonly columns: readonly string[]; readonly rows: readonly Row[] }
  | { readonly as: 'line'; readonly numbers: readonly number[] }
  | { readonly as: 'matrix'; readonly rows: readonly (readonly number[])[] }
  | { readonly as: 'graph'; readonly graph: Graph }
  | { readonly as: 'text' | 'qasm'; readonly text: string }
  | { readonly as: 'scalar'; readonly text: string }
  | { readonly as: 'tree' };
type Row = Readonly<Record<string, unknown>>;

/** Longest side of a matrix that is drawn. */
const LARGEST_MATRIX = 64;
/** Columns of a table; objects with more different members are shown as a tree. */
const MOST_COLUMNS = 40;
/** A text with more characters than this, or with lines, is shown in a box. */
const SHORT_TEXT = 120;

/** Shapes of values that were looked at: a look at a large one takes long, and its page asks again with each tab. */
const known = new WeakMap<object, Shape>();

export function shapeOf(value: unknown): Shape {
  if (typeof value !== 'object' || value === null) return shapeAnew(value);
  const shape = known.get(value) ?? shapeAnew(value);
  known.set(value, shape);
  return shape;
}

function shapeAnew(value: unknown): Shape {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || value instanceof ExactNumber)
    return { as: 'scalar', text: String(value) };
  if (typeof value === 'string')
    return isQasm(value)
      ? { as: 'qasm', text: value }
      : value.includes('\n') || value.length > SHORT_TEXT
        ? { as: 'text', text: value }
        : { as: 'scalar', text: value };
  if (Array.isArray(value)) return shapeOfList(value) ?? { as: 'tree' };
  if (typeof value === 'object') {
    const graph = graphOf(value as Row);
    return graph ? { as: 'graph', graph } : (histogramOf(value as Row) ?? { as: 'tree' });
  }
  return { as: 'tree' };
}

/** Counts of measured states: every name is a bit string or a hexadecimal number, every value a number that is not negative. */
function histogramOf(value: Row): Shape | null {
  const entries = Object.entries(value);
  if (entries.length === 0) return null;
  const counts: [string, number][] = [];
  let width: number | null = null;
  for (const [state, count] of entries) {
    const number = toNumber(count);
    if (number === null || number < 0 || !/^(?:[01](?:[01 ]*[01])?|0x[0-9a-f]+)$/i.test(state)) return null;
    // Bit strings all have one length; names of other lengths are decimal numbers.
    if (!state.startsWith('0x') && width !== null && state.length !== width) return null;
    width = state.length;
    counts.push([state, number]);
  }
  return { as: 'histogram', counts };
}

function shapeOfList(list: readonly unknown[]): Shape | null {
  if (list.length === 0) return null;
  const numbers = numbersOf(list);
  if (numbers) return list.length > 1 ? { as: 'line', numbers } : null;
  if (list.every((row) => Array.isArray(row))) {
    const rows = list.map((row) => numbersOf(row));
    const [first] = rows;
    const isMatrix =
      first &&
      first.length > 1 &&
      rows.length > 1 &&
      Math.max(rows.length, first.length) <= LARGEST_MATRIX &&
      rows.every((row) => row?.length === first.length);
    return isMatrix ? { as: 'matrix', rows: rows as number[][] } : null;
  }
  if (!list.every(isRow)) return null;
  const columns = [...new Set(list.flatMap((row) => Object.keys(row)))];
  return columns.length === 0 || columns.length > MOST_COLUMNS ? null : { as: 'table', columns, rows: list };
}

function numbersOf(list: readonly unknown[]): number[] | null {
  const numbers = list.map(toNumber);
  return numbers.every((one) => one !== null && Number.isFinite(one)) ? (numbers as number[]) : null;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** Rows as CSV (RFC 4180). A cell that a spreadsheet would take for a formula is marked as text. */
export function csvOf(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cell = (value: unknown): string => {
    if (value === undefined || value === null) return '';
    const text = textOf(value);
    const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** A cell of a table: texts and numbers as they are, anything larger as JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return value instanceof ExactNumber ? value.text : JSON.stringify(value);
}
