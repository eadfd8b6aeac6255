import { spawnSync } from 'node:child_process';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, connect, type Server, type Socket } from 'node:net';

/** Milliseconds between two looks for new services. */
const LOOK_MS = 300;
/** Answers of the name server: no such name, and no failure. */
const [NO_NAME, FOUND] = [3, 0];
/** Type of a question for an IPv4 address. */
const TYPE_A = 1;

type Ask = (method: string, path: string) => Promise<{ body: Record<string, unknown> }>;

interface Service {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly clusterIP?: string;
    readonly ports?: readonly { readonly name?: string; readonly port: number; readonly protocol: string }[];
  };
}

interface Slice {
  readonly ports?: readonly { readonly name?: string; readonly port: number }[];
  readonly endpoints?: readonly { readonly addresses: readonly string[]; readonly conditions?: { ready?: boolean } }[];
}

interface Node {
  /** Address of the name server. */
  readonly address: string;
  /** Link that takes the addresses of services. */
  readonly link: string;
  /** Port of the API server, which announces that address and listens on loopback. */
  readonly apiPort: number;
}

/**
 * Stands in for kube-proxy and the name server of a cluster. It takes the addresses of services on a link of this
 * machine, and leads each connection to a ready endpoint. The real kube-proxy writes rules into the machine's packet
 * filter, where those of two test clusters would be in each other's way.
 */
export async function serveServices(ask: Ask, node: Node): Promise<{ close(): void }> {
  const servers = new Map<string, Server>();
  const sockets = new Set<Socket>();
  const names = new Map<string, string>();
  const endpointOf = async (
    { metadata }: Service,
    portName: string,
  ): Promise<{ host: string; port: number } | null> => {
    const where = `/apis/discovery.k8s.io/v1/namespaces/${metadata.namespace}/endpointslices`;
    const { body } = await ask('GET', `${where}?labelSelector=kubernetes.io/service-name=${metadata.name}`);
    const all = (body['items'] as readonly Slice[]).flatMap(({ ports = [], endpoints = [] }) =>
      endpoints
        .filter(({ conditions }) => conditions?.ready !== false)
        .flatMap(({ addresses: [host] }) =>
          ports
            .filter(({ name = '' }) => name === portName)
            .flatMap(({ port }) => (host === undefined ? [] : [{ host, port }])),
        ),
    );
    const chosen = all[Math.floor(Math.random() * all.length)];
    if (chosen === undefined) return null;
    return chosen.host === node.address && chosen.port === node.apiPort ? { ...chosen, host: '127.0.0.1' } : chosen;
  };
  const lead = async (socket: Socket, service: Service, portName: string): Promise<void> => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    const endpoint = await endpointOf(service, portName).catch(() => null);
    if (endpoint === null || socket.destroyed) return void socket.resetAndDestroy();
    const other = connect(endpoint);
    sockets.add(other);
    other.once('close', () => void (sockets.delete(other), socket.destroy())).on('error', () => socket.destroy());
    socket.once('close', () => other.destroy());
    socket.pipe(other).pipe(socket);
  };
  const look = async (): Promise<void> => {
    const { body } = await ask('GET', '/api/v1/services');
    const services = body['items'] as readonly Service[];
    names.clear();
    const wanted = new Set<string>();
    for (const service of services) {
      const { clusterIP: address = 'None', ports = [] } = service.spec;
      if (address === 'None') continue;
      names.set(`${service.metadata.name}.${service.metadata.namespace}.svc.cluster.local`, address);
      for (const { port, name = '' } of ports) {
        const key = `${address} ${port}`;
        wanted.add(key);
        if (servers.has(key)) continue;
        spawnSync('ip', ['address', 'add', `${address}/32`, 'dev', node.link], { stdio: 'ignore' });
        const server = createServer((socket) => void lead(socket, service, name));
        servers.set(key, server.on('error', () => servers.delete(key)).listen(port, address));
      }
    }
    for (const [key, server] of servers) if (!wanted.has(key)) void (server.close(), servers.delete(key));
  };
  await look();
  // An API server that is away has the services that it had.
  const looking = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  const nameServer = await serveNames(node.address, names);
  return {
    close() {
      clearInterval(looking);
      nameServer.close();
      for (const server of servers.values()) server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Answers questions for the addresses of services. There is no other name. */
async function serveNames(address: string, names: ReadonlyMap<string, string>): Promise<UdpSocket> {
  const server = createSocket('udp4');
  server.on('message', (question, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = question[at] ?? 0; length > 0 && length < 64; length = question[at] ?? 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length).toLowerCase());
      at += 1 + length;
    }
    if (question.length < at + 5) return;
    const found = names.get(labels.join('.'));
    const isA = question.readUInt16BE(at + 1) === TYPE_A;
    const header = Buffer.from(question.subarray(0, 12));
    // An answer of an authority, without further sections.
    header.writeUInt16BE(0x84_80 | (found === undefined ? NO_NAME : FOUND), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(found !== undefined && isA ? 1 : 0, 6);
    header.writeUInt32BE(0, 8);
    const parts = [header, question.subarray(12, at + 5)];
    if (found !== undefined && isA) {
      // The name of the question, an IPv4 address of the Internet, for a second.
      const record = Buffer.from('c00c00010001000000010004', 'hex');
      parts.push(record, Buffer.from(found.split('.').map(Number)));
    }
    server.send(Buffer.concat(parts), from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).bind(53, address, resolve);
  });
  return server;
}
