import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ContainerRun } from './container-run.ts';
import { Container } from './container.ts';
import { Engine } from './engine.ts';
import { meterOf } from './usage.ts';

// A real engine cannot be made to end and to be back between two looks of the runner.
describe('a container whose program ended by SIGTERM (a fake engine)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kethub-engine-'));
  const socketPath = join(folder, 'engine.sock');
  let server: Server;
  let isOver = false;
  let endWait: (response: ServerResponse) => void = () => undefined;

  beforeAll(async () => {
    server = createServer((request: IncomingMessage, response: ServerResponse) => {
      const { pathname } = new URL(request.url ?? '', 'http://x');
      if (pathname.endsWith('/wait')) {
        isOver = true;
        return endWait(response);
      }
      if (!pathname.endsWith('/json')) return response.end();
      const State = { Running: !isOver, Pid: 0, ExitCode: 143, StartedAt: '2026-01-01T00:00:00Z' };
      return response.end(JSON.stringify({ Id: 'one', State }));
    });
    server.on('upgrade', (_request, socket) => {
      socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
      socket.resume();
      socket.on('end', () => socket.end());
    });
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  test.each([
    {
      how: 'with an engine that stayed',
      end: (response: ServerResponse) => response.end('{"StatusCode":143}'),
      exit: { code: 143 },
    },
    {
      how: 'with an engine that hung up',
      end: (response: ServerResponse) => {
        response.write('\n');
        response.socket?.destroy();
      },
      exit: { code: null, lost: true },
    },
    {
      how: 'with an engine that was shut down in good order',
      end: (response: ServerResponse) => response.end(),
      exit: { code: null, lost: true },
    },
  ])('$how', async ({ end, exit }) => {
    isOver = false;
    endWait = end;
    const container = new Container(new Engine(socketPath), 'one');
    const run = new ContainerRun(
      container,
      { meter: meterOf(container, null), openProxy: null, stayed: () => undefined },
      { folder, output: folder, pools: [], uid: null },
      {
        make: async () => undefined,
        handover: () => Buffer.from(''),
        handingOver: () => undefined,
        unread: async () => ({ names: [], of: 0 }),
        close: () => undefined,
      },
    );
    run.start();
    expect(await run.ended).toMatchObject(exit);
  });
});
