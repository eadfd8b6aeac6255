/**
 * Runs in the network namespace of a container. It listens at the address of the proxy, hands the socket to its parent,
 * which is outside, and ends. A socket stays in the namespace in which it was made.
 */
import { createServer } from 'node:net';
import { PROXY_PORT } from './proxy-environment.ts';

const server = createServer();
server.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
server.listen({ host: '127.0.0.1', port: PROXY_PORT }, () => {
  // The raw handle: a server object would accept connections on the way.
  const socket: unknown = Reflect.get(server, '_handle');
  process.send?.('listening', socket as typeof server, {}, () => process.exit(0));
});
