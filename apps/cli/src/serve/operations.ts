import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { isFinal, limits, type ServiceExecution } from '@kethub/contract';
import type { DataPoolMount, ExecutionJob } from '@kethub/runtime/local';
import {
  dataPoolNames,
  downloadHeaders,
  etag,
  executionLinks,
  isFresh,
  LongValue,
  mediaTypeOf,
  notModifiedHeaders,
  parseInput,
  preferredWait,
  presentProgress,
  Problem,
  requestedRange,
  RESULT_FILE_POLICY,
  resultLinks,
  unknownParameters,
  withMembers,
  type ExecutionInput,
} from '@kethub/service-api';
import { JUDGED_BYTES, checkInput } from '@kethub/service-api/input-rules';
import { json, readJsonBody, type LocalAnswer } from './answers.ts';
import { resultText, type LocalExecution, type LocalExecutions } from './executions.ts';
import { answerLog } from './log-answer.ts';
import type { LoadedService, ServedService } from './service.ts';

export interface OperationOptions {
  readonly service: ServedService;
  readonly executions: LocalExecutions;
  /** The names of the gateway only, without `created_at`, `started_at` and `ended_at`. */
  readonly strict: boolean;
  readonly limits: ExecutionJob['limits'];
  /** Hosts that the service may call in the sandbox. */
  readonly hosts: readonly string[];
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** Secrets for parameters that a request gives none for. */
  readonly secrets: () => Promise<Readonly<Record<string, string>>>;
  /** The folder for a parameter that takes a data pool; null when none is mapped. */
  readonly dataPool: (parameter: string) => Promise<Omit<DataPoolMount, 'parameter'> | null>;
}

/** A request for one of the operations. `address` is the service endpoint that was called, without a slash at its end. */
export interface OperationRequest {
  readonly request: IncomingMessage;
  readonly address: string;
  readonly query: URLSearchParams;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The operations of the managed-service interface, on one project. */
export class Operations {
  readonly #options: OperationOptions;

  constructor(options: OperationOptions) {
    this.#options = options;
  }

  list({ address, query }: OperationRequest): LocalAnswer {
    const limit = wholeNumber(query, 'limit');
    const cursor = query.get('cursor');
    const tag = query.get('tag');
    if (cursor !== null && !UUID.test(cursor)) throw invalid('cursor', 'must be the id of an execution');
    const all = this.#options.executions
      .list()
      .filter((one) => tag === null || one.tags.includes(tag))
      .filter((one) => cursor === null || one.id < cursor);
    const page = limit === null ? all : all.slice(0, limit);
    const last = page.at(-1);
    const more = limit !== null && all.length > limit && last !== undefined;
    const next = `${address}/${tag === null ? '?' : `?tag=${encodeURIComponent(tag)}&`}limit=${limit}&cursor=${last?.id ?? ''}`;
    const body = page.map((one) => ({ ...this.present(one), _links: executionLinks(address, one.id) }));
    return { status: 200, headers: { ...json, ...(more && { link: `<${next}>; rel="next"` }) }, body };
  }

  async start({ request, address }: OperationRequest): Promise<LocalAnswer> {
    const { executions, service } = this.#options;
    const bytes = await readJsonBody(request);
    const key = keyOf(request, bytes);
    const earlier = key === null ? undefined : executions.findByKey(key.name);
    if (key !== null && earlier !== undefined && earlier.key?.digest !== key.digest)
      throw new Problem('idempotency-key-reused', 'This Idempotency-Key was sent before with another body.');
    const execution = earlier ?? (await this.#accept(await service.require(), bytes, key));
    const seconds = preferredWait(request.headers.prefer);
    const created = this.present({ ...execution, status: 'PENDING', started_at: null, ended_at: null });
    if (seconds > 0) await this.#changed(request, execution, seconds, () => isFinal(execution.status));
    return {
      status: 201,
      headers: { location: `${address}/${execution.id}`, ...waited(seconds) },
      body: seconds > 0 ? this.present(execution) : created,
    };
  }

  async status({ request }: OperationRequest, id: string): Promise<LocalAnswer> {
    const execution = this.#find(id);
    const seconds = preferredWait(request.headers.prefer);
    const before = execution.status;
    if (seconds > 0 && !isFinal(before))
      await this.#changed(request, execution, seconds, () => execution.status !== before);
    const tag = etag(execution.status);
    if (isFresh(request, tag)) return { status: 304, headers: { etag: tag } };
    return { status: 200, headers: { ...json, etag: tag, ...waited(seconds) }, body: this.present(execution) };
  }

  async result({ address }: OperationRequest, id: string): Promise<LocalAnswer> {
    const execution = this.#ended(id);
    const end = this.#options.executions.end(execution.id);
    const members = JSON.stringify({
      _links: resultLinks(address, execution.id, this.#files(execution)),
      _embedded: { status: this.present(execution) },
    });
    const own = execution.cause === null && end ? await resultText(end) : JSON.stringify(execution.cause ?? {});
    return { status: 200, headers: json, body: withMembers(own, members) };
  }

  resultFile({ request }: OperationRequest, id: string, name: string): LocalAnswer {
    const file = this.#files(this.#ended(id)).find((one) => one.name === name);
    if (!file) throw new Problem('result-file-not-found', `The execution has no result file ${JSON.stringify(name)}.`);
    const tag = etag(createHash('sha256').update(`${id} ${name}`).digest('hex').slice(0, 32));
    if (isFresh(request, tag)) return { status: 304, headers: notModifiedHeaders(tag) };
    const mediaType = mediaTypeOf(name);
    const described = { name, tag, bytes: file.bytes, mediaType, contentSecurityPolicy: RESULT_FILE_POLICY };
    const range = requestedRange(request, file.bytes, tag);
    if (range === null)
      return { status: 200, headers: downloadHeaders(described, file.bytes), body: createReadStream(file.path) };
    const { from, to } = range;
    const headers = {
      ...downloadHeaders(described, to - from + 1),
      'content-range': `bytes ${from}-${to}/${file.bytes}`,
    };
    return { status: 206, headers, body: createReadStream(file.path, { start: from, end: to }) };
  }

  log({ request }: OperationRequest, id: string): LocalAnswer {
    return answerLog(this.#options.executions, this.#find(id), request);
  }

  cancel(id: string): LocalAnswer {
    const execution = this.#find(id);
    this.#options.executions.cancel(execution);
    return { status: 200, body: this.present(execution) };
  }

  /** The status object, with the names of the specification's local server as well unless it is strict. */
  present(execution: LocalExecution): ServiceExecution {
    const status: ServiceExecution = { ...presentProgress(execution), type: 'MANAGED' };
    if (execution.tags.length > 0) status.tags = [...execution.tags];
    if (this.#options.strict) return status;
    const { createdAt: created_at, startedAt: started_at, endedAt: ended_at } = status;
    return Object.assign(status, { created_at, ...(started_at && { started_at }), ...(ended_at && { ended_at }) });
  }

  async #accept(loaded: LoadedService, bytes: Buffer, key: LocalExecution['key']): Promise<LocalExecution> {
    const { parameters, code, rules } = loaded;
    const input = await parseInput(bytes, dataPoolNames(parameters), parameters);
    const given = input.secrets ?? {};
    const usual = Object.entries(await this.#options.secrets()).filter(
      // A container names no parameters: it gets all of them.
      ([name]) => !(name in given) && (parameters === unknownParameters || parameters.secrets.includes(name)),
    );
    const secrets = { ...Object.fromEntries(usual), ...given };
    if (input.bytes.length <= JUDGED_BYTES) {
      const members = await input.read();
      checkInput(rules, { members, secrets }, rules.validator?.check(members, input.bytes.length) ?? []);
    }
    const job = {
      code,
      input: input.bytes.toString('utf8'),
      secrets,
      environment: { ...(await this.#options.environment()) },
      dataPools: await this.#pools(input),
      limits: this.#options.limits,
      hosts: this.#options.hosts,
    };
    return this.#options.executions.start(job, input.tags, key);
  }

  async #pools({ references }: ExecutionInput): Promise<DataPoolMount[]> {
    const pools: DataPoolMount[] = [];
    for (const [parameter, value] of Object.entries(references)) {
      if (value === null) continue;
      requireReference(parameter, value);
      const pool = await this.#options.dataPool(parameter);
      if (pool === null)
        throw new Problem(
          'data-pool-not-readable',
          `No folder stands for the data pool "${parameter}". Start with --data-pool ${parameter}=<folder>, or make the folder datapool/${parameter}.`,
        );
      pools.push({ parameter, ...pool });
    }
    return pools;
  }

  #files(execution: LocalExecution) {
    return this.#options.executions.end(execution.id)?.files ?? [];
  }

  #find(id: string): LocalExecution {
    if (!UUID.test(id)) throw invalid('id', 'must be a UUID');
    const execution = this.#options.executions.find(id);
    if (execution) return execution;
    throw new Problem('execution-not-found', `There is no execution ${id} of this service here.`);
  }

  #ended(id: string): LocalExecution {
    const execution = this.#find(id);
    if (isFinal(execution.status)) return execution;
    throw new Problem(
      'result-not-available',
      `The execution is ${execution.status}. The result is there once it has ended.`,
    );
  }

  /** Waits until the execution has changed as wanted, the time is up, or the caller has gone. */
  async #changed(
    request: IncomingMessage,
    execution: LocalExecution,
    seconds: number,
    isOver: () => boolean,
  ): Promise<void> {
    const stop = new AbortController();
    const { changes } = this.#options.executions;
    const look = (): void => {
      if (isOver()) stop.abort();
    };
    const gone = (): void => {
      stop.abort();
    };
    changes.on(execution.id, look);
    request.socket.once('close', gone);
    look();
    await pause(seconds * 1000, null, { signal: stop.signal }).catch(() => undefined);
    changes.off(execution.id, look);
    request.socket.off('close', gone);
  }
}

function waited(seconds: number): Record<string, string> {
  return seconds > 0 ? { 'preference-applied': `wait=${seconds}` } : {};
}

function keyOf({ headers }: IncomingMessage, body: Buffer): LocalExecution['key'] {
  const name = headers['idempotency-key'];
  if (typeof name !== 'string' || name === '') return null;
  if (name.length > limits.idempotencyKeyLength)
    throw invalid('Idempotency-Key', `may have at most ${limits.idempotencyKeyLength} characters`);
  return { name, digest: createHash('sha256').update(body).digest('hex') };
}

function wholeNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= limits.pageSize) return Number(text);
  throw invalid(name, `must be a whole number from 1 to ${limits.pageSize}`);
}

function invalid(name: string, detail: string): Problem {
  return new Problem('invalid-request', `\`${name}\` ${detail}.`, { errors: [{ pointer: `/${name}`, detail }] });
}

function requireReference(parameter: string, value: unknown): void {
  const { id, ref } = (typeof value === 'object' && value !== null ? value : {}) as { id?: unknown; ref?: unknown };
  const isMark = typeof ref === 'string' && ref.toUpperCase() === 'DATAPOOL';
  if (!(value instanceof LongValue) && typeof id === 'string' && UUID.test(id) && isMark) return;
  throw invalid(parameter, 'must be a reference to a data pool: {"id": "<uuid>", "ref": "DATAPOOL"}');
}
