import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode, messageOf } from '../errors.ts';
import type { DataPoolMount, ExecutionEnd, OutputFile } from '../types.ts';
import { fetchFolder } from './fetch-folder.ts';
import type { BatchJob } from './mailbox.ts';
import { PlatformLink, type LinkSettings } from './platform-link.ts';
import { runJob } from './run-job.ts';

// The program of a batch job on a node that shares no folder with the platform. It is called as node staged-step.ts,
// with the way to the platform on standard input. It fetches the job, runs it in the sandbox of this node, and brings
// what it left.

/** Milliseconds between two pieces of the log, and the most of a log that does not grow. */
const LOG_MS = 500;
const QUIET_MS = 2_000;
/** Bytes of one piece of the log. */
const PIECE_BYTES = 1024 * 1024;

// A signal that ends the execution would open Node's debugger until runJob listens for it.
process.on('SIGUSR1', () => undefined);

const link = new PlatformLink(JSON.parse(await text(process.stdin)) as LinkSettings); // written by the platform
const claimed = await link.ask('POST', '/claim');
if (claimed.status < 300) await work(Object.keys(JSON.parse(claimed.text) as object));

async function work(parts: readonly string[]): Promise<void> {
  const here = mkdtempSync(path.join(os.tmpdir(), 'kethub-staged-'));
  let log: SentLog | null = null;
  let hasRun = false;
  try {
    const job = JSON.parse((await link.ask('GET', '/input')).text) as BatchJob;
    for (const part of parts) await fetchFolder(link, part, path.join(here, part));
    const records = path.join(here, 'run');
    mkdirSync(records, { mode: 0o711 });
    // From here on the platform keeps the job no more. It may have taken it back meanwhile.
    if ((await link.ask('POST', '/begun')).status >= 300) return;
    log = followLog(path.join(records, job.executionId, 'log.ndjson'));
    const sent = log;
    const end = await runJob(localJob(job, here), records, () => sent.isCancelled);
    hasRun = true;
    await bring(end, job.dataPools, path.join(records, job.executionId));
    await log.finish();
    await link.ask('PUT', '/end', Buffer.from(JSON.stringify(withTheirPaths(end, job.dataPools))));
  } catch (error) {
    await log?.finish();
    // An output that could not be brought is no refusal: without an end, the platform says that it is lost.
    if (!hasRun) await link.ask('PUT', '/refused', Buffer.from(messageOf(error).slice(0, 2_000)));
    console.error(error);
    process.exitCode = 1;
  } finally {
    rmSync(here, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** The job with the folders of this node. */
function localJob(job: BatchJob, here: string): BatchJob {
  if ('image' in job.code) throw new Error('A service with a Dockerfile cannot be a job.');
  const code = {
    ...job.code,
    sourceDir: path.join(here, 'app'),
    layerDir: job.code.layerDir === null ? null : path.join(here, 'deps'),
  };
  return { ...job, code, dataPools: job.dataPools.map((pool, index) => ({ ...pool, path: path.join(here, `pool${index}`) })) }; // prettier-ignore
}

interface SentLog {
  /** True when the platform wants the execution to end. */
  readonly isCancelled: boolean;
  /** Sends the rest, and stops. */
  finish(): Promise<void>;
}

/** Sends the log as it grows, and learns from each answer whether the execution is cancelled. */
function followLog(file: string): SentLog {
  let position = 0;
  let isCancelled = false;
  const send = async (): Promise<boolean> => {
    const piece = await pieceOf(file, position);
    const { status, text: said } = await link.ask('PUT', `/log?from=${position}`, piece);
    // A log that is larger than the platform takes ends there.
    if (status < 300) position += piece.length;
    isCancelled ||= status < 300 && (JSON.parse(said) as { cancelled: boolean }).cancelled;
    return status < 300 && piece.length > 0;
  };
  const stopped = new AbortController();
  const live = (async () => {
    for (let pauseMs = LOG_MS; !stopped.signal.aborted;) {
      await pause(pauseMs, null, { signal: stopped.signal }).catch(() => undefined);
      pauseMs = (await send()) ? LOG_MS : Math.min(QUIET_MS, pauseMs * 2);
    }
  })();
  return {
    get isCancelled() {
      return isCancelled;
    },
    async finish() {
      stopped.abort();
      await live;
      while (await send());
    },
  };
}

async function pieceOf(file: string, from: number): Promise<Buffer> {
  let handle;
  try {
    handle = await open(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Sends the files of an end. Those of the runner keep their path in its folder, those of pools their name. */
async function bring(end: ExecutionEnd, pools: readonly DataPoolMount[], folder: string): Promise<void> {
  const kept = [...end.files, ...(end.result === null || end.result.text !== undefined ? [] : [end.result])];
  for (const file of kept) {
    const name = pathInFolder(file.path, end.executionId);
    await send(`/run/${encoded(name)}`, path.join(folder, name));
  }
  for (const { parameter, files } of end.dataPools ?? []) {
    const index = pools.findIndex((pool) => pool.parameter === parameter);
    for (const file of files) await send(`/pools/${index}/${encoded(file.name)}`, file.path);
  }
}

async function send(target: string, file: string): Promise<void> {
  const { status, text: said } = await link.sendFile(target, file);
  if (status >= 300) throw new Error(`The platform does not take a file (${status}): ${said.slice(0, 500)}`);
}

/** Path of a file below the folder of its execution. */
function pathInFolder(file: string, executionId: string): string {
  const mark = `/executions/${executionId}/`;
  return file.slice(file.lastIndexOf(mark) + mark.length);
}

/** The end with the paths that files of data pools have on the platform. */
function withTheirPaths(end: ExecutionEnd, pools: readonly DataPoolMount[]): ExecutionEnd {
  if (end.dataPools === undefined) return end;
  const there = (parameter: string, file: OutputFile): OutputFile => ({
    ...file,
    path: path.join(pools.find((pool) => pool.parameter === parameter)?.path ?? '', file.name),
  });
  return {
    ...end,
    dataPools: end.dataPools.map(({ parameter, files }) => ({
      parameter,
      files: files.map((file) => there(parameter, file)),
    })),
  };
}

function encoded(name: string): string {
  return Buffer.from(name).toString('base64url');
}
