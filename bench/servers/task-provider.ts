import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { untilInputEnds } from './until-input-ends.ts';

/** The request that a task of the measured workflow sends. */
interface Sent {
  readonly sent: number;
  readonly who: string;
}

// A provider's service whose work is done when it answers: the smallest managed-service interface. It records the time
// from the request for an instance to the handover of its task. `GET /hand-overs` returns and clears these times.
let handOvers: Record<string, number[]> = {};
let last = 0;
const server = http.createServer((request, response) => {
  const answer = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (request.url === '/hand-overs') {
    answer(200, handOvers);
    handOvers = {};
    return;
  }
  if (request.method !== 'POST') return answer(200, request.url?.endsWith('/result') ? { n: 1 } : ended(request.url));
  const arrived = performance.timeOrigin + performance.now();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { sent, who } = JSON.parse(Buffer.concat(chunks).toString()) as Sent;
    (handOvers[who] ??= []).push(arrived - sent);
    last += 1;
    answer(201, ended(`/${last}`));
  });
});

function ended(path = '/'): object {
  return { id: path.slice(1), status: 'SUCCEEDED' };
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
await untilInputEnds();
server.closeAllConnections();
server.close();
