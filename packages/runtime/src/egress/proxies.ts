import { fork, type ChildProcess, type SendHandle } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listenInside, type Inside, type ListeningSocket } from './listen-inside.ts';
import type { FromProxy, ToProxy } from './proxy-main.ts';

const MAIN = fileURLToPath(new URL('proxy-main.ts', import.meta.url));
/** Milliseconds before a proxy process that has ended is started again. */
const AGAIN_MS = 200;

/** The proxy of one sandbox or container, which is its only way to the network. */
export interface EgressProxy {
  /** Called for each refused connection. */
  onRefused: (target: string, why: string) => void;
  close(): void;
}

/** The proxy of a sandbox: a folder with its socket. */
export interface FolderProxy extends EgressProxy {
  /** The folder on this machine. */
  readonly dir: string;
  /** Resolves when the proxy listens on the socket, or has closed. */
  readonly listens: Promise<void>;
}

interface Opened {
  message: Extract<ToProxy, { kind: 'open' }>;
  handle: ListeningSocket | undefined;
  proxy: EgressProxy;
  listens: () => void;
}

/**
 * Opens proxies for sandboxes and containers, in one proxy process. The process starts when the first proxy is needed
 * and the allowed networks are known. A runner that has taken over executions does not know them yet; connections wait
 * until it does.
 */
export class EgressProxies {
  readonly #dir: string;
  readonly #uid: number | null;
  readonly #reachable: (path: string) => string;
  readonly #nameServers: readonly string[];
  readonly #open = new Map<string, Opened>();
  /** Null until a platform has named them. */
  #networks: readonly string[] | null = null;
  #proxy: ChildProcess | null = null;
  #made = 0;
  #closed = false;

  /**
   * @param uid the unprivileged user of the proxy, or null to keep our own.
   * @param reachable the path by which that user reaches one of our folders.
   * @param nameServers servers that are asked for names in the place of those of the system and its hosts file.
   */
  constructor(
    dir: string,
    uid: number | null,
    reachable: (path: string) => string,
    nameServers: readonly string[] = [],
  ) {
    this.#dir = dir;
    this.#uid = uid;
    this.#reachable = reachable;
    this.#nameServers = nameServers;
    rmSync(dir, { recursive: true, force: true });
  }

  /** Sets the private networks that services may reach, as configured by the operator. */
  allow(networks: readonly string[]): void {
    this.#networks = networks;
    if (this.#proxy !== null) this.#send({ kind: 'networks', networks: [...networks] });
    else if (this.#open.size > 0) this.#start();
  }

  open(hosts: readonly string[]): FolderProxy {
    const id = String(++this.#made);
    const dir = `${this.#dir}/${id}`;
    mkdirSync(dir, { recursive: true, mode: 0o711 });
    chmodSync(this.#dir, 0o711); // independent of the umask
    chmodSync(dir, 0o711);
    if (this.#uid !== null) chownSync(dir, this.#uid, this.#uid);
    const socket = `${this.#reachable(dir)}/proxy.sock`;
    const listens = Promise.withResolvers<void>();
    const message = { kind: 'open' as const, id, socket, hosts: [...hosts] };
    const proxy = this.#make({ message, handle: undefined, listens: listens.resolve }, () => {
      listens.resolve();
      rmSync(dir, { recursive: true, force: true });
    });
    return Object.assign(proxy, { dir, listens: listens.promise });
  }

  /**
   * Opens a proxy on the loopback of a container without a network.
   * @throws when its network namespace cannot be entered.
   */
  async openInContainer(hosts: readonly string[], inside: Inside): Promise<EgressProxy> {
    const handle = await listenInside(inside);
    const message = { kind: 'open' as const, id: String(++this.#made), socket: null, hosts: [...hosts] };
    return this.#make({ message, handle, listens: () => undefined }, () => {
      handle.close();
    });
  }

  #make(opened: Omit<Opened, 'proxy'>, closed: () => void): EgressProxy {
    const { message, handle } = opened;
    const proxy: EgressProxy = {
      onRefused: () => undefined,
      close: () => {
        if (!this.#open.delete(message.id)) return;
        this.#send({ kind: 'close', id: message.id });
        closed();
      },
    };
    this.#open.set(message.id, { ...opened, proxy });
    if (this.#proxy !== null) this.#send(message, handle);
    else if (this.#networks !== null) this.#start();
    return proxy;
  }

  close(): void {
    this.#closed = true;
    this.#proxy?.kill('SIGKILL');
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #start(): void {
    const child = fork(MAIN, [this.#uid === null ? '-' : String(this.#uid), this.#nameServers.join(',')], {
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
      execArgv: [],
    });
    this.#proxy = child;
    child.on('message', (message: FromProxy) => {
      this.#heard(message);
    });
    child.on('error', (error) => {
      console.error(`the proxy of services: ${error.message}`);
    });
    child.once('exit', (code, signal) => {
      this.#proxy = null;
      if (this.#closed) return;
      console.error(`the proxy of services ended (${code ?? signal}); connections of services are broken`);
      if (this.#open.size > 0) setTimeout(() => this.#proxy ?? this.#start(), AGAIN_MS);
    });
    this.#send({ kind: 'networks', networks: [...(this.#networks ?? [])] });
    for (const { message, handle } of this.#open.values()) this.#send(message, handle);
  }

  #send(message: ToProxy, handle?: SendHandle): void {
    if (this.#proxy?.connected === true) this.#proxy.send(message, handle);
  }

  #heard(message: FromProxy): void {
    const open = this.#open.get(message.id);
    if (message.kind === 'listening') open?.listens();
    else open?.proxy.onRefused(message.target, message.why);
  }
}
