import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import type { ConnectionSettings } from '../config/index.ts';
import { networkOf } from './network.ts';
import { refuseConnection } from './refuse-connection.ts';

/** One in eight connections is reserved for known networks: those from which a caller was admitted lately. */
const RESERVED = 8;
/** Milliseconds for which a network stays known after a caller was admitted from it. */
const KNOWN_MS = 60 * 60 * 1000;
/** Known networks that are remembered; one more replaces the one that was admitted longest ago. */
const KNOWN_NETWORKS = 10_000;

interface Connection {
  readonly socket: Socket;
  readonly network: string;
  isKnown: boolean;
}

/**
 * Bounds the connections on all ports of a process: for each network (an IPv4 address, or a /64 of IPv6), and in
 * total. A part of the total is reserved for known networks. When the rest is used up, a new connection replaces the
 * oldest one of the network that has the most. So a network that opens many connections loses them first.
 *
 * Connections of trusted proxies count towards the total only. Requests that come through a proxy are counted by
 * network.
 */
export class ConnectionLimits {
  readonly #settings: ConnectionSettings;
  readonly #now: () => number;
  readonly #proxies: BlockList;
  readonly #open = new Map<Socket, Connection>();
  readonly #byNetwork = new Map<string, Set<Connection>>();
  readonly #known = new Map<string, number>();
  readonly #requests = new Map<string, number>();
  #strangers = 0;

  /** `now` in epoch milliseconds. */
  constructor(settings: ConnectionSettings, trustedProxies: readonly string[], now: () => number) {
    this.#settings = settings;
    this.#now = now;
    this.#proxies = blockListOf(trustedProxies);
  }

  /** Number of open connections. */
  get size(): number {
    return this.#open.size;
  }

  /** Bounds the connections of a server, before any other listener sees them. */
  watch(server: Server): void {
    server.prependListener('connection', (socket: Socket) => this.#opened(socket));
  }

  /** Marks the connection and its network as known: a caller was admitted on it, with this client address. */
  admitted(socket: Socket, address: string): void {
    const connection = this.#open.get(socket);
    if (!connection || connection.isKnown) return;
    connection.isKnown = true;
    this.#strangers -= 1;
    const network = networkOf(address);
    this.#known.delete(network);
    this.#known.set(network, this.#now());
    if (this.#known.size > KNOWN_NETWORKS) this.#known.delete(this.#known.keys().next().value ?? '');
  }

  /** Counts a request through a proxy until it is answered. Returns whether its network has too many already. */
  isTooMany(request: IncomingMessage, answer: ServerResponse, address: string): boolean {
    if (!this.#isProxy(request.socket)) return false;
    const network = networkOf(address);
    const count = this.#requests.get(network) ?? 0;
    if (count >= this.#settings.ofAddress) return true;
    this.#requests.set(network, count + 1);
    answer.once('close', () => {
      const left = (this.#requests.get(network) ?? 1) - 1;
      if (left > 0) this.#requests.set(network, left);
      else this.#requests.delete(network);
    });
    return false;
  }

  #opened(socket: Socket): void {
    const isProxy = this.#isProxy(socket);
    const network = isProxy ? '' : networkOf(socket.remoteAddress ?? '');
    const { ofAddress, inAll } = this.#settings;
    if (!isProxy && (this.#byNetwork.get(network)?.size ?? 0) >= ofAddress) return refuseConnection(socket, 429);
    const isKnown = isProxy || this.#isKnown(network);
    const isFull = this.#open.size >= inAll || (!isKnown && this.#strangers >= inAll - Math.ceil(inAll / RESERVED));
    if (isFull && !this.#evictOldest(network)) return refuseConnection(socket, 503);
    this.#add({ socket, network, isKnown });
  }

  #add(connection: Connection): void {
    const { socket, network } = connection;
    const ofNetwork = this.#byNetwork.get(network) ?? new Set();
    this.#open.set(socket, connection);
    this.#byNetwork.set(network, ofNetwork.add(connection));
    if (!connection.isKnown) this.#strangers += 1;
    socket.once('close', () => this.#remove(connection));
  }

  #remove(connection: Connection): void {
    const { socket, network, isKnown } = connection;
    if (!this.#open.delete(socket)) return;
    if (!isKnown) this.#strangers -= 1;
    const ofNetwork = this.#byNetwork.get(network);
    ofNetwork?.delete(connection);
    if (ofNetwork?.size === 0) this.#byNetwork.delete(network);
  }

  /**
   * Closes the oldest unknown connection of the network with the most, unless `newcomer` has as many. Returns whether
   * it did.
   */
  #evictOldest(newcomer: string): boolean {
    const most = [...this.#byNetwork.values()].reduce<{ victim: Connection | null; size: number }>(
      (before, of) => {
        if (of.size <= before.size) return before;
        const victim = [...of].find(({ isKnown }) => !isKnown);
        return victim ? { victim, size: of.size } : before;
      },
      { victim: null, size: this.#byNetwork.get(newcomer)?.size ?? 0 },
    );
    if (!most.victim) return false;
    this.#remove(most.victim);
    most.victim.socket.destroy();
    return true;
  }

  #isKnown(network: string): boolean {
    return (this.#known.get(network) ?? Number.NEGATIVE_INFINITY) > this.#now() - KNOWN_MS;
  }

  #isProxy({ remoteAddress = '' }: Socket): boolean {
    const address = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remoteAddress)?.[1] ?? remoteAddress;
    const version = isIP(address);
    return version !== 0 && this.#proxies.check(address, version === 6 ? 'ipv6' : 'ipv4');
  }
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const one of networks) {
    const [address = '', bits] = one.split('/');
    const type = address.includes(':') ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, type);
    else list.addSubnet(address, Number(bits), type);
  }
  return list;
}
