import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, renameSync, truncateSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { quoted } from '../containers/handover.ts';
import { keepRecord, readRecord } from '../transfers/record.ts';
import { certificatesOf, type TransferTls } from '../transfers/tls.ts';
import { hashOf, isName, nameOf, takeFile, Transfers, type Reply, type Transfer } from '../transfers/transfers.ts';
import { StartRefused, type Limits } from '../types.ts';
import type { BatchJob, Mailbox } from './mailbox.ts';
import type { LinkSettings } from './platform-link.ts';

/** The way of batch jobs to the platform, where nodes share no folder with it. */
export interface StagingSettings {
  /** Address of the port as nodes see it, `https://kethub-worker:8091`. */
  readonly url: string;
  readonly port: number;
  readonly tls: TransferTls | null;
}

const RECORD = 'staging.json';
/** Bytes of one piece of a log, and of a reason why a job could not start. */
const PIECE_BYTES = 1024 * 1024;
/** Bytes of the record of an end. */
const END_BYTES = 4 * 1024 * 1024;
/** Factor over the limits of an execution that is taken: the node has judged what was too much. */
const TOLERANCE = 2;
/** Bytes of a log and files of an output beyond their limits: lines have times, and a result is a file. */
const MORE_BYTES = 16 * 1024 * 1024;
const MORE_FILES = 1_000;

/** The record from which the next platform goes on. It holds no secrets. */
interface Kept {
  readonly tokenHash: string;
  readonly parts: Transfer['parts'];
  readonly pools: Readonly<Record<string, string>>;
  readonly limits: Limits;
  /** The job that may run the execution. */
  readonly job?: string;
}

/** Serves batch jobs on nodes that share no folder: they fetch their input here, and bring what they left. */
export class Staging {
  readonly #settings: StagingSettings;
  readonly #transfers: Transfers;
  readonly #open = new Map<string, () => void>();

  constructor(settings: StagingSettings) {
    this.#settings = settings;
    this.#transfers = new Transfers();
  }

  /** @throws when the port is taken. */
  async listen(): Promise<void> {
    await this.#transfers.listen(this.#settings.port, this.#settings.tls);
  }

  /** Keeps a job in a new mailbox. The batch script has the way to us on its standard input, so that no list shows it. */
  make(mailbox: Mailbox, job: BatchJob, command: readonly string[]): void {
    if ('image' in job.code) throw new StartRefused('A service with a Dockerfile cannot be a job.');
    const token = randomBytes(32).toString('hex');
    const part = (from: string): { from: string; to: string } => ({ from, to: '' });
    const pools: Record<string, string> = {};
    const dataPools = job.dataPools.map((pool, index) => {
      if (!pool.writable) return pool;
      pools[String(index)] = path.join(mailbox.folder, 'pools', String(index));
      return { ...pool, path: pools[String(index)] ?? '' };
    });
    const kept: Kept = {
      tokenHash: hashOf(token),
      parts: {
        app: part(job.code.sourceDir),
        ...(job.code.layerDir !== null && { deps: part(job.code.layerDir) }),
        ...Object.fromEntries(job.dataPools.map((pool, index) => [`pool${index}`, part(pool.path)])),
      },
      pools,
      limits: job.limits,
    };
    const link: LinkSettings = {
      url: this.#settings.url,
      executionId: job.executionId,
      token,
      ca: certificatesOf(this.#settings.tls),
    };
    const script = `#!/bin/sh\nexec ${command.map(quoted).join(' ')} <<'END'\n${JSON.stringify(link)}\nEND\n`;
    mailbox.make({ ...job, dataPools }, script, null);
    for (const folder of Object.values(pools)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    keep(mailbox, kept);
  }

  /** Opens the transfers of an execution, also of one that an earlier platform began. */
  follow(executionId: string, mailbox: Mailbox): void {
    const kept = keptOf(mailbox);
    if (kept === null || mailbox.isDecided || this.#open.has(executionId)) return;
    const run = path.join(mailbox.folder, 'run', executionId);
    const taken = { bytes: 0, entries: 0 };
    /** The job that has claimed it, as far as this process knows. */
    let owner: string | null = null;
    const close = this.#transfers.open(executionId, {
      tokenHash: kept.tokenHash,
      parts: kept.parts,
      input: path.join(mailbox.folder, 'job.json'),
      claim(job) {
        if (owner === null && claim(mailbox, job)) owner = job;
        return owner === job && !mailbox.isDecided && !mailbox.isTakenBack;
      },
      receive: (what, segments, query, request) => {
        mkdirSync(run, { recursive: true, mode: 0o700 });
        return receive({ mailbox, run, kept, taken }, what, segments, query, request);
      },
    });
    this.#open.set(executionId, close);
  }

  /** Ends the transfers of an execution. */
  forget(executionId: string): void {
    this.#open.get(executionId)?.();
    this.#open.delete(executionId);
  }

  close(): void {
    this.#transfers.close();
  }
}

interface Receiver {
  readonly mailbox: Mailbox;
  /** Folder of what the runner of the node keeps. */
  readonly run: string;
  readonly kept: Kept;
  readonly taken: { bytes: number; entries: number };
}

/** Lets one job run the execution, unless the platform has given it up. The record comes first, so a restart knows. */
function claim(mailbox: Mailbox, job: string): boolean {
  const kept = keptOf(mailbox);
  if (kept === null || (kept.job !== undefined && kept.job !== job)) return false;
  if (kept.job === undefined) keep(mailbox, { ...kept, job });
  return mailbox.claim() || (mailbox.claimedAt !== null && !mailbox.isDecided);
}

async function receive(
  { mailbox, run, kept, taken }: Receiver,
  what: string,
  segments: readonly string[],
  query: string,
  request: IncomingMessage,
): Promise<Reply> {
  const { limits } = kept;
  const bytes = Number(request.headers['content-length']);
  if (what === 'begun') {
    mailbox.dropJob();
    return [200, {}];
  }
  if (what === 'log') {
    const from = Number(new URLSearchParams(query).get('from'));
    if (!(bytes <= PIECE_BYTES && from + bytes <= limits.logBytes * TOLERANCE + MORE_BYTES))
      return [413, 'The log is too large.'];
    const size = mailbox.nodeLogBytes;
    if (!(Number.isSafeInteger(from) && from >= 0 && from <= size)) return [400, `The log has ${size} bytes.`];
    const piece = await buffer(request);
    if (piece.length !== bytes) return [503, 'The body was cut off.'];
    // A piece whose answer was lost comes again.
    if (from < size) truncateSync(mailbox.log, from);
    if (piece.length > 0) appendFileSync(mailbox.log, piece, { mode: 0o600 });
    return [200, { cancelled: mailbox.isCancelled }];
  }
  if (what === 'refused') return takeFile(request, path.join(mailbox.folder, 'refused'), PIECE_BYTES);
  if (what === 'end') {
    const draft = path.join(mailbox.folder, 'end.draft');
    const reply = await takeFile(request, draft, END_BYTES);
    if (reply[0] < 300) renameSync(draft, path.join(run, 'end.json'));
    return reply;
  }
  const target = targetOf(run, kept, what, segments);
  if (target === null) return [404, 'There is no such place.'];
  taken.entries += 1;
  if (taken.entries > limits.outputFiles * TOLERANCE + MORE_FILES) return [413, 'These are too many files.'];
  mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
  const most = (limits.outputBytes + limits.resultBytes) * TOLERANCE + MORE_BYTES - taken.bytes;
  const reply = await takeFile(request, target, most);
  if (reply[0] < 300) taken.bytes += bytes;
  return reply;
}

/** The file for what a job brings: a result, a file of its output or of a data pool. Null for any other place. */
function targetOf(run: string, kept: Kept, what: string, segments: readonly string[]): string | null {
  if (what === 'pools') {
    const folder = kept.pools[segments[0] ?? ''];
    const name = nameOf(segments[1] ?? '');
    return folder === undefined || name === null ? null : path.join(folder, name);
  }
  if (what !== 'run') return null;
  const parts = Buffer.from(segments[0] ?? '', 'base64url')
    .toString('utf8')
    .split('/');
  const isOurs =
    parts.length > 3 ||
    !parts.every((part) => isName(Buffer.from(part))) ||
    (parts.length === 1 && /^(end|log)\./.test(parts[0] ?? ''));
  return isOurs ? null : path.join(run, ...parts);
}

function keep(mailbox: Mailbox, kept: Kept): void {
  keepRecord(path.join(mailbox.folder, RECORD), kept);
}

/** Null for a job whose node shares our folder. */
function keptOf(mailbox: Mailbox): Kept | null {
  return readRecord<Kept>(path.join(mailbox.folder, RECORD));
}
