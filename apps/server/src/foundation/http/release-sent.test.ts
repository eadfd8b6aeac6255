import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ReleaseSent } from './release-sent.ts';

const CHUNKS = 400;

/** Chunks with buffers of their own, as those of a socket, and some that share one. */
function chunksOf(): Buffer[] {
  return Array.from({ length: CHUNKS }, (_, number) => {
    const bytes = randomBytes(1 + ((number * 7_919) % 65_536));
    return number % 10 === 0 ? Buffer.from(bytes.toString('latin1').slice(0, 100), 'latin1') : onlyIn(bytes);
  });
}

function onlyIn(bytes: Buffer): Buffer {
  const own = Buffer.from(new ArrayBuffer(bytes.length));
  bytes.copy(own);
  return own;
}

test.each([0, 5])('a client that pauses %i ms gets every byte, and the memory of what was sent is free', async (ms) => {
  const chunks = chunksOf();
  const sum = createHash('sha256');
  for (const chunk of chunks) sum.update(chunk);
  const server = http.createServer((_request, answer) => {
    void pipeline(Readable.from(chunks, { objectMode: false }), new ReleaseSent(answer), answer);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('Not listening');
  const [answer] = (await once(http.get({ port: address.port, agent: false }), 'response')) as [IncomingMessage];
  const received = createHash('sha256');
  for await (const part of answer) {
    received.update(part as Buffer);
    if (ms > 0) await pause(ms);
  }
  expect(received.digest('hex')).toBe(sum.digest('hex'));
  const freed = chunks.filter(({ length }) => length === 0);
  expect(freed.length).toBeGreaterThan(0);
  // Buffers that others share are left alone.
  expect(chunks.filter((_, number) => number % 10 === 0).every(({ length }) => length > 0)).toBe(true);
});
