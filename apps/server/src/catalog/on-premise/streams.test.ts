import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectGarbage } from '../../testing/garbage.ts';
import { sqlite } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { deployOnPremise, localTargets, startProvider, type Provider } from '../../testing/on-premise.ts';

const MB = 1024 * 1024;
const SIZE = 120 * MB;
const piece = Buffer.alloc(64 * 1024, 'x');
/** Bytes of bodies that this process may hold. The process is provider, gateway and caller at once. */
const BOUND = 60 * MB;

let kethub: TestKethub;
let echo: Provider;
let endless: Provider;
let written = 0;
const left = { gone: 0 };

beforeAll(async () => {
  kethub = await startTestKethub(sqlite, { ...localTargets, KETHUB_ON_PREMISE_BODY_MB: '150' });
  echo = await startProvider((request, response) => request.pipe(response));
  endless = await startProvider((request, response) => {
    request.resume();
    response.once('close', () => (left.gone += 1));
    const write = (): void => {
      while (!response.destroyed) {
        written += piece.length;
        if (!response.write(piece)) return void response.once('drain', write);
      }
    };
    write();
  });
});
afterAll(async () => {
  await echo.close();
  await endless.close();
  await kethub.close();
});

async function open(
  name: string,
  url: string,
  options: { method: string; headers?: http.OutgoingHttpHeaders },
): Promise<http.ClientRequest> {
  const deployed = await deployOnPremise(kethub.client, name, { url });
  const { bearer } = await callerOf(deployed);
  const headers = { ...options.headers, authorization: `Bearer ${bearer}` };
  return http.request(`${deployed.endpoint}/`, { ...options, headers });
}

/** The memory in use after garbage collection. */
function memory(): number {
  // Garbage that the first collection finds is freed concurrently; the second waits for that.
  for (let twice = 0; twice < 2; twice++) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test.each([
  ['with its length', { 'content-length': SIZE }],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
])('120 MB %s go through both ways in bounded memory', { timeout: 120_000 }, async (how, headers) => {
  const request = await open(`Echo ${how}`, echo.url, { method: 'POST', headers });
  const before = memory();
  let most = 0;
  let received = 0;
  const answered = once(request, 'response').then(async ([response]) => {
    let sampled = 0;
    for await (const chunk of response as http.IncomingMessage) {
      received += (chunk as Buffer).length;
      if (received - sampled < 10 * MB) continue;
      sampled = received;
      most = Math.max(most, memory());
    }
  });
  for (let sent = 0; sent < SIZE; sent += piece.length) if (!request.write(piece)) await once(request, 'drain');
  request.end();
  await answered;
  expect(received).toBe(SIZE);
  expect(most - before).toBeLessThan(BOUND);
});

test('callers that read slowly slow the service down, hold no memory, and do not hinder each other', async () => {
  const before = memory();
  const responses: http.IncomingMessage[] = [];
  const requests: http.ClientRequest[] = [];
  for (const name of ['Slow one', 'Slow two']) {
    const request = await open(name, endless.url, { method: 'GET' });
    request.on('error', () => undefined);
    requests.push(request.end());
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    responses.push(response);
  }
  // Nobody reads, so the provider cannot go on writing.
  let last = -1;
  while (last !== written) {
    last = written;
    await pause(300);
  }
  const stopped = written;
  expect(stopped).toBeLessThan(BOUND);
  // One caller reads 20 MB, and the provider goes on writing for this caller.
  let read = 0;
  for await (const chunk of responses[0] ?? []) {
    read += (chunk as Buffer).length;
    if (read >= 20 * MB) break;
  }
  expect(written).toBeGreaterThan(stopped);
  expect(memory() - before).toBeLessThan(BOUND);
  for (const request of requests) request.destroy();
  while (left.gone < 2) await pause(10);
});

test('a body beyond the limit of the installation is refused by its length, and cut off without one', async () => {
  const byLength = await open('Too long', echo.url, { method: 'POST', headers: { 'content-length': 200 * MB } });
  byLength.on('error', () => undefined);
  byLength.flushHeaders();
  const [refused] = (await once(byLength, 'response')) as [http.IncomingMessage];
  expect(refused.statusCode).toBe(413);
  byLength.destroy();
  const inChunks = await open('Too long in chunks', echo.url, { method: 'POST' });
  const seen = { broken: false };
  const closed = new Promise((resolve) => inChunks.once('close', resolve));
  inChunks.on('error', () => (seen.broken = true));
  inChunks.on('response', (response: http.IncomingMessage) => {
    response.on('error', () => (seen.broken = true));
    response.on('close', () => (seen.broken ||= !response.complete));
    response.resume();
  });
  for (let sent = 0; sent < 200 * MB && !seen.broken && !inChunks.destroyed; sent += piece.length) {
    if (!inChunks.write(piece)) await Promise.race([once(inChunks, 'drain'), closed]).catch(() => undefined);
  }
  while (!seen.broken) await pause(10);
});
