import { once } from 'node:events';
import net from 'node:net';

type How = 'FORWARD' | 'SLOW' | 'REFUSE' | 'SILENT';

/** Milliseconds by which SLOW delays each chunk. */
const SLOW_MS = 1_800;

/** A connection to a server that can be cut. */
export interface TcpProxy {
  /** Address under which the server is reached, as http URL without a slash at the end. */
  readonly origin: string;
  /** Sets the treatment of new connections; open ones end. SLOW delays every chunk to the server by 1.8 s. */
  behave(how: How): void;
  /** Sets another server for new connections. */
  lead(target: URL): void;
  /** Counts the connections that were opened so far. */
  connections(): number;
  close(): Promise<void>;
}

/** Starts a proxy to `target` on a free port of loopback. */
export async function startTcpProxy(first: URL): Promise<TcpProxy> {
  let target = first;
  let how: How = 'FORWARD';
  let count = 0;
  const open = new Set<net.Socket>();
  const keep = (socket: net.Socket): void => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // The test cuts connections on purpose; the platform has to notice.
    socket.on('error', () => socket.destroy());
  };
  const server = net.createServer((near) => {
    count++;
    keep(near);
    if (how === 'REFUSE') near.destroy();
    if (how !== 'FORWARD' && how !== 'SLOW') return;
    const far = net.connect(Number(target.port || 80), target.hostname);
    keep(far);
    if (how === 'SLOW') near.on('data', (piece) => void setTimeout(() => far.write(piece), SLOW_MS));
    else near.pipe(far);
    far.pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The proxy has no port');
  const cut = (): void => open.forEach((socket) => void socket.destroy());
  return {
    origin: `http://127.0.0.1:${address.port}`,
    behave(next) {
      how = next;
      cut();
    },
    lead(next) {
      target = next;
      cut();
    },
    connections: () => count,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
