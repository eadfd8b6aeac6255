import { closeSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import { inspectJson, partsWithout, type JsonProblem, type JsonShape } from '../json/index.ts';
import type { Cause, ResultFile } from '../types.ts';
import { CAUSE_BYTES, parseCause } from './cause.ts';
import { JsonFiles } from './json-files.ts';

/** The content of the file to which the Python side writes its result. */
export type Written =
  | { kind: 'NOTHING' }
  | { kind: 'RESULT'; result: ResultFile }
  | { kind: 'INVALID'; cause: Cause }
  | { kind: 'FAILURE'; cause: Cause };

/**
 * Nesting of a result. A deeper one is refused: it crashes parsers of other languages, and Python's own writer stops
 * near 1,000.
 */
const RESULT_DEPTH = 1_000;
/** Bytes of a result that is checked in this thread (2 ms at most). A larger one is checked in a thread of its own. */
const INLINE_BYTES = 256 * 1024;
/**
 * Bytes of a result that is recorded within the end: one write to the disk instead of two. A larger one has a file of
 * its own.
 */
const INLINED_BYTES = 64 * 1024;
/** Members that the platform replaces with its own. */
const RESERVED = ['_links', '_embedded'];

const files = new JsonFiles();

/** {@link readWritten}, where a full disk fails this execution and not the runner. */
export async function keepWritten(path: string, target: string, limitBytes: number): Promise<Written> {
  return kept(path, readWritten(path, target, limitBytes));
}

/** Keeps the content of a file from a position on as a result. A full disk fails this execution and not the runner. */
export async function keepJson(path: string, skip: number, target: string, limitBytes: number): Promise<Written> {
  return kept(path, keepChecked(path, skip, target, limitBytes, 0));
}

async function kept(path: string, written: Promise<Written>): Promise<Written> {
  try {
    return await written;
  } catch (error) {
    console.error(`the result at ${path} could not be kept: ${messageOf(error)}`);
    return invalid('the platform could not store it', 'ResultNotKept');
  }
}

/**
 * Reads what an ended execution wrote to fd 3: `R` and the JSON of its result, or `E` and the JSON of the cause. User
 * code can write there too, so its content is not trusted. A result is copied to `target` without its mark.
 */
async function readWritten(path: string, target: string, limitBytes: number): Promise<Written> {
  const bytes = statSync(path).size - 1;
  if (bytes < 0) return { kind: 'NOTHING' };
  const mark = readPart(path, 0, 1).toString('latin1');
  if (mark === 'E') return { kind: 'FAILURE', cause: parseCause(readPart(path, 1, Math.min(bytes, CAUSE_BYTES))) };
  if (mark !== 'R') return invalid('it was not written by the platform', 'ResultInvalid');
  return keepChecked(path, 1, target, limitBytes, INLINED_BYTES);
}

async function keepChecked(
  path: string,
  skip: number,
  target: string,
  limitBytes: number,
  inlinedBytes: number,
): Promise<Written> {
  const bytes = statSync(path).size - skip;
  if (bytes > limitBytes) {
    return invalid(
      `it has ${bytes} bytes, and the limit is ${limitBytes} bytes. Write large data to files in /var/runtime/output`,
      'ResultLimitExceeded',
    );
  }
  const limits = { bytes: limitBytes, depth: RESULT_DEPTH };
  if (bytes > INLINE_BYTES)
    return resultOf(await files.check({ path, skip, target, limits, watched: RESERVED }), target, bytes);
  const text = readPart(path, skip, bytes);
  const shape = inspectJson(text, limits, RESERVED);
  const written = resultOf(shape, target, bytes);
  if (written.kind !== 'RESULT') return written;
  if (bytes <= inlinedBytes) return { kind: 'RESULT', result: { ...written.result, text: text.toString('utf8') } };
  writeFileSync(target, text, { mode: 0o600 });
  return written;
}

function resultOf(shape: JsonShape | JsonProblem, path: string, bytes: number): Written {
  if ('problem' in shape) return invalid(shape.problem, 'ResultInvalid');
  const parts = partsWithout(shape, shape.members);
  const isWhole = parts.length === 1 && shape.from === 0 && shape.to === bytes;
  return {
    kind: 'RESULT',
    result: {
      path,
      bytes,
      isObject: shape.kind === 'OBJECT',
      reservedMembers: shape.members.length > 0,
      ...(!isWhole && { parts }),
    },
  };
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
