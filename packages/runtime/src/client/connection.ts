import { connect, type Socket } from 'node:net';
import { socketAddress, type RunnerPaths } from '../paths.ts';
import { encodeFrame, FrameReader } from '../protocol/frames.ts';
import type { Message, Method, Methods, WireError } from '../protocol/messages.ts';
import { RuntimeUnavailable, StartRefused, type LogLine } from '../types.ts';

interface Pending {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  onLine: ((line: LogLine) => void) | undefined;
}

interface Welcome {
  protocol: number;
  version: string;
  runnerPid: number;
}

export type RunnerEvent = Extract<Message, { event: 'ended' | 'log' }>;

export interface RequestOptions {
  body?: Buffer;
  onLine?: ((line: LogLine) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Milliseconds for the greeting of a runner. Beyond them the runner counts as stuck. */
const WELCOME_MS = 10_000;

/** One connection to a runner, from its welcome to its end. */
export class Connection {
  readonly welcome: Welcome;
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>;
  onEvent: (event: RunnerEvent) => void = () => undefined;
  readonly #socket: Socket;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #open = true;

  private constructor(socket: Socket, reader: { take: (message: Message) => void }, welcome: Welcome) {
    this.#socket = socket;
    this.welcome = welcome;
    reader.take = (message) => {
      this.#take(message);
    };
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#fail();
        resolve();
      });
    });
  }

  /** Connects, or returns null when nobody listens. */
  static async open(paths: RunnerPaths): Promise<Connection | null> {
    const { path, release } = socketAddress(paths);
    const socket = connect(path);
    const welcomeTimer = setTimeout(() => socket.destroy(), WELCOME_MS);
    return new Promise((resolve) => {
      const handler = {
        take: (message: Message): void => {
          if (message.event !== 'welcome') return;
          clearTimeout(welcomeTimer);
          resolve(new Connection(socket, handler, message));
        },
      };
      const reader = new FrameReader(({ header }) => {
        handler.take(header as Message);
      });
      socket.on('data', (chunk: Buffer) => {
        reader.push(chunk);
      });
      socket.once('connect', release);
      socket.on('error', () => {
        socket.destroy(); // ENOENT, ECONNREFUSED, ECONNRESET: 'close' follows
      });
      socket.once('close', () => {
        clearTimeout(welcomeTimer);
        release();
        resolve(null);
      });
    });
  }

  /**
   * @throws RuntimeUnavailable when the connection is lost before the answer; StartRefused when the runner refuses a
   * start.
   */
  async request<M extends Method>(
    method: M,
    params: Methods[M]['params'],
    options: RequestOptions = {},
  ): Promise<Methods[M]['result']> {
    if (!this.#open) throw new RuntimeUnavailable('The connection to the runner is lost.');
    const id = ++this.#lastId;
    const { body, onLine, signal } = options;
    const abort = (): void => {
      // a lost connection fails the request itself
      if (this.#open) this.request('abort', { target: id }).catch(() => undefined);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const answer = new Promise<unknown>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject, onLine });
      });
      this.#socket.write(encodeFrame({ id, method, params }, body));
      if (signal?.aborted) abort();
      return (await answer) as Methods[M]['result'];
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  close(): void {
    this.#socket.end();
  }

  #take(message: Message): void {
    if (message.event === 'ended' || message.event === 'log') {
      this.onEvent(message);
    } else if (message.event !== 'welcome') {
      const pending = this.#pending.get(message.id);
      if (message.event === 'line') {
        pending?.onLine?.(message.line);
        return;
      }
      this.#pending.delete(message.id);
      if (message.event === 'answer') pending?.resolve(message.value);
      else pending?.reject(errorOf(message.error));
    }
  }

  #fail(): void {
    this.#open = false;
    for (const pending of this.#pending.values()) {
      pending.reject(new RuntimeUnavailable('The connection to the runner was lost before it had answered.'));
    }
    this.#pending.clear();
  }
}

function errorOf({ name, message }: WireError): Error {
  if (name === 'StartRefused') return new StartRefused(message);
  if (name === 'RuntimeUnavailable') return new RuntimeUnavailable(message);
  return new Error(`The runner answers: ${message}`);
}
