import { randomUUID } from 'node:crypto';
import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readLines } from '../client/log-reader.ts';
import { errorCode } from '../errors.ts';
import { removeTree } from '../runner/discard.ts';
import { giveTo } from '../runner/give-to.ts';
import { keepRecord } from '../transfers/record.ts';
import type { DataPoolMount, ExecutionEnd, ExecutionJob, LogLine, OutputFile } from '../types.ts';

/** Bytes of the record of an end. A longer one counts as unreadable. */
const END_BYTES = 4 * 1024 * 1024;
/** Beginning of the names of folders that are being removed. It cannot begin the id of an execution. */
const REMOVED = '.removed-';
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** A job as its node reads it. */
export type BatchJob = ExecutionJob & {
  /** Private networks that services may reach when they declare hosts there. A job of an older platform names none. */
  readonly networks?: readonly string[];
};

/**
 * The folder of an execution that the platform and the nodes share:
 *
 * - `job.json`: the job with its secrets, for its owner only. The node removes it as soon as it has read it.
 * - `claimed`: a folder that the node makes before it runs anything, or a link that the platform makes when it gives the
 *   job up. Whoever is first has decided, so that no job runs twice, and the next process can tell who it was.
 * - `slurm-job`: the id of the job in Slurm.
 * - `pools.json`: the data pools that the job may change.
 * - `cancelled`: the platform has asked for its end.
 * - `run/<id>`: what the runner of the node keeps of the execution: log, output and end.
 * - `refused`: why the node could not start it.
 * - `notes.ndjson`: lines of the platform from before the job began. They come before those of the node.
 */
export class Mailbox {
  readonly folder: string;
  readonly #id: string;

  constructor(parent: string, executionId: string) {
    if (!ID.test(executionId))
      throw new Error(`${JSON.stringify(executionId.slice(0, 100))} cannot be an execution id.`);
    this.folder = join(parent, executionId);
    this.#id = executionId;
  }

  get isThere(): boolean {
    return existsSync(this.folder);
  }

  get log(): string {
    return join(this.folder, 'run', this.#id, 'log.ndjson');
  }

  get script(): string {
    return join(this.folder, 'start');
  }

  /** Makes the folder with the job in it. Fails when it exists. */
  make(job: BatchJob, script: string, uid: number | null): void {
    mkdirSync(this.folder, { mode: 0o700 });
    mkdirSync(join(this.folder, 'run'), { mode: 0o711 });
    writeFileSync(join(this.folder, 'job.json'), JSON.stringify(job), { mode: 0o600 });
    writeFileSync(this.script, script, { mode: 0o700 });
    // The node's record names files of these folders only.
    const pools = job.dataPools.filter(({ writable }) => writable);
    writeFileSync(join(this.folder, 'pools.json'), JSON.stringify(pools), { mode: 0o600 });
    if (uid === null) return;
    for (const { path } of pools) giveTo(uid, path);
    for (const path of ['', 'run', 'job.json', 'start']) chownSync(join(this.folder, path), uid, uid);
  }

  /** True if the platform has decided the end. */
  get isDecided(): boolean {
    return existsSync(join(this.folder, 'ended.json'));
  }

  /** Reads the job and removes it, with its secrets. For the node. */
  takeJob(): BatchJob {
    const path = join(this.folder, 'job.json');
    const text = readFileSync(path, 'utf8');
    rmSync(path);
    return JSON.parse(text) as BatchJob; // written by the platform
  }

  /** Removes the job with its secrets, which a node has received. */
  dropJob(): void {
    rmSync(join(this.folder, 'job.json'), { force: true });
    rmSync(this.script, { force: true });
  }

  /** Claims the job for the node. Returns false when it was claimed before. */
  claim(): boolean {
    return unlessThere(() => mkdirSync(this.#claimed));
  }

  /** Gives the job up: no node claims it any more. Returns false when one has claimed it before. Can be repeated. */
  giveUp(): boolean {
    return unlessThere(() => symlinkSync('platform', this.#claimed)) || lstatSync(this.#claimed).isSymbolicLink();
  }

  /** Takes the job back from a node that has claimed it. Returns false when the node has begun. Can be repeated. */
  takeBack(): boolean {
    if (existsSync(join(this.folder, 'job.json'))) renameSync(join(this.folder, 'job.json'), this.#takenBack);
    return this.isTakenBack;
  }

  get isTakenBack(): boolean {
    return existsSync(this.#takenBack);
  }

  /** Epoch milliseconds of the claim by the node, or null. */
  get claimedAt(): number | null {
    const claimed = lstatSync(this.#claimed, { throwIfNoEntry: false });
    return claimed?.isDirectory() === true ? claimed.mtimeMs : null;
  }

  get jobId(): string | null {
    // A full disk may have left it empty.
    return this.#text('slurm-job') || null;
  }

  set jobId(id: string) {
    writeFileSync(join(this.folder, 'slurm-job'), id);
  }

  get isCancelled(): boolean {
    return existsSync(join(this.folder, 'cancelled'));
  }

  markCancelled(): void {
    writeFileSync(join(this.folder, 'cancelled'), '');
  }

  get refusal(): string | null {
    return this.#text('refused');
  }

  /** Adds a line of the platform: to the log of a job that is over, or before the first line of one that has none. */
  note(severity: LogLine['severity'], message: string): void {
    this.append({ timestamp: new Date().toISOString(), severity, message });
  }

  append(line: LogLine): void {
    try {
      const log = openSync(
        sizeOf(this.log) > 0 ? this.log : this.#notes,
        constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
        0o600,
      );
      writeSync(log, `${JSON.stringify(line)}\n`);
      closeSync(log);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
    }
  }

  /** Keeps the end that the platform decides, where the node left none. */
  keepEnd(end: ExecutionEnd): void {
    keepRecord(join(this.folder, 'ended.json'), end);
    for (const path of [join(this.folder, 'job.json'), this.#takenBack]) rmSync(path, { force: true });
  }

  /** Removes the folder at once, so that nobody takes what is left of it for an execution. */
  async remove(): Promise<void> {
    const removed = join(dirname(this.folder), `${REMOVED}${randomUUID()}`);
    try {
      renameSync(this.folder, removed);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    await removeTree(removed);
  }

  get logBytes(): number {
    return sizeOf(this.#notes) + sizeOf(this.log);
  }

  /** Bytes of the log of the node. */
  get nodeLogBytes(): number {
    return sizeOf(this.log);
  }

  /** Reads whole lines from a position on: first those of the platform, then those of the node. */
  async readLog(fromByte: number): Promise<{ bytes: Buffer; nextByte: number }> {
    const notes = sizeOf(this.#notes);
    if (fromByte < notes) return readLines(this.#notes, fromByte);
    const { bytes, nextByte } = await readLines(this.log, fromByte - notes);
    // A note that came meanwhile moves all positions of the node.
    if (sizeOf(this.#notes) !== notes) return { bytes: Buffer.alloc(0), nextByte: fromByte };
    return { bytes, nextByte: nextByte + notes };
  }

  get #claimed(): string {
    return join(this.folder, 'claimed');
  }

  get #takenBack(): string {
    return join(this.folder, 'taken-back.json');
  }

  get #notes(): string {
    return join(this.folder, 'notes.ndjson');
  }

  /**
   * Reads the end, with the paths of this machine. Null while there is none. Programs cannot write the record, but
   * whoever shares the folder could: it is bounded, and files outside of the output are refused.
   */
  async end(): Promise<ExecutionEnd | null> {
    const own = await readBounded(join(this.folder, 'ended.json'));
    if (own !== null) return JSON.parse(own) as ExecutionEnd; // written by keepEnd
    const text = await readBounded(join(this.folder, 'run', this.#id, 'end.json'));
    if (text === null) return null;
    const end = JSON.parse(text) as ExecutionEnd;
    if (end.executionId !== this.#id) throw new Error('the record of the node is of another execution');
    const here = async (file: { path: string }): Promise<string> => {
      const at = file.path.lastIndexOf(`/executions/${this.#id}/`);
      const path = join(this.folder, 'run', file.path.slice(at + '/executions/'.length));
      const root = join(await realpath(this.folder), 'run', this.#id);
      if (at < 0 || !(await realpath(path)).startsWith(`${root}/`) || !(await lstat(path)).isFile())
        throw new Error('the record of the node names a file outside of its output');
      return path;
    };
    const files = async (list: readonly OutputFile[]): Promise<OutputFile[]> =>
      Promise.all(list.map(async (file) => ({ ...file, path: await here(file) })));
    const pools = await this.#pools();
    const inPool = async (parameter: string, list: readonly OutputFile[]): Promise<OutputFile[]> => {
      const pool = pools.find((one) => one.parameter === parameter);
      for (const { name, path } of list)
        if (pool === undefined || name.includes('/') || path !== join(pool.path, name) || !(await lstat(path)).isFile())
          throw new Error('the record of the node names a file outside of its data pools');
      // They were lent to the user of the job.
      if (pool !== undefined && process.getuid?.() === 0) giveTo(0, pool.path);
      return [...list];
    };
    const { result } = end;
    return {
      ...end,
      logBytes: end.logBytes + sizeOf(this.#notes),
      result: result === null || result.text !== undefined ? result : { ...result, path: await here(result) },
      files: await files(end.files),
      ...(end.dataPools && {
        dataPools: await Promise.all(
          end.dataPools.map(async ({ parameter, files: list }) => ({
            parameter,
            files: await inPool(parameter, list),
          })),
        ),
      }),
    };
  }

  /** The data pools that the job may change. A list that is not ours names none: the folder belongs to the job's user. */
  async #pools(): Promise<DataPoolMount[]> {
    const path = join(this.folder, 'pools.json');
    const found = await lstat(path);
    if (!found.isFile() || found.uid !== process.getuid?.()) return [];
    return JSON.parse((await readBounded(path)) ?? '[]') as DataPoolMount[]; // written by make
  }

  #text(name: string): string | null {
    try {
      return readFileSync(join(this.folder, name), 'utf8').slice(0, 2_000).trim();
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    }
  }
}

/** Bytes of a file; none when there is none. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Returns false when there is something of this name already. */
function unlessThere(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes what a process that was killed has left of mailboxes. */
export async function removeRests(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) if (name.startsWith(REMOVED)) await removeTree(join(parent, name));
}

/** Ids of the executions in a folder of mailboxes. */
export function mailboxesIn(parent: string): string[] {
  return readdirSync(parent).filter((name) => ID.test(name));
}

async function readBounded(path: string): Promise<string | null> {
  let file;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const { size } = await file.stat();
    if (size > END_BYTES) throw new Error(`the record of the node has ${size} bytes, more than ${END_BYTES}`);
    return (await file.readFile('utf8')).trim() || null;
  } finally {
    await file.close();
  }
}
