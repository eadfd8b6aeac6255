/**
 * The thread of {@link ./json-files.ts}. It reads a slice of each file in turn, so that a long file delays no other.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { errorCode, messageOf } from '../errors.ts';
import { JsonScanner, type JsonProblem, type JsonShape } from '../json/index.ts';
import type { JsonFile, JsonFileAnswer } from './json-files.ts';

/** Bytes of a slice: 1 to 2 ms of work. */
const SLICE_BYTES = 256 * 1024;
/** Milliseconds between two signs of life to the main thread, at most. */
const ALIVE_MS = 250;

interface Job {
  id: number;
  source: number;
  target: number;
  position: number;
  scanner: JsonScanner;
}

const buffer = Buffer.allocUnsafe(SLICE_BYTES);
const jobs: Job[] = [];
let sentAt = 0;

parentPort?.on('message', (file: JsonFile) => {
  const job = attempt(file.id, () => begin(file));
  if (job === null) return;
  jobs.push(job);
  if (jobs.length === 1) setImmediate(turn);
});

function turn(): void {
  const job = jobs.shift();
  if (job === undefined) return;
  const isOver = attempt(job.id, () => slice(job)) ?? true;
  if (isOver) for (const descriptor of [job.source, job.target]) closeSync(descriptor);
  else jobs.push(job);
  if (performance.now() - sentAt > ALIVE_MS) send({ id: null });
  if (jobs.length > 0) setImmediate(turn);
}

function begin({ id, path, skip, target, limits, watched }: JsonFile): Job {
  const source = openSync(path, 'r');
  try {
    const copy = openSync(target, 'w', 0o600);
    return { id, source, target: copy, position: skip, scanner: new JsonScanner(limits, watched) };
  } catch (error) {
    closeSync(source);
    throw error;
  }
}

/** Reads the next slice. Returns true when it was the last one. */
function slice(job: Job): boolean {
  const bytes = readSync(job.source, buffer, 0, SLICE_BYTES, job.position);
  const chunk = buffer.subarray(0, bytes);
  if (bytes === 0 || !job.scanner.push(chunk)) {
    const found: JsonShape | JsonProblem = job.scanner.end();
    send({ id: job.id, found });
    return true;
  }
  for (let written = 0; written < bytes;) written += writeSync(job.target, chunk, written);
  job.position += bytes;
  return false;
}

/** Reports a failure and returns null. */
function attempt<T>(id: number, act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    send({ id, error: { message: messageOf(error), code: errorCode(error) } });
    return null;
  }
}

function send(answer: JsonFileAnswer): void {
  sentAt = performance.now();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer);
}
