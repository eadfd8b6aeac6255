import { readFileSync } from 'node:fs';
import { parseDate, parseDateTime, parseDuration, parseTime } from '../temporal/parse.ts';
import { newContext } from '../values/kind.ts';
import { parseNumber } from '../values/number.ts';
import type { Context, Value } from '../values/value.ts';

/** A value with its type; those that JSON has no form for are texts. */
interface TypedValue {
  type: string;
  value?: unknown;
}

/** One case: an expression, its variables, and what it must evaluate to. */
export interface Case {
  id: string;
  group: string;
  expression: string;
  context: Readonly<Record<string, TypedValue>>;
  expected: TypedValue;
}

/** Reads a file with one case a line. */
export function readCases(file: string): Case[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Case);
}

const READERS: Readonly<Record<string, (text: string) => Value>> = {
  number: parseNumber,
  string: (text) => text,
  boolean: (text) => text === 'true',
  date: parseDate,
  time: parseTime,
  'date and time': parseDateTime,
  duration: parseDuration,
  'days and time duration': parseDuration,
  'years and months duration': parseDuration,
};

export function valueOf({ type, value }: TypedValue): Value {
  if (type === 'null' || value === undefined || value === null) return null;
  if (type === 'list') return (value as TypedValue[]).map(valueOf);
  if (type === 'context') return contextOf(value as Record<string, TypedValue>);
  const read = READERS[type];
  if (!read) throw new Error(`There is no type "${type}" of values.`);
  return read(typeof value === 'string' ? value : JSON.stringify(value));
}

export function contextOf(members: Readonly<Record<string, TypedValue>>): Context {
  const context = newContext();
  for (const [name, value] of Object.entries(members)) context[name] = valueOf(value);
  return context;
}

/** The names of all variables and members, which may contain spaces and signs. */
export function namesIn(members: Readonly<Record<string, TypedValue>>): string[] {
  return Object.entries(members).flatMap(([name, value]) => [name, ...namesOf(value)]);
}

function namesOf({ type, value }: TypedValue): string[] {
  if (type === 'list') return (value as TypedValue[]).flatMap(namesOf);
  return type === 'context' ? namesIn(value as Record<string, TypedValue>) : [];
}
