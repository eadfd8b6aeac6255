import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

const CHANNEL = 'kethub';
const RECONNECT_MS = 500;
/** A server that does not answer, and a connection that nobody has ended, must not keep it from listening. */
const LIMITS = { keepAlive: true, connectionTimeoutMillis: 5_000, query_timeout: 5_000 };

/** The statement that tells every process, with the payloads as its one parameter. */
const NOTIFY = `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) as payload`;

/**
 * Sends what is told in one turn of the event loop with one statement: many instances that end together are one. This
 * process learns of it without the way through the database.
 */
export class Teller {
  readonly #send: (statement: string, payloads: readonly string[]) => Promise<unknown>;
  readonly #deliver: (payload: string) => void;
  #waiting = new Set<string>();

  constructor(
    send: (statement: string, payloads: readonly string[]) => Promise<unknown>,
    deliver: (payload: string) => void,
  ) {
    this.#send = send;
    this.#deliver = deliver;
  }

  tell(payload: string): void {
    if (this.#waiting.size === 0) setImmediate(() => this.#flush());
    this.#waiting.add(payload);
  }

  #flush(): void {
    const payloads = [...this.#waiting];
    this.#waiting = new Set();
    // A notification is a hint: when it cannot be sent, the poll of the receiver finds what it announced.
    this.#send(NOTIFY, payloads).catch(() => undefined);
    for (const payload of payloads) this.#deliver(payload);
  }
}

/** One connection that listens to other processes, and is opened anew when it is lost. What is told meanwhile is lost. */
export class Listener {
  readonly #url: string;
  readonly #isOwn: (backend: number) => boolean;
  readonly #deliver: (payload: string) => void;
  readonly #stopped = new AbortController();
  #client: Client | null = null;
  #reconnecting: Promise<void> | null = null;

  /** `isOwn`: whether the server's process serves a connection of this process. */
  constructor(url: string, isOwn: (backend: number) => boolean, deliver: (payload: string) => void) {
    this.#url = url;
    this.#isOwn = isOwn;
    this.#deliver = deliver;
  }

  async start(): Promise<void> {
    const client = new Client({ connectionString: this.#url, application_name: 'kethub listener', ...LIMITS });
    client.on('notification', ({ processId, payload = '' }) => {
      if (!this.#isOwn(processId)) this.#deliver(payload);
    });
    // What ends it is told by its end.
    client.on('error', () => undefined);
    client.once('end', () => {
      if (this.#client === client) this.#reconnecting ??= this.#reconnect();
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#reconnecting;
    await this.#client?.end();
  }

  /** One attempt after the other: an outage of hours must not leave more connections than one. */
  async #reconnect(): Promise<void> {
    this.#client = null;
    while (this.#client === null && !this.#stopped.signal.aborted) {
      await pause(RECONNECT_MS, null, { signal: this.#stopped.signal }).catch(() => undefined);
      if (!this.#stopped.signal.aborted) await this.start().catch(() => undefined);
    }
    this.#reconnecting = null;
  }
}
