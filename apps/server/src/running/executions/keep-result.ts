import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ResultFile } from '@kethub/runtime';
import { JsonScanner, partsWithout } from '@kethub/runtime/json';
import type { Platform } from '../../foundation/platform.ts';
import { blobKeyOf } from '../../foundation/storage/index.ts';
import { digestOf, hashed, type Kept } from './record/index.ts';

/** Bytes of a result stored in the row; a longer result becomes a blob. */
const INLINE_BYTES = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;
const RESERVED = ['_links', '_embedded'];

type Part = readonly [from: number, to: number];

interface KeptResult {
  readonly result: string | null;
  readonly result_blob: string | null;
  readonly result_bytes: number | null;
  readonly content: Kept['result'];
}

export const NO_RESULT: KeptResult = { result: null, result_blob: null, result_bytes: null, content: null };

/**
 * Stores a result as the text of a JSON object without HAL members. A value that is no object becomes the member
 * `result`. The text is not parsed, so numbers keep every digit, and a long one is copied in chunks.
 */
export async function keepResult(platform: Platform, id: string, file: ResultFile): Promise<KeptResult> {
  const parts = file.parts ?? (await partsOf(file));
  const [head, tail] = file.isObject ? ['', ''] : ['{"result":', '}'];
  const bytes = parts.reduce((sum, [from, to]) => sum + to - from, head.length + tail.length);
  if (bytes <= INLINE_BYTES) {
    const chunks = await textOf(file, parts, head, tail).toArray();
    const text = Buffer.concat(chunks as Buffer[]).toString('utf8');
    return { result: text, result_blob: null, result_bytes: null, content: { digest: digestOf(text), bytes } };
  }
  const { stream, digest } = hashed();
  const [blob] = await Promise.all([
    platform.blobs.put(stream, blobKeyOf(id, 'result')),
    pipeline(textOf(file, parts, head, tail), stream),
  ]);
  return { result: null, result_blob: blob, result_bytes: bytes, content: { digest: digest(), bytes } };
}

function textOf(file: ResultFile, parts: readonly Part[], head: string, tail: string): Readable {
  const read = async function* (): AsyncGenerator<Buffer> {
    if (head !== '') yield Buffer.from(head);
    for (const part of parts) yield* bytesOf(file, part);
    if (tail !== '') yield Buffer.from(tail);
  };
  return Readable.from(read(), { objectMode: false });
}

async function* bytesOf({ path, text }: ResultFile, [from, to]: Part): AsyncGenerator<Buffer> {
  if (text !== undefined) yield Buffer.from(text).subarray(from, to);
  else if (to > from) yield* createReadStream(path, { start: from, end: to - 1, highWaterMark: CHUNK_BYTES });
}

/** The byte ranges of the text without HAL members, for a runner that has not reported them. */
async function partsOf(file: ResultFile): Promise<readonly Part[]> {
  const whole: Part = [0, file.bytes];
  if (!file.isObject || (!file.reservedMembers && (await beginsAndEnds(file)))) return [whole];
  const scanner = new JsonScanner({ bytes: file.bytes, depth: 10_000 }, RESERVED);
  for await (const chunk of bytesOf(file, whole)) if (!scanner.push(chunk)) break;
  const shape = scanner.end();
  if ('problem' in shape) throw new SyntaxError(`The result cannot be kept: ${shape.problem}.`);
  return partsWithout(shape, shape.members);
}

/** Returns whether the text begins and ends with the braces of an object, without white space around it. */
async function beginsAndEnds(file: ResultFile): Promise<boolean> {
  const ends: string[] = [];
  for (const at of [0, file.bytes - 1])
    for await (const byte of bytesOf(file, [at, at + 1])) ends.push(byte.toString('latin1'));
  return ends.join('') === '{}';
}
