import type { ServiceParameter, ValidationError } from '@kethub/contract';
import { invalidSentence } from '@kethub/contract/validation-errors';
import type { Static } from 'typebox';
import { Problem } from '../http/problem.ts';
import { acceptedSchema } from './accepted-schema.ts';
import { problemOfSchema, type RequestSchema } from './schema.ts';

/** Bytes of an input. A longer one is judged by the program alone. */
export const JUDGED_BYTES = 256 * 1024;

type Parameter = Static<typeof ServiceParameter>;

/** Conditions of an input that `run` can take. */
export interface InputRules {
  /** Parameters that `run` cannot do without. */
  readonly required: readonly Parameter[];
  /** Null: no schema judges the values. */
  readonly schema: RequestSchema | null;
}

/** The values and secrets of an input. */
export interface GivenInput {
  readonly members: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>> | null;
}

/** The rules of a version. One that was built before parameters said what they accept has none. */
export function inputRules(parameters: readonly Parameter[]): InputRules {
  const described = parameters.filter(({ accepts }) => accepts !== undefined);
  const schema = acceptedSchema(described);
  return {
    required: described.filter(({ required, kind }) => required && kind !== 'other'),
    schema: schema !== null && problemOfSchema(schema) === null ? schema : null,
  };
}

/**
 * Throws invalid-request, with every place, for an input that `run` would refuse.
 * @param judged errors of the values by the schema of the rules.
 */
export function checkInput(
  { required }: Pick<InputRules, 'required'>,
  given: GivenInput,
  judged: readonly ValidationError[],
): void {
  const missing = required.filter((one) => isMissing(one, given)).map(absent);
  const errors = [...missing, ...clearest(judged)];
  if (errors.length === 0) return;
  const sentence = invalidSentence(errors.slice(0, 5), 'The input');
  throw new Problem('invalid-request', `The input does not fit the parameters of the service. ${sentence}`, { errors });
}

/** Returns whether neither the input nor, where it may be there, a secret has the name of the parameter. */
function isMissing({ name, kind, annotation }: Parameter, { members, secrets }: GivenInput): boolean {
  const isSecret = secrets !== null && Object.hasOwn(secrets, name);
  if (kind === 'secret') return !isSecret;
  return !Object.hasOwn(members, name) && !(isSecret && (annotation ?? null) === null);
}

function absent({ name, kind }: Parameter): ValidationError {
  const member = `/${name}`;
  if (kind === 'secret') return { pointer: `/$secrets${member}`, detail: 'is missing' };
  return { pointer: member, detail: kind === 'dataPool' ? 'is missing: a reference to a data pool' : 'is missing' };
}

/** The errors without those that repeat, for a union, what its alternatives say. */
function clearest(errors: readonly ValidationError[]): ValidationError[] {
  const isVague = ({ detail }: ValidationError): boolean =>
    detail === 'must be null' || detail === 'has none of the forms that are allowed here';
  const clear = errors.filter((one) => !isVague(one));
  const isSaid = ({ pointer }: ValidationError): boolean =>
    clear.some((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`));
  return errors.filter((one) => !isVague(one) || !isSaid(one));
}
