import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

const CHANNEL = 'kethub';
const RECONNECT_MS = 500;
/** A server that does not answer, and a connection that nobody has ended, must not keep it from listening. */
const LIMITS = { keepAlive: true, connectionTimeoutMillis: 5_000, query_timeout: 5_000 };

/** The statement that tells every process, with the payload as its one parameter. */
export const NOTIFY = `select pg_notify('${CHANNEL}', $1)`;

/** One connection that listens, and is opened anew when it is lost. What is told meanwhile is lost. */
export class Listener {
  readonly #url: string;
  readonly #deliver: (channel: string, payload: string) => void;
  readonly #stopped = new AbortController();
  #client: Client | null = null;
  #reconnecting: Promise<void> | null = null;

  constructor(url: string, deliver: (channel: string, payload: string) => void) {
    this.#url = url;
    this.#deliver = deliver;
  }

  async start(): Promise<void> {
    const client = new Client({ connectionString: this.#url, application_name: 'kethub listener', ...LIMITS });
    client.on('notification', ({ payload = '' }) => {
      const space = payload.indexOf(' ');
      this.#deliver(payload.slice(0, space), payload.slice(space + 1));
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
