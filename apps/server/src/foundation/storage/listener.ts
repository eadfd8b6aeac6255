import { setTimeout as pause } from 'node:timers/promises';
import { Client, type PoolClient } from 'pg';

const CHANNEL = 'kethub';
/** Application name of the listening connections, which distinguishes them from other connections to the server. */
const APPLICATION = 'kethub listener';
/** Milliseconds between two attempts to reconnect. */
const RECONNECT_MS = 500;
/** Milliseconds between two checks whether other processes listen, while none does. */
const LOOK_MS = 5_000;
/** The same since another was last heard or found: the check reads all connections of the server. */
const LOOK_AGAIN_MS = 60_000;
/**
 * Time limits in milliseconds: a server that does not answer, or a half-open connection, must not stop the listener
 * for good.
 */
const LIMITS = { keepAlive: true, connectionTimeoutMillis: 5_000, query_timeout: 5_000 };

/** Notifies every process. The one parameter is the list of payloads. */
const NOTIFY = `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) as payload`;

/** Payload that a process sends when it starts to listen. */
const HERE = 'here';
/** True if other processes listen. Every role may read the application names of all connections. */
const OTHERS = `select exists (select from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()
  and datname = current_database()) as others`;

/**
 * Sends all notifications of one turn of the event loop with one statement. This process gets them directly. Nothing
 * is sent while no other process listens.
 */
export class Notifier {
  readonly #send: (statement: string, payloads: readonly string[]) => Promise<unknown>;
  readonly #deliver: (payload: string) => void;
  readonly #listener: Pick<Listener, 'hasCompany'>;
  #waiting = new Set<string>();

  constructor(
    send: (statement: string, payloads: readonly string[]) => Promise<unknown>,
    deliver: (payload: string) => void,
    listener: Pick<Listener, 'hasCompany'>,
  ) {
    this.#send = send;
    this.#deliver = deliver;
    this.#listener = listener;
  }

  notify(payload: string): void {
    if (this.#waiting.size === 0) setImmediate(() => this.#flush());
    this.#waiting.add(payload);
  }

  #flush(): void {
    const payloads = [...this.#waiting];
    this.#waiting = new Set();
    // A notification is a hint: when it cannot be sent, the poll of the receiver finds what it announced.
    if (this.#listener.hasCompany) this.#send(NOTIFY, payloads).catch(() => undefined);
    for (const payload of payloads) this.#deliver(payload);
  }
}

/**
 * One connection that listens to other processes and reconnects when it is lost. Notifications in between are lost, and
 * so are those while it does not listen.
 */
export class Listener {
  readonly #url: string;
  readonly #isOwn: (backend: number) => boolean;
  readonly #deliver: (payload: string) => void;
  readonly #stopped = new AbortController();
  #client: Client | null = null;
  #isWanted = true;
  #closing: Promise<void> = Promise.resolve();
  #hasCompany = true;
  #heard = 0;
  /** Time of the last look, or of what was last heard of another process, in monotonic milliseconds. */
  #knownAt = 0;
  #looking: NodeJS.Timeout | null = null;
  #reconnecting: Promise<void> | null = null;

  /** `isOwn`: whether the server's process serves a connection of this process. */
  constructor(url: string, isOwn: (backend: number) => boolean, deliver: (payload: string) => void) {
    this.#url = url;
    this.#isOwn = isOwn;
    this.#deliver = deliver;
  }

  /**
   * True if another process may be listening. A process announces itself when it starts; its end is noticed within
   * a minute. One that does not listen hears of no announcement.
   */
  get hasCompany(): boolean {
    return !this.#isWanted || this.#hasCompany;
  }

  /** Listens from now on, or closes the connection. */
  setListening(isWanted: boolean): void {
    if (isWanted === this.#isWanted || this.#stopped.signal.aborted) return;
    this.#isWanted = isWanted;
    if (isWanted) this.#reconnecting ??= this.#reconnect();
    else this.#close();
  }

  #close(): void {
    const client = this.#client;
    this.#client = null;
    if (client) this.#closing = client.end().catch(() => undefined);
  }

  async start(): Promise<void> {
    const client = new Client({ connectionString: this.#url, ...LIMITS });
    client.on('notification', ({ processId, payload = '' }) => {
      if (processId === backendOf(client) || this.#isOwn(processId)) return;
      this.#hear();
      if (payload !== HERE) this.#deliver(payload);
    });
    // The event `end` follows and is handled below.
    client.on('error', () => undefined);
    client.once('end', () => {
      if (this.#client !== client) return;
      this.#client = null;
      this.#reconnecting ??= this.#reconnect();
    });
    try {
      await client.connect();
      // An application name in the address takes precedence over an option, so it is set here.
      await client.query(`select set_config('application_name', $1, false)`, [APPLICATION]);
      await client.query(`listen ${CHANNEL}`);
      await client.query(NOTIFY, [[HERE]]);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    // From here on, the handler of `end` reconnects.
    this.#client = client;
    if (!this.#isWanted) return this.#close();
    await this.#look(client);
    this.#looking ??= setInterval(() => {
      const everyMs = this.#hasCompany ? LOOK_AGAIN_MS : LOOK_MS;
      if (this.#client && performance.now() - this.#knownAt >= everyMs) void this.#look(this.#client);
    }, LOOK_MS).unref();
  }

  #hear(): void {
    this.#heard += 1;
    this.#knownAt = performance.now();
    this.#hasCompany = true;
  }

  async #look(client: Client): Promise<void> {
    const heard = this.#heard;
    this.#knownAt = performance.now();
    try {
      const { rows } = await client.query<{ others: boolean }>(OTHERS, [APPLICATION]);
      // A process that has announced itself since the query began may be missing in its result.
      this.#hasCompany = this.#heard !== heard || rows[0]?.others !== false;
    } catch {
      // If the query fails, another process may be listening.
      this.#hasCompany = true;
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#reconnecting;
    if (this.#looking) clearInterval(this.#looking);
    this.#close();
    await this.#closing;
  }

  /** Tries to reconnect, one attempt at a time, so that an outage of hours leaves one connection. */
  async #reconnect(): Promise<void> {
    while (this.#client === null && this.#isWanted && !this.#stopped.signal.aborted) {
      await pause(RECONNECT_MS, null, { signal: this.#stopped.signal }).catch(() => undefined);
      if (this.#isWanted && !this.#stopped.signal.aborted) await this.start().catch(() => undefined);
    }
    this.#reconnecting = null;
  }
}

/**
 * Process id of the server behind a connection. Notifications name their sender by it. The types of the driver lack
 * it.
 */
export function backendOf(client: Client | PoolClient): number {
  return 'processID' in client && typeof client.processID === 'number' ? client.processID : -1;
}
