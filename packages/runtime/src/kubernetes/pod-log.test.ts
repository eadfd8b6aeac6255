import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import os from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { LogFile } from '../runner/log-file.ts';
import type { LogLine } from '../types.ts';
import type { ClusterApi } from './api.ts';
import { followLog } from './pod-log.ts';

test('a line that is cut off when its program ends is delivered once, as a whole', async () => {
  const answers = ['2026-01-01T00:00:01.1Z a\n2026-01-01T00:00:01.2Z xx', '2026-01-01T00:00:01.1Z a\n2026-01-01T00:00:01.2Z xxyy'];
  let isOver = false;
  // A stand-in for the API server.
  const open = (): Promise<IncomingMessage> => {
    const answer = Readable.from([Buffer.from(answers.shift() ?? '')]);
    answer.once('end', () => (isOver = true));
    return Promise.resolve(answer as IncomingMessage);
  };
  const lines: string[] = [];
  const state = { over: Promise.resolve(), isOver: () => isOver, isGone: () => false };
  const sink = ({ message }: LogLine): void => void lines.push(message);
  const whole = await followLog({ open } as unknown as ClusterApi, 'pod', state, sink, new AbortController().signal);
  expect([whole, lines]).toEqual([true, ['a', 'xxyy']]);
}); // prettier-ignore

test('a log that is delivered again after a line of ours has each line once', () => {
  const folder = mkdtempSync(join(os.tmpdir(), 'kethub-log-'));
  try {
    const path = join(folder, 'log.ndjson');
    const line = (message: string): LogLine => ({ timestamp: '2026-01-01T00:00:00.000Z', severity: 'INFO', message });
    const write = (use: (log: LogFile) => void): void => {
      const log = new LogFile(path, 10_000, () => undefined);
      use(log);
      log.close();
    };
    write((log) => ['a', 'b'].forEach((message) => log.append(line(message))));
    write((log) => {
      log.append(line('ours'), 'OURS');
      for (const message of ['a', 'b', 'c']) log.append(line(message));
    });
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    expect(lines.map((one) => (JSON.parse(one) as LogLine).message)).toEqual(['a', 'b', 'ours', 'c']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
