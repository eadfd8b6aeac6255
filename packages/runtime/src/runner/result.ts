import { createReadStream, openSync, readSync, closeSync, statSync, writeFileSync, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import type { Cause, ResultFile } from '../types.ts';
import { inspectJson, type JsonShape } from './json-shape.ts';

/** What the Python side wrote to its result file. */
export type Written =
  | { kind: 'NOTHING' }
  | { kind: 'RESULT'; result: ResultFile }
  | { kind: 'INVALID'; cause: Cause }
  | { kind: 'FAILURE'; cause: Cause };

/** A larger cause is cut: it is an exception's message, not data. */
const CAUSE_BYTES = 1024 * 1024;
/** Smaller results are parsed here (2 ms); larger ones in a thread of their own, so that other executions are not held up. */
const INLINE_BYTES = 256 * 1024;
/** A shorter one is told and recorded with the end, in one write of the disk instead of two. */
const TOLD_BYTES = 64 * 1024;

/** {@link readWritten}, where a full disk is a failure of this execution and not of the runner. */
export async function keepWritten(path: string, target: string, limitBytes: number): Promise<Written> {
  try {
    return await readWritten(path, target, limitBytes);
  } catch (error) {
    console.error(`the result at ${path} could not be kept: ${messageOf(error)}`);
    return invalid('the platform could not store it', 'ResultNotKept');
  }
}

/**
 * Reads what an ended execution wrote to fd 3: `R` and the JSON of its result, or `E` and the JSON of the cause. User code can
 * write there too, so nothing in it is trusted. A result is copied without its mark to `target`.
 */
async function readWritten(path: string, target: string, limitBytes: number): Promise<Written> {
  const bytes = statSync(path).size - 1;
  if (bytes < 0) return { kind: 'NOTHING' };
  const mark = readPart(path, 0, 1).toString('latin1');
  if (mark === 'E')
    return { kind: 'FAILURE', cause: parseCause(readPart(path, 1, Math.min(bytes, CAUSE_BYTES)).toString('utf8')) };
  if (mark !== 'R') return invalid('it was not written by the platform', 'ResultInvalid');
  return keepChecked(path, 1, target, limitBytes, TOLD_BYTES);
}

/** Keeps what a file holds from a position on as a result, where a full disk is a failure of this execution and not of the runner. */
export async function keepJson(path: string, skip: number, target: string, limitBytes: number): Promise<Written> {
  try {
    return await keepChecked(path, skip, target, limitBytes, 0);
  } catch (error) {
    console.error(`the result at ${path} could not be kept: ${messageOf(error)}`);
    return invalid('the platform could not store it', 'ResultNotKept');
  }
}

async function keepChecked(
  path: string,
  skip: number,
  target: string,
  limitBytes: number,
  toldBytes: number,
): Promise<Written> {
  const bytes = statSync(path).size - skip;
  if (bytes > limitBytes) {
    return invalid(
      `it has ${bytes} bytes, and the limit is ${limitBytes} bytes. Write large data to files in /var/runtime/output`,
      'ResultLimitExceeded',
    );
  }
  let shape: JsonShape | { problem: string };
  if (bytes <= INLINE_BYTES) {
    const text = readPart(path, skip, bytes);
    shape = inspectJson(text);
    if (!('problem' in shape) && bytes <= toldBytes)
      return { kind: 'RESULT', result: { path: target, bytes, text: text.toString('utf8'), ...shape } };
    if (!('problem' in shape)) writeFileSync(target, text, { mode: 0o600 });
  } else {
    shape = await inspectInThread(path, skip);
    if (!('problem' in shape))
      await pipeline(createReadStream(path, { start: skip }), createWriteStream(target, { mode: 0o600 }));
  }
  if ('problem' in shape) return invalid(shape.problem, 'ResultInvalid');
  return { kind: 'RESULT', result: { path: target, bytes, ...shape } };
}

function readPart(path: string, from: number, bytes: number): Buffer {
  const fd = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(fd, buffer, 0, bytes, from));
  } finally {
    closeSync(fd);
  }
}

function invalid(why: string, type: string): Written {
  const title = type === 'ResultLimitExceeded' ? 'Result limit exceeded' : 'Result not valid';
  return { kind: 'INVALID', cause: { type, title, detail: `The result cannot be kept: ${why}.` } };
}

function parseCause(text: string): Cause {
  const fallback: Cause = { type: 'ProgramFailed', title: 'The program failed', detail: text.slice(0, 1_000) };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fallback; // cut or overwritten by user code: its text is all we know
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fallback;
  const members = new Map<string, unknown>(Object.entries(value));
  const word = (name: string, otherwise: string): string => {
    const found = members.get(name);
    return typeof found === 'string' ? found.slice(0, 64 * 1024) : otherwise;
  };
  for (const reserved of ['_links', '_embedded', '__proto__']) members.delete(reserved);
  return {
    ...Object.fromEntries(members),
    type: word('type', fallback.type),
    title: word('title', fallback.title),
    detail: word('detail', ''),
  };
}

async function inspectInThread(path: string, skip: number): Promise<JsonShape | { problem: string }> {
  const thread = new Worker(new URL('./json-shape-thread.ts', import.meta.url), { workerData: { path, skip } });
  return new Promise((resolve) => {
    thread.once('message', (shape: JsonShape | { problem: string }) => {
      resolve(shape);
    });
    thread.once('error', (error) => {
      resolve({ problem: `it could not be read (${messageOf(error)})` });
    });
    thread.once('exit', () => {
      resolve({ problem: 'it could not be read' });
    });
  });
}
