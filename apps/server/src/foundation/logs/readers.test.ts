import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { ReaderSettings } from '../config/index.ts';
import { ChunkCache } from '@kethub/service-api';
import { LogReaders } from './readers.ts';
import { SharedLog } from './shared-log.ts';
import type { LogSource } from './source.ts';

const PIECE = 1024 * 1024;
const settings: ReaderSettings = {
  logsOfCaller: 3, readersOfLog: 5, logs: 8, waitsOfCaller: 1, waits: 1, slowMs: 1,
}; // prettier-ignore

/** A log in memory that counts its reads. */
class Written implements LogSource {
  text = '';
  complete = false;
  reads = 0;
  looks = 0;
  listeners = 0;
  #changed: (() => void)[] = [];

  add(text: string): void {
    this.text += text;
    for (const notify of this.#changed.splice(0)) notify();
  }

  async read(fromByte: number): ReturnType<LogSource['read']> {
    this.reads += 1;
    await pause(1);
    const bytes = Buffer.from(this.text).subarray(fromByte, fromByte + PIECE);
    const lines = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
    return { bytes: lines, nextByte: fromByte + lines.length };
  }

  async isComplete(): Promise<boolean> {
    this.looks += 1;
    const { complete } = this;
    await pause(1);
    return complete;
  }

  changed(signal: AbortSignal): Promise<void> {
    this.listeners += 1;
    return new Promise((resolve) => {
      this.#changed.push(resolve);
      signal.addEventListener('abort', () => resolve());
      setTimeout(resolve, 1_000).unref();
    });
  }
}

const line = (number: number): string => `{"message":"${number} ${'x'.repeat(180)}"}\n`;

/** Follows a log as the event stream does, and returns the numbers of its lines. */
async function follow(log: SharedLog, signal: AbortSignal): Promise<number[]> {
  let text = '';
  let position = 0;
  for (;;) {
    const { version } = log;
    const complete = await log.isComplete();
    for (let chunk = await log.chunk('array', position); chunk; chunk = await log.chunk('array', position)) {
      text += chunk.bytes.toString();
      position = chunk.nextByte;
    }
    if (complete || signal.aborted) break;
    await log.changed(version, signal);
  }
  return [...text.matchAll(/"message":"(\d+) /g)].map(([, number]) => Number(number));
}

test('many followers of one log have all of its lines; it is read as if there were one', async () => {
  const source = new Written();
  const log = new SharedLog(source, 'one', new ChunkCache(32 * PIECE));
  const { signal } = new AbortController();
  const followers = Array.from({ length: 200 }, async () => follow(log, signal));
  const all = Array.from({ length: 3_000 }, (_, number) => number);
  for (let first = 0; first < all.length; first += 1_000) {
    await vi.waitFor(() => expect(source.listeners).toBeGreaterThan(first / 1_000));
    source.add(
      all
        .slice(first, first + 1_000)
        .map(line)
        .join(''),
    );
  }
  source.complete = true;
  source.add('');
  for (const numbers of await Promise.all(followers)) expect(numbers).toEqual(all);
  // A handful of reads for each change, not one for each of 200 followers.
  expect(source.reads).toBeLessThan(100);
  expect(source.looks).toBeLessThan(100);
  expect(source.listeners).toBeLessThan(100);
  log.close();
});

test('what is written last, before the log is complete, is read by everybody', async () => {
  for (let round = 0; round < 20; round += 1) {
    const source = new Written();
    const log = new SharedLog(source, `round ${round}`, new ChunkCache(PIECE));
    const followers = Array.from({ length: 10 }, async (_, index) => {
      await pause(index % 3);
      return follow(log, new AbortController().signal);
    });
    await pause(round % 4);
    source.text += line(1);
    source.complete = true;
    source.add('');
    for (const numbers of await Promise.all(followers)) expect(numbers).toEqual([1]);
    log.close();
  }
});

test('a chunk cache keeps no more bytes than it may', () => {
  const cache = new ChunkCache(100);
  for (let index = 0; index < 10; index += 1) {
    cache.set(String(index), { bytes: Buffer.alloc(30), nextByte: 0 });
  }
  expect(Array.from({ length: 10 }, (_, index) => cache.get(String(index)) !== undefined).indexOf(true)).toBe(7);
});

const codeOf = (act: () => unknown): string => {
  try {
    act();
    return 'open';
  } catch (error) {
    return String(Reflect.get(error as object, 'code'));
  }
};

test('readers are limited by caller, by log and in all, and what has ended makes room', () => {
  const readers = new LogReaders(settings);
  const source = new Written();
  const first = readers.open('a', 'ada', source);
  readers.open('b', 'ada', source);
  readers.open('c', 'ada', source);
  expect(codeOf(() => readers.open('d', 'ada', source))).toBe('too-many-readers');
  first.close();
  first.close();
  const again = readers.open('a', 'ada', source);
  for (const caller of ['bob', 'cy', 'di', 'ed']) readers.open('a', caller, source);
  expect(codeOf(() => readers.open('a', 'fay', source))).toBe('too-many-readers');
  again.close();
  readers.open('a', 'fay', source);
  // Seven are open, and the last two were for those who had none.
  expect(codeOf(() => readers.open('b', 'fay', source))).toBe('readers-busy');
  readers.open('b', 'gil', source);
  expect(codeOf(() => readers.open('e', 'hal', source))).toBe('readers-busy');
});
