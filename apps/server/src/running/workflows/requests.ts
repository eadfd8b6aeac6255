import type { InputParameters } from '@kethub/service-api';
import { invalidSentence } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import type { ExecutionInput } from '../executions/index.ts';
import {
  createRequestCheck,
  findWorkflowVersion,
  requirementsIn,
  type RequestCheck,
} from '../../catalog/services/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Requirements } from '@kethub/workflow';

const REMEMBERED = 1_000;
/** Nesting depth of an input, as of variables. A deeper one is refused with invalid-request. */
const MOST_DEPTH = 200;

interface Known {
  /** Null: every object is accepted. */
  readonly schema: RequestCheck | null;
  /** The messages, signals and timers that start the workflow, when nothing else does. */
  readonly startedBy: string | null;
  readonly parameters: InputParameters;
}

/** Validates inputs against the Request Schema of a version. The schemas of published versions are compiled once. */
export class Requests {
  readonly #platform: Platform;
  readonly #known = new Map<string, Known>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** The names that a version takes in its input and in `$secrets`. Throws conflict. */
  async parameters(serviceVersionId: string): Promise<InputParameters> {
    return (this.#known.get(serviceVersionId) ?? (await this.#load(serviceVersionId))).parameters;
  }

  /** Throws invalid-request with every error of the input, and too-many-requests. */
  async check(serviceVersionId: string, input: ExecutionInput): Promise<void> {
    if (input.depth > MOST_DEPTH)
      throw new Problem('invalid-request', `The input of a workflow may be nested ${MOST_DEPTH} deep at most.`);
    const { schema, startedBy } = this.#known.get(serviceVersionId) ?? (await this.#load(serviceVersionId));
    if (startedBy !== null)
      throw new Problem('invalid-request', `This workflow has no plain start event. It is started by ${startedBy}.`);
    if (!schema) return;
    const errors = await schema.check(() => input.read(), input.bytes);
    if (errors.length === 0) return;
    const sentence = invalidSentence(errors.slice(0, 5), 'The input');
    throw new Problem('invalid-request', `The input does not fit the Request Schema of the workflow. ${sentence}`, {
      errors,
    });
  }

  async #load(id: string): Promise<Known> {
    const { read } = this.#platform.database;
    const row = await findWorkflowVersion(read, id);
    const version = await read.selectFrom('service_versions').select('state').where('id', '=', id).executeTakeFirst();
    const needs = row && requirementsIn(row);
    if (!needs) throw new Problem('conflict', 'This version of the workflow cannot be run: its file has problems.');
    const starts = needs.messageStarts.map(({ messageName }) => `the message ${messageName}`);
    starts.push(...needs.signalStarts.map(({ signalName }) => `the signal ${signalName}`));
    if (needs.timerStarts.length > 0) starts.push('a timer');
    const known: Known = {
      schema: needs.requestSchema && createRequestCheck(needs.requestSchema),
      startedBy: needs.startEvent === null ? starts.join(' or ') || 'nothing' : null,
      parameters: parametersOf(needs),
    };
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    if (version?.state === 'PUBLISHED') this.#known.set(id, known);
    return known;
  }
}

/**
 * A workflow takes the secrets that its tasks read. A name that the Request Schema declares takes a value as well.
 * Where it calls another workflow, that one may read others.
 */
function parametersOf({ secrets, requestSchema, calls }: Requirements): InputParameters {
  const properties = requestSchema?.['properties'];
  const declared = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return {
    dataPools: [],
    secrets: secrets.filter((name) => !declared.includes(name)),
    typed: [],
    untyped: secrets.filter((name) => declared.includes(name)),
    others: calls.length > 0,
    secretsApart: true,
  };
}
