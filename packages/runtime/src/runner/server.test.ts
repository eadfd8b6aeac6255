import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeRunnerPaths } from '../paths.ts';
import { FrameReader } from '../protocol/frames.ts';
import type { Message } from '../protocol/messages.ts';
import { listen, type Handlers } from './server.ts';

test('a platform that does not read learns of every end later, and not of every line of every log', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kethub-server-'));
  const paths = makeRunnerPaths(dataDir);
  const server = await listen(paths, 'test', {} as Handlers, () => undefined);
  try {
    const platform = connect(paths.socket);
    platform.pause();
    await once(platform, 'connect');
    while (server.clients.size === 0) await pause(5);
    const log: Message = { event: 'log', executionId: 'x'.repeat(1_000), bytes: 1 };
    for (let sent = 0; sent < 20_000; sent++) server.sendAll(log);
    server.sendAll({ event: 'answer', id: 7, value: null });
    const events: string[] = [];
    let bytes = 0;
    const last = new Promise<void>((resolve) => {
      const reader = new FrameReader(({ header }) => {
        const { event } = header as Message;
        events.push(event);
        if (event === 'answer') resolve();
      });
      platform.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        reader.push(chunk);
      });
    });
    platform.resume();
    await last;
    expect(events[0]).toBe('welcome');
    expect(events.at(-1)).toBe('answer');
    // 20 MB were sent.
    expect(bytes).toBeLessThan(4_000_000);
    expect(bytes).toBeGreaterThan(1_000_000);
    platform.destroy();
  } finally {
    server.close();
    rmSync(dataDir, { recursive: true });
  }
});
