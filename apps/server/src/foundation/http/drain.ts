import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two looks at the connections that are left. */
const LOOK_MS = 50;
/** Milliseconds in which the first request of a connection arrives. It is on its way when the server stops to accept. */
const FIRST_REQUEST_MS = 1_000;

/** Lets a server answer the requests that it has received before the process ends. */
export class Drain {
  readonly #server: Server;
  /** Open connections. Each has the end of the time for its first request; 0 once that has arrived. */
  readonly #sockets = new Map<Socket, number>();
  readonly #waits = new Set<() => void>();
  #isBegun = false;
  #isFinishing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#sockets.set(socket, performance.now() + FIRST_REQUEST_MS);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', ({ socket }: IncomingMessage) => {
      if (this.#sockets.has(socket)) this.#sockets.set(socket, 0);
    });
  }

  /** True once the process is to end: a load balancer should send it no more requests. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** From now on, each answer asks the client to close the connection, so that it connects to another process. */
  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    for (const socket of this.#sockets.keys()) closeAfter(answerOn(socket));
    this.#server.prependListener('request', (_request: IncomingMessage, answer: ServerResponse) => closeAfter(answer));
  }

  /**
   * Calls `stop` when the server closes: a wait answers early, and a stream ends where its reader can resume it. Returns
   * a function that withdraws `stop`.
   */
  whenClosing(stop: () => void): () => void {
    if (this.#isFinishing) stop();
    this.#waits.add(stop);
    return () => void this.#waits.delete(stop);
  }

  /**
   * Accepts no more connections and ends waits. Resolves when all requests are answered, at the latest after
   * `milliseconds`; connections that are open then are the caller's to close.
   */
  async finish(milliseconds: number): Promise<void> {
    this.begin();
    this.#isFinishing = true;
    if (this.#server.listening) this.#server.close();
    for (const stop of this.#waits) stop();
    const end = performance.now() + milliseconds;
    while (performance.now() < end) {
      for (const [socket, firstUntil] of this.#sockets) {
        // A connection whose writable side has ended delivers its last answer.
        if (answerOn(socket) === null && !socket.writableEnded && firstUntil < performance.now()) socket.destroy();
      }
      if (this.#sockets.size === 0) return;
      await pause(LOOK_MS);
    }
  }
}

function closeAfter(answer: ServerResponse | null): void {
  if (answer !== null) answer.shouldKeepAlive = false;
}

/** The answer to the request that a connection has received; null between two requests. Node keeps it in this field. */
function answerOn(socket: Socket): ServerResponse | null {
  return (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}
