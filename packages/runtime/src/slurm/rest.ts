import { readFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { boundedText } from '../bounded-text.ts';
import { messageOf } from '../errors.ts';
import { RuntimeUnavailable, StartRefused } from '../types.ts';
import { notTaken } from './waiting.ts';
import {
  ANSWER_BYTES,
  ANSWER_MS,
  byName,
  type QueuedJob,
  type Slurm,
  type SlurmState,
  type Submission,
} from './slurm.ts';

/** The REST interface of a cluster, `slurmrestd`. */
export interface SlurmRestSettings {
  /** Its address, `https://slurm:6820`. */
  readonly url: string;
  /** File with a token of the user that jobs run as. It is read for each request, because tokens are renewed. */
  readonly tokenFile: string;
  /** Version of the interface, `v0.0.38`. */
  readonly version: string;
  /** Certificates of its authority; null for those of this machine. */
  readonly caFile: string | null;
}

/** Members of a job by the options of sbatch that mean the same. Others have no counterpart that is known here. */
const MEMBERS: Readonly<Record<string, { readonly name: string; readonly kind: 'TEXT' | 'NUMBER' | 'FLAG' }>> = {
  account: { name: 'account', kind: 'TEXT' },
  constraint: { name: 'constraints', kind: 'TEXT' },
  gpus: { name: 'gpus', kind: 'TEXT' },
  gres: { name: 'gres', kind: 'TEXT' },
  hold: { name: 'hold', kind: 'FLAG' },
  licenses: { name: 'licenses', kind: 'TEXT' },
  nice: { name: 'nice', kind: 'NUMBER' },
  partition: { name: 'partition', kind: 'TEXT' },
  qos: { name: 'qos', kind: 'TEXT' },
  reservation: { name: 'reservation', kind: 'TEXT' },
  time: { name: 'time_limit', kind: 'NUMBER' },
};

/** Returns the option that the REST interface has no member for, or no such value; null when it takes each. */
export function unknownToRest(options: readonly string[]): string | null {
  return options.find((option) => !isTaken(option)) ?? null;
}

/** A time is a number of minutes here: 1:00:00 is a form of sbatch alone. */
function isTaken(option: string): boolean {
  const member = MEMBERS[nameOf(option)];
  if (member?.kind !== 'NUMBER') return member !== undefined;
  return /=-?\d+$/.test(option);
}

/**
 * The member of a job that is never started again. Up to version 0.0.38, `requeue` asks for it whatever its value, and
 * the member that forbids it is in no description of the interface.
 */
function onceIn(version: string): Readonly<Record<string, boolean>> {
  const [major = 0, minor = 0, patch = 0] = version.slice(1).split('.').map(Number);
  return major === 0 && minor === 0 && patch <= 38 ? { no_requeue: true } : { requeue: false };
}

interface Answer {
  readonly job_id?: number;
  readonly jobs?: readonly Job[];
  readonly errors?: readonly { readonly error?: string; readonly description?: string }[];
}

interface Job {
  readonly job_id: number;
  readonly name?: string;
  readonly user_name?: string;
  readonly job_state?: string | readonly string[];
  readonly state_reason?: string;
  /** In the place of these, in the accounting. */
  readonly state?: { readonly current?: string | readonly string[] };
}

/** Slurm over HTTP: nothing of Slurm is needed on this machine. */
export class SlurmRest implements Slurm {
  readonly #settings: SlurmRestSettings;

  constructor(settings: SlurmRestSettings) {
    this.#settings = settings;
  }

  async submit(one: Submission): Promise<string> {
    const given = Object.fromEntries(
      one.options.map((option): [string, string | number | boolean] => {
        const member = MEMBERS[nameOf(option)];
        if (member === undefined) throw new StartRefused(`${nameOf(option)} is no option of the REST interface.`);
        const value = option.slice(option.indexOf('=') + 1);
        return [member.name, member.kind === 'FLAG' ? true : member.kind === 'NUMBER' ? Number(value) : value];
      }),
    );
    const job = {
      name: one.name,
      current_working_directory: one.folder,
      standard_output: one.output,
      environment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      memory_per_node: one.memoryMb,
      cpus_per_task: one.cpus,
      tasks: 1,
      time_limit: one.minutes,
      ...onceIn(this.#settings.version),
      ...(one.gpus !== null && { gpus: one.gpus }),
      ...given,
    };
    const { status, body } = await this.#ask('POST', 'job/submit', { script: readFileSync(one.script, 'utf8'), job });
    if (status >= 300) throw notTaken(wordsOf(body, status));
    if (body.job_id === undefined) throw new RuntimeUnavailable('slurmrestd answered without the id of a job.');
    return String(body.job_id);
  }

  async queue(prefix: string): Promise<Map<string, QueuedJob>> {
    const { status, body } = await this.#ask('GET', 'jobs');
    if (status >= 300) throw new Error(wordsOf(body, status));
    const user = userOf(readFileSync(this.#settings.tokenFile, 'utf8').trim());
    const jobs = (body.jobs ?? []).filter((job) => user !== null && job.user_name === user);
    return byName(
      prefix,
      jobs.map((job) => ({ name: job.name ?? '', id: String(job.job_id), ...stateOf(job) })),
    );
  }

  async state(id: string, name: string): Promise<SlurmState | null> {
    const { status, body } = await this.#ask('GET', `job/${id}`);
    const job = body.jobs?.find(({ job_id: one }) => String(one) === id);
    if (job?.name === name) return stateOf(job);
    if (status < 300 || status === 404 || /invalid job id/i.test(wordsOf(body, status)))
      return this.#accounted(id, name);
    throw new Error(wordsOf(body, status));
  }

  /** The state that the accounting keeps; null for a cluster without one, or where slurmrestd does not offer it. */
  async #accounted(id: string, name: string): Promise<SlurmState | null> {
    const { status, body } = await this.#ask('GET', `job/${id}`, undefined, 'slurmdb');
    if (status >= 300) return null;
    if (body.errors !== undefined && body.errors.length > 0)
      throw new RuntimeUnavailable(`The accounting of Slurm is away: ${wordsOf(body, status)}`);
    const found = body.jobs?.find((job) => String(job.job_id) === id && job.name === name)?.state?.current;
    const state = typeof found === 'string' ? found : found?.[0];
    return state === undefined ? null : { state, reason: 'None' };
  }

  /** Does nothing: a signal over REST reaches the program of the execution as well. The job looks by itself. */
  async signal(): Promise<void> {}

  async cancel(id: string, name: string): Promise<void> {
    if ((await this.state(id, name)) === null) return;
    const { status, body } = await this.#ask('DELETE', `job/${id}`);
    const words = wordsOf(body, status);
    if (status >= 300 && status !== 404 && !/invalid job id|already/i.test(words)) throw new Error(words);
  }

  async #ask(
    method: string,
    path: string,
    given?: unknown,
    part: 'slurm' | 'slurmdb' = 'slurm',
  ): Promise<{ status: number; body: Answer }> {
    const { url, version, tokenFile, caFile } = this.#settings;
    const where = new URL(`/${part}/${version}/${path}`, url);
    const sent = given === undefined ? null : JSON.stringify(given);
    let status: number;
    let text: string;
    try {
      const token = readFileSync(tokenFile, 'utf8').trim();
      const user = userOf(token);
      const headers = {
        'x-slurm-user-token': token,
        // slurmrestd asks for the user beside the token.
        ...(user !== null && { 'x-slurm-user-name': user }),
        ...(sent !== null && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      };
      const options = { method, headers, signal: AbortSignal.timeout(ANSWER_MS) };
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const request =
          where.protocol === 'https:'
            ? https.request(where, { ...options, ...(caFile !== null && { ca: readFileSync(caFile) }) })
            : http.request(where, options);
        request
          .once('response', resolve)
          .once('error', reject)
          .end(sent ?? undefined);
      });
      status = answer.statusCode ?? 0;
      text = await boundedText(answer, ANSWER_BYTES);
    } catch (error) {
      throw new RuntimeUnavailable(`Slurm is away: slurmrestd at ${url} is not reached: ${messageOf(error)}`);
    }
    const body = parsed(text);
    if (status === 401 || status === 403)
      throw new RuntimeUnavailable(`slurmrestd does not accept the token in ${tokenFile}: it may have expired.`);
    if (status === 429 || status >= 502 || /Unable to contact|timed out|not responding/i.test(wordsOf(body, status)))
      throw new RuntimeUnavailable(`Slurm is away: ${wordsOf(body, status)}`);
    return { status, body };
  }
}

function nameOf(option: string): string {
  return option.replace(/^--/, '').split('=')[0] ?? '';
}

function stateOf({ job_state: state, state_reason: reason }: Job): SlurmState {
  return { state: (typeof state === 'string' ? state : state?.[0]) ?? 'UNKNOWN', reason: reason ?? 'None' };
}

function wordsOf({ errors = [] }: Answer, status: number): string {
  const said = errors.map(({ error, description }) => [description, error].filter(Boolean).join(': '));
  return said.join('; ').slice(0, 500) || `status ${status}`;
}

/** The user that a token names; null for one that names none. */
function userOf(token: string): string | null {
  try {
    const said = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sun?: unknown; username?: unknown }; // prettier-ignore
    const user = said.sun ?? said.username;
    return typeof user === 'string' ? user : null;
  } catch {
    return null;
  }
}

function parsed(text: string): Answer {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return { errors: [{ error: text.slice(0, 200) }] };
  }
}
