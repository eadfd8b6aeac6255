import http from 'node:http';
import { untilInputEnds } from './until-input-ends.ts';

// A bare node:http server that answers every request with the same bytes.
const { body } = JSON.parse(process.argv[2] ?? '{}') as { body: string };
const bytes = Buffer.from(body);
const server = http.createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length });
  response.end(bytes);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('Not listening');
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}/` })}\n`);
});
await untilInputEnds();
server.closeAllConnections();
server.close();
