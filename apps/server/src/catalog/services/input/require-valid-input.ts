import type { ServiceParameter } from '@kethub/contract';
import { inputRules, JUDGED_BYTES, checkInput } from '@kethub/service-api/input-rules';
import type { Static } from 'typebox';
import type { Platform } from '../../../foundation/platform.ts';
import { createRequestCheck, type RequestCheck } from '../workflow/index.ts';

/** Characters of the parameters of a version. Longer schemas take too long to compile: the program alone judges. */
const LONGEST_PARAMETERS = 64 * 1024;
const REMEMBERED = 1_000;

type Parameter = Static<typeof ServiceParameter>;

/** An input as far as it is judged. */
interface JudgedInput {
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
export async function requireValidInput(platform: Platform, versionId: string, input: JudgedInput): Promise<void> {
  if (input.bytes.length > JUDGED_BYTES) return;
  const { required, check } = await parametersOf(platform, versionId);
  if (required.length === 0 && !check) return;
  const members = await input.read();
  const judged = check ? await check.judge(() => Promise.resolve(members), input.bytes) : [];
  checkInput({ required }, { members, secrets: input.secrets }, Array.isArray(judged) ? judged : []);
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

function readParameters(json: string): Known {
  if (json.length > LONGEST_PARAMETERS) return { json, required: [], check: null };
  const { required, schema } = inputRules(JSON.parse(json) as readonly Parameter[]);
  return { json, required, check: schema && createRequestCheck(schema) };
}
