import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** Pkt-lines and packs, for requests that no Git client sends. */

export const ZERO_ID = '0'.repeat(40);
export const FLUSH = Buffer.from('0000');

export function packet(line: string): Buffer {
  const bytes = Buffer.from(line);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/** The lines of an answer; the content of a side band is joined. */
export function linesOf(answer: Buffer): string[] {
  const lines: string[] = [];
  for (let at = 0; at + 4 <= answer.length;) {
    const length = Number.parseInt(answer.toString('latin1', at, at + 4), 16);
    lines.push(length < 4 ? '' : answer.toString('utf8', at + 4, at + length));
    at += Math.max(4, length);
  }
  return lines;
}

const TYPES = { commit: 1, tree: 2, blob: 3, tag: 4, offset: 6 } as const;

export interface PackedObject {
  readonly type: Exclude<keyof typeof TYPES, 'offset'>;
  readonly content: Buffer;
}

/** A change of the object before: the first `copied` bytes of it, then `added`, of at most 127 bytes. */
export interface PackedDelta {
  readonly baseBytes: number;
  readonly copied: number;
  readonly added: Buffer;
}

export function idOf({ type, content }: PackedObject): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
}

/** A pack of whole objects and of deltas, each of which stands on the entry before it. */
export function packOf(entries: readonly (PackedObject | PackedDelta)[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const parts: Buffer[] = [head];
  let before = 0;
  for (const entry of entries) {
    const part = 'type' in entry ? wholeOf(entry) : deltaOf(entry, before);
    before = part.length;
    parts.push(part);
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function wholeOf({ type, content }: PackedObject): Buffer {
  return Buffer.concat([headOf(TYPES[type], content.length), deflateSync(content)]);
}

function deltaOf({ baseBytes, copied, added }: PackedDelta, distance: number): Buffer {
  // Copy from offset 0 with a size of two bytes, then insert.
  const copy = Buffer.from([0xb0, copied & 0xff, copied >> 8]);
  const delta = Buffer.concat([
    sizeOf(baseBytes),
    sizeOf(copied + added.length),
    copy,
    Buffer.from([added.length]),
    added,
  ]);
  return Buffer.concat([headOf(TYPES.offset, delta.length), distanceOf(distance), deflateSync(delta)]);
}

function headOf(type: number, bytes: number): Buffer {
  const out = [(type << 4) | (bytes & 15)];
  for (let remaining = Math.floor(bytes / 16); remaining > 0; remaining = Math.floor(remaining / 128)) {
    out[out.length - 1] = (out.at(-1) ?? 0) | 0x80;
    out.push(remaining & 0x7f);
  }
  return Buffer.from(out);
}

function sizeOf(bytes: number): Buffer {
  const out = [bytes & 0x7f];
  for (let remaining = Math.floor(bytes / 128); remaining > 0; remaining = Math.floor(remaining / 128)) {
    out[out.length - 1] = (out.at(-1) ?? 0) | 0x80;
    out.push(remaining & 0x7f);
  }
  return Buffer.from(out);
}

function distanceOf(distance: number): Buffer {
  const out = [distance & 0x7f];
  for (let remaining = Math.floor(distance / 128); remaining > 0; remaining = Math.floor(remaining / 128)) {
    remaining -= 1;
    out.unshift(0x80 | (remaining & 0x7f));
  }
  return Buffer.from(out);
}

/** The body of a push of these changes. `pack` is left out when everything is deleted. */
export function pushOf(
  changes: readonly { readonly ref: string; readonly from?: string; readonly to: string }[],
  pack: Buffer = packOf([]),
): Buffer {
  const lines = changes.map(({ ref, from = ZERO_ID, to }, index) =>
    packet(`${from} ${to} ${ref}${index === 0 ? '\0report-status' : ''}`),
  );
  return Buffer.concat([...lines, FLUSH, pack]);
}
