import { setTimeout as pause } from 'node:timers/promises';
import { Client, type PoolClient } from 'pg';

const CHANNEL = 'kethub';
/** By which other processes are told apart from everybody else on the server. */
const APPLICATION = 'kethub listener';
const RECONNECT_MS = 500;
const LOOK_MS = 5_000;
/** A server that does not answer, and a connection that nobody has ended, must not keep it from listening. */
const LIMITS = { keepAlive: true, connectionTimeoutMillis: 5_000, query_timeout: 5_000 };

/** The statement that tells every process, with the payloads as its one parameter. */
const NOTIFY = `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) as payload`;

/** What a process says that begins to listen. */
const HERE = 'here';
/** Names of applications are seen by everybody, whoever's they are. */
const OTHERS = `select exists (select from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()
  and datname = current_database()) as others`;

/**
 * Sends what is told in one turn of the event loop with one statement: many instances that end together are one. This
 * process learns of it without the way through the database, and where no other listens nothing is sent.
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

/** One connection that listens to other processes, and is opened anew when it is lost. What is told meanwhile is lost. */
export class Listener {
  readonly #url: string;
  readonly #isOwn: (backend: number) => boolean;
  readonly #deliver: (payload: string) => void;
  readonly #stopped = new AbortController();
  #client: Client | null = null;
  #hasCompany = true;
  #heard = 0;
  #looking: NodeJS.Timeout | null = null;
  #reconnecting: Promise<void> | null = null;

  /** `isOwn`: whether the server's process serves a connection of this process. */
  constructor(url: string, isOwn: (backend: number) => boolean, deliver: (payload: string) => void) {
    this.#url = url;
    this.#isOwn = isOwn;
    this.#deliver = deliver;
  }

  /** Whether another process may be listening. One that begins to says so; that none is left is found within seconds. */
  get hasCompany(): boolean {
    return this.#hasCompany;
  }

  async start(): Promise<void> {
    const client = new Client({ connectionString: this.#url, ...LIMITS });
    client.on('notification', ({ processId, payload = '' }) => {
      if (processId === backendOf(client) || this.#isOwn(processId)) return;
      this.#hear();
      if (payload !== HERE) this.#deliver(payload);
    });
    // What ends it is told by its end.
    client.on('error', () => undefined);
    client.once('end', () => {
      if (this.#client !== client) return;
      this.#client = null;
      this.#reconnecting ??= this.#reconnect();
    });
    try {
      await client.connect();
      // An address may name an application of its own, and an option beside it gives way.
      await client.query(`select set_config('application_name', $1, false)`, [APPLICATION]);
      await client.query(`listen ${CHANNEL}`);
      await client.query(NOTIFY, [[HERE]]);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    // From now on its end is noticed.
    this.#client = client;
    await this.#look(client);
    this.#looking ??= setInterval(() => {
      if (this.#client) void this.#look(this.#client);
    }, LOOK_MS).unref();
  }

  #hear(): void {
    this.#heard += 1;
    this.#hasCompany = true;
  }

  async #look(client: Client): Promise<void> {
    const heard = this.#heard;
    try {
      const { rows } = await client.query<{ others: boolean }>(OTHERS, [APPLICATION]);
      // Who has said since this began that it is there may not be among those who were found.
      this.#hasCompany = this.#heard !== heard || rows[0]?.others !== false;
    } catch {
      // Where it cannot be seen, somebody may be there.
      this.#hasCompany = true;
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#reconnecting;
    if (this.#looking) clearInterval(this.#looking);
    await this.#client?.end();
  }

  /** One attempt after the other: an outage of hours must not leave more connections than one. */
  async #reconnect(): Promise<void> {
    while (this.#client === null && !this.#stopped.signal.aborted) {
      await pause(RECONNECT_MS, null, { signal: this.#stopped.signal }).catch(() => undefined);
      if (!this.#stopped.signal.aborted) await this.start().catch(() => undefined);
    }
    this.#reconnecting = null;
  }
}

/** The server's process behind a connection, by which notifications name who has told them. The driver's types leave it out. */
export function backendOf(client: Client | PoolClient): number {
  return 'processID' in client && typeof client.processID === 'number' ? client.processID : -1;
}
