import { invalidSentence, type ServiceParameter, type ValidationError } from '@kethub/contract';
import type { Static } from 'typebox';
import { Problem } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { createRequestCheck, problemsOfSchema, type RequestCheck } from '../workflow/index.ts';
import { acceptedSchema } from './accepted-schema.ts';

/** Bytes of an input. A longer one is judged by the program alone. */
const JUDGED_BYTES = 256 * 1024;
/** Characters of the parameters of a version. Longer schemas take too long to compile: the program alone judges. */
const LONGEST_PARAMETERS = 64 * 1024;
const REMEMBERED = 1_000;

type Parameter = Static<typeof ServiceParameter>;

/** An input as far as it is judged. */
export interface JudgedInput {
  readonly bytes: Uint8Array;
  readonly secrets: Readonly<Record<string, string>> | null;
  read(): Promise<Readonly<Record<string, unknown>>>;
}

interface Known {
  /** JSON from which it was read, or null once the version is published and cannot change. */
  readonly json: string | null;
  /** Names of the parameters that `run` cannot do without. */
  readonly required: readonly Parameter[];
  /** Null: no schema judges the values. */
  readonly check: RequestCheck | null;
}

const known = new WeakMap<Platform, Map<string, Known>>();

/**
 * Throws invalid-request, with every place, for an input that `run` of this version would refuse. An input that takes
 * long to judge passes, because the program judges it again.
 */
export async function requireFitting(platform: Platform, versionId: string, input: JudgedInput): Promise<void> {
  if (input.bytes.length > JUDGED_BYTES) return;
  const { required, check } = await parametersOf(platform, versionId);
  if (required.length === 0 && !check) return;
  const given = await input.read();
  const missing = required.filter((one) => isMissing(one, given, input)).map(absent);
  const judged = check ? await check.judge(() => Promise.resolve(given), input.bytes) : [];
  const errors = [...missing, ...(Array.isArray(judged) ? clearest(judged) : [])];
  if (errors.length === 0) return;
  const places = invalidSentence(errors.slice(0, 5), 'The input');
  throw new Problem('invalid-request', `The input does not fit the parameters of the service. ${places}`, { errors });
}

async function parametersOf(platform: Platform, versionId: string): Promise<Known> {
  const versions = known.get(platform) ?? new Map<string, Known>();
  known.set(platform, versions);
  const before = versions.get(versionId);
  if (before?.json === null) return before;
  const row = await platform.database.read
    .selectFrom('service_versions')
    .select(['parameters', 'state', 'runtime'])
    .where('id', '=', versionId)
    .executeTakeFirst();
  const json = row?.runtime === 'DOCKER' ? '[]' : (row?.parameters ?? '[]');
  const read = before?.json === json ? before : readParameters(json);
  if (versions.size >= REMEMBERED) versions.clear();
  versions.set(versionId, { ...read, json: row?.state === 'DRAFT' ? json : null });
  return read;
}

/** A version that was built before parameters said what they accept is judged by its program alone. */
function readParameters(json: string): Known {
  if (json.length > LONGEST_PARAMETERS) return { json, required: [], check: null };
  const parameters = JSON.parse(json) as readonly Parameter[];
  const described = parameters.filter(({ accepts }) => accepts !== undefined);
  const schema = acceptedSchema(described);
  const isUsable = schema !== null && problemsOfSchema(schema, null).length === 0;
  return {
    json,
    required: described.filter(({ required, kind }) => required && kind !== 'other'),
    check: isUsable ? createRequestCheck(schema) : null,
  };
}

/** Returns whether neither the input nor, where it may be there, a secret has the name of the parameter. */
function isMissing({ name, kind, annotation }: Parameter, given: object, { secrets }: JudgedInput): boolean {
  const isSecret = secrets !== null && Object.hasOwn(secrets, name);
  if (kind === 'secret') return !isSecret;
  return !Object.hasOwn(given, name) && !(isSecret && (annotation ?? null) === null);
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
