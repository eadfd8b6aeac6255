import { randomInt } from 'node:crypto';
import net from 'node:net';

/** Ports of one process. Each test process has its own range and gives every port once before it repeats. */
const PORTS = 2_000;
const first = 12_000 + (Number(process.env['VITEST_POOL_ID'] ?? 0) % 10) * PORTS;
let given = randomInt(PORTS);

/**
 * Finds a port that no program listens on. It lies below the range from which the kernel picks ports of outgoing
 * connections, so that none of these takes it before a server listens.
 */
export async function freePort(): Promise<number> {
  const port = first + (given++ % PORTS);
  const server = net.createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!free) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
