import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
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
      random: () => fractionOf(draw(machine)),
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
function draw(machine: Machine): Uint8Array {
  const { seed } = machine.state;
  return sha256(utf8ToBytes(`${seed}:${machine.state.draws++}`));
}

/** The first 48 bits as a number from 0 to below 1. */
function fractionOf(bytes: Uint8Array): number {
  return bytes.subarray(0, 6).reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 48;
}

function uuidOf(bytes: Uint8Array): string {
  const id = bytes.slice(0, 16);
  id[6] = ((id[6] ?? 0) & 0x0f) | 0x40;
  id[8] = ((id[8] ?? 0) & 0x3f) | 0x80;
  return bytesToHex(id).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
