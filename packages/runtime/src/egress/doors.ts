import { fork, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FromProxy, ToProxy } from './proxy-main.ts';

const MAIN = fileURLToPath(new URL('proxy-main.ts', import.meta.url));
const AGAIN_MS = 200;
/** More refusals than these are counted, not told. */
const TOLD = 50;

/** The way out of one sandbox: a folder with the socket of its proxy. */
export interface Door {
  /** On this machine. */
  readonly dir: string;
  /** Told of each connection that was refused. */
  onRefused: (target: string, why: string) => void;
  close(): void;
}

/** Opens ways out of sandboxes, through a proxy process that is started when the first is needed. */
export class Doors {
  readonly #dir: string;
  readonly #uid: number | null;
  readonly #reachable: (path: string) => string;
  readonly #open = new Map<string, { message: Extract<ToProxy, { kind: 'open' }>; door: Door; refusals: number }>();
  #networks: readonly string[] = [];
  #proxy: ChildProcess | null = null;
  #made = 0;
  #closed = false;

  /**
   * @param uid the unprivileged user of the proxy, or null to stay who we are.
   * @param reachable the path under which that user reaches a folder of ours.
   */
  constructor(dir: string, uid: number | null, reachable: (path: string) => string) {
    this.#dir = dir;
    this.#uid = uid;
    this.#reachable = reachable;
    rmSync(dir, { recursive: true, force: true });
  }

  /** Private networks that services may reach, as the operator has said. */
  allow(networks: readonly string[]): void {
    this.#networks = networks;
    this.#tell({ kind: 'networks', networks: [...networks] });
  }

  open(hosts: readonly string[]): Door {
    const id = String(++this.#made);
    const dir = `${this.#dir}/${id}`;
    mkdirSync(dir, { recursive: true, mode: 0o711 });
    chmodSync(this.#dir, 0o711); // whatever the umask
    chmodSync(dir, 0o711);
    if (this.#uid !== null) chownSync(dir, this.#uid, this.#uid);
    const message = { kind: 'open' as const, id, socket: `${this.#reachable(dir)}/proxy.sock`, hosts: [...hosts] };
    const door: Door = {
      dir,
      onRefused: () => undefined,
      close: () => {
        this.#open.delete(id);
        this.#tell({ kind: 'close', id });
        rmSync(dir, { recursive: true, force: true });
      },
    };
    this.#open.set(id, { message, door, refusals: 0 });
    if (this.#proxy === null) this.#start();
    else this.#tell(message);
    return door;
  }

  close(): void {
    this.#closed = true;
    this.#proxy?.kill('SIGKILL');
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #start(): void {
    const child = fork(MAIN, [this.#uid === null ? '-' : String(this.#uid)], {
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
      execArgv: [],
    });
    this.#proxy = child;
    child.on('message', (message: FromProxy) => {
      this.#refused(message);
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
    this.allow(this.#networks);
    for (const { message } of this.#open.values()) this.#tell(message);
  }

  #tell(message: ToProxy): void {
    if (this.#proxy?.connected === true) this.#proxy.send(message);
  }

  #refused({ id, target, why }: FromProxy): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    open.refusals += 1;
    if (open.refusals <= TOLD) open.door.onRefused(target, why);
    if (open.refusals === TOLD) open.door.onRefused(target, 'further refusals are not told');
  }
}
