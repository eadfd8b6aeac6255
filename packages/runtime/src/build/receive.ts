import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes the archive to a file, because a ZIP is read from its end, and checks that it has the announced digest. */
export async function receive(archive: Readable, digest: string, file: string, signal: AbortSignal): Promise<void> {
  const hash = createHash('sha256');
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(archive, count, createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal });
  const found = hash.digest('hex');
  if (found !== digest)
    throw new Error(`The stored archive has the digest ${found}, not ${digest}: the file store is damaged.`);
}
