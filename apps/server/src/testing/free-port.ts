import { randomInt } from 'node:crypto';
import net from 'node:net';

/** Processes that test at the same time have ports of their own, and each gives every port once. */
const PORTS = 2_000;
const first = 12_000 + (Number(process.env['VITEST_POOL_ID'] ?? 0) % 10) * PORTS;
let given = randomInt(PORTS);

/**
 * A port that nothing listens on. Below the range from which the kernel picks ports of outgoing connections, so that
 * none of these takes it before the test listens.
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
