import { createHash } from 'node:crypto';
import {
  ExactNumber,
  FeelBudgetError,
  toJson,
  type FeelFunction,
  type Scope,
  type Value as FeelValue,
} from '@kethub/feel';
import type { Expression } from '../expression.ts';
import type { IncidentType, Value } from '../types.ts';
import { isTooDeep, MAX_DEPTH } from './depth.ts';
import { Failure } from './failure.ts';
import type { Machine } from './machine.ts';

export interface Evaluated {
  readonly value: FeelValue;
  /** Warnings in brackets, to be added to a message; empty when there are none. */
  readonly noticed: string;
  readonly warned: boolean;
}

/** The purpose of an expression, for messages, and the type of incident when it fails. */
export interface Purpose {
  readonly what: string;
  readonly incident: IncidentType;
}

/**
 * Evaluates an expression. A part that is missing makes null and a warning; what goes beyond the budget is a failure.
 */
export function evaluate(
  machine: Machine,
  expression: Expression,
  scope: Scope,
  purpose: Purpose,
  functions?: ReadonlyMap<string, FeelFunction>,
): Evaluated {
  if (expression.compiled === null) return { value: expression.source, noticed: '', warned: false };
  try {
    const { value, warnings } = expression.compiled.evaluate(scope, {
      now: () => ({ epochMilliseconds: machine.env.now, timeZone: 'Etc/UTC' }),
      random: () => draw(machine).readUIntBE(0, 6) / 2 ** 48,
      uuid: () => uuidOf(draw(machine)),
      ...(functions === undefined ? {} : { functions }),
    });
    if (warnings.length > 0) machine.warn(expression.source, warnings);
    const first = warnings.find(({ code }) => code === 'ASSERT_FAILURE') ?? warnings[0];
    const noticed = first === undefined ? '' : ` (${first.message})`;
    if (warnings.some(({ code }) => code === 'ASSERT_FAILURE')) {
      throw new Failure(purpose.incident, `${purpose.what} failed${noticed}.`);
    }
    return { value, noticed, warned: warnings.length > 0 };
  } catch (error) {
    if (!(error instanceof FeelBudgetError)) throw error;
    throw new Failure(purpose.incident, `${purpose.what} needs too much: ${error.message}`);
  }
}

/** Evaluates to a value that can become a variable. */
export function evaluateJson(
  machine: Machine,
  expression: Expression,
  scope: Scope,
  purpose: Purpose,
  functions?: ReadonlyMap<string, FeelFunction>,
): Value {
  const value = toJson(evaluate(machine, expression, scope, purpose, functions).value);
  if (!isTooDeep(value)) return value;
  throw new Failure(purpose.incident, `${purpose.what} is nested more than ${MAX_DEPTH} deep.`);
}

/** Evaluates a condition; anything but true and false is a failure. */
export function evaluateBoolean(machine: Machine, expression: Expression, scope: Scope, purpose: Purpose): boolean {
  const { value, noticed } = evaluate(machine, expression, scope, purpose);
  if (typeof value === 'boolean') return value;
  throw new Failure(
    purpose.incident,
    `${purpose.what} has to be true or false, and is ${kindOf(toJson(value))}${noticed}.`,
  );
}

/** Evaluates to a text that is not empty. */
export function evaluateText(machine: Machine, expression: Expression, scope: Scope, purpose: Purpose): string {
  const { value, noticed } = evaluate(machine, expression, scope, purpose);
  const json = toJson(value);
  if (typeof json === 'string' && json !== '') return json;
  throw new Failure(purpose.incident, `${purpose.what} has to be a text, and is ${kindOf(json)}${noticed}.`);
}

/** The kind of a value, for messages. Never its content, which may be large or private. */
export function kindOf(value: Value): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof ExactNumber) return 'a number';
  if (value === '') return 'an empty text';
  const kinds: Record<string, string> = { boolean: 'a boolean', number: 'a number', string: 'a text' };
  return kinds[typeof value] ?? 'an object';
}

/** Draws random bytes, which are the same whenever the step is repeated. They cannot be predicted without the seed. */
function draw(machine: Machine): Buffer {
  const { seed } = machine.state;
  return createHash('sha256')
    .update(`${seed}:${machine.state.draws++}`)
    .digest();
}

function uuidOf(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
