import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { PlatformLink } from './platform-link.ts';

/** Answers the first requests with an error, a lost connection or both, and the last one with `answer`. */
async function platform(port: number, answer: number): Promise<{ server: Server; asked: () => number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    request.resume();
    if (asked === 1) request.socket.destroy();
    else if (asked === 2) response.writeHead(503).end('it starts');
    else response.writeHead(answer).end('the last answer');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, asked: () => asked };
}

const linkTo = (port: number): PlatformLink =>
  new PlatformLink({ url: `http://127.0.0.1:${port}`, executionId: 'one', token: 'secret', ca: null });

async function free(): Promise<number> {
  const { server } = await platform(0, 200);
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('a folder is asked for until the platform that is away is back', async () => {
  const port = await free();
  const opened = linkTo(port).open('/parts/app');
  // Nobody listens on the port yet.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const { server, asked } = await platform(port, 200);
  expect(await text(await opened)).toBe('the last answer');
  expect(asked()).toBe(3);
  server.close();
});

test('a refusal ends the asking', async () => {
  const port = await free();
  const { server, asked } = await platform(port, 404);
  await expect(linkTo(port).open('/parts/app')).rejects.toThrow('the platform answered 404: the last answer');
  expect(asked()).toBe(3);
  expect(await linkTo(port).ask('POST', '/claim')).toEqual({ status: 404, text: 'the last answer' });
  server.close();
});

test.each([404, 503])('of an answer %i that does not end, only the beginning is read', async (status) => {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume();
    asked += 1;
    if (status === 503 && asked === 2) {
      response.writeHead(200).end('it is back');
      return;
    }
    response.on('error', () => undefined).writeHead(status);
    const more = (): void => {
      // Until the reader hangs up.
      while (!response.destroyed && response.write('x'.repeat(10_000)));
      response.once('drain', more);
    };
    more();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const expected = status === 404 ? { status, text: 'x'.repeat(2_000) } : { status: 200, text: 'it is back' };
  expect(await linkTo(port).ask('GET', '/input')).toEqual(expected);
  if (status === 404) await expect(linkTo(port).open('/parts/app')).rejects.toThrow(/answered 404: x{500}$/);
  server.close();
});
