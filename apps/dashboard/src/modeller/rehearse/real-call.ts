import type { ServiceExecution } from '@kethub/contract';
import type { ActingContext } from '../../data/context.tsx';
import { parseExact, writeExact } from '../../data/exact-json.ts';
import { isEnded } from '../../data/queries.ts';
import type { Waiting } from '../check/protocol.ts';

/** Seconds that one request waits for the end of an execution. */
const WAIT_SECONDS = 20;

export interface Answered {
  readonly kind: 'succeed' | 'fail';
  /** The result, or the answer of the failure, as JSON. */
  readonly text: string;
}

/**
 * Calls the service of a task as the person and waits for its end. `input` is that of the rehearsal, whose `$secrets`
 * take the place of their names.
 */
export async function callForReal(
  acting: ActingContext,
  waiting: Waiting & { readonly kind: 'job' },
  input: string,
  signal: AbortSignal,
): Promise<Answered> {
  const { platform } = acting;
  const { serviceId, serviceVersion: version } = waiting;
  const jsonText = withSecrets(waiting.input, input);
  const headers = { prefer: `wait=${WAIT_SECONDS}`, 'idempotency-key': crypto.randomUUID() };
  let execution: ServiceExecution =
    version === null
      ? await platform.startJob({ serviceId, jsonText, headers, signal })
      : await platform.startJobOfVersion({ serviceId, version, jsonText, headers, signal });
  const executionId = execution.id;
  while (!isEnded(execution)) {
    const response = await platform.getOwnedExecution.response({
      executionId,
      headers: { prefer: headers.prefer },
      signal,
    });
    execution = (await response.json()) as ServiceExecution;
  }
  return {
    kind: execution.status === 'SUCCEEDED' ? 'succeed' : 'fail',
    text: await resultOf(acting, executionId, signal),
  };
}

/** The result of an execution, or the cause of its failure, as a workflow gets it: without links. */
export async function resultOf(
  { platform }: ActingContext,
  executionId: string,
  signal?: AbortSignal,
): Promise<string> {
  const response = await platform.getOwnedResult.response({ executionId, ...(signal && { signal }) });
  const value = parseExact(await response.text());
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return writeExact(value);
  const { _links, _embedded, ...result } = value as Readonly<Record<string, unknown>>;
  return writeExact(result);
}

/** The input of a task with the values of the secrets that it names. Throws an error that says which one is missing. */
export function withSecrets(taskInput: string, input: string): string {
  const task = parseExact(taskInput) as Readonly<Record<string, unknown>>;
  const named = task['$secrets'];
  if (typeof named !== 'object' || named === null) return taskInput;
  const given = (parseExact(input) as { readonly $secrets?: Readonly<Record<string, unknown>> }).$secrets ?? {};
  const $secrets = Object.fromEntries(
    Object.entries(named).map(([entry, value]) => {
      const name = String((value as { readonly $secret?: unknown }).$secret);
      if (!Object.hasOwn(given, name))
        throw new Error(`The service needs the secret ${name}: put it below "$secrets" of the input, and start again.`);
      return [entry, given[name]];
    }),
  );
  return writeExact({ ...task, $secrets }, 0);
}
