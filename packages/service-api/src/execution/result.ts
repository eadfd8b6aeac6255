import { pipeline, Transform, type Readable } from 'node:stream';

/** Adds the members to the text of an object. The text is not parsed: numbers keep every digit. */
export function withMembers(object: string, members: string): string {
  const body = object.trim().slice(1, -1).trim();
  return body === '' ? members : `{${body},${members.slice(1)}`;
}

/**
 * Streams an object of this many bytes without its closing brace, then the members. The object is neither empty nor
 * surrounded by blanks.
 */
export function memberStream({ bytes, stream }: { bytes: number; stream: Readable }, members: string): Readable {
  let left = bytes - 1;
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const kept = chunk.subarray(0, Math.max(0, left));
      left -= chunk.length;
      done(null, kept);
    },
    flush(done) {
      done(null, `,${members.slice(1)}`);
    },
  });
  // A caller that disconnects before the first byte ends the other stream as well.
  pipeline(stream, body, () => undefined);
  return body;
}
