import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openBlobFolder } from '../storage/index.ts';
import { keepLog, keptLogSource } from './source.ts';

test('a kept log is read in pieces of whole lines, whatever their length', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-log-'));
  try {
    const blobs = openBlobFolder(folder);
    const lines = [
      ...Array.from({ length: 30_000 }, (_, line) => `${line} ${'é'.repeat(line % 100)}`),
      'x'.repeat(3_000_000),
      'last',
    ];
    const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    const source = keptLogSource(blobs, await keepLog(whole, (bytes) => blobs.put(bytes)));
    const pieces: Buffer[] = [];
    for (let position = 0; ;) {
      const { bytes, nextByte } = await source.read(position);
      expect(nextByte).toBe(position + bytes.length);
      if (bytes.length === 0) break;
      expect(bytes.at(-1)).toBe(10);
      pieces.push(bytes);
      position = nextByte;
    }
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
    expect(pieces.length).toBeGreaterThan(3);
    // All pieces but the one with the long line.
    expect(pieces.map(({ length }) => length).toSorted((a, b) => b - a)[1]).toBeLessThanOrEqual(1_048_576);
  } finally {
    await rm(folder, { recursive: true });
  }
});
