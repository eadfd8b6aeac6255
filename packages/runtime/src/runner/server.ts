import { createServer, type Server, type Socket } from 'node:net';
import { messageOf } from '../errors.ts';
import { socketAddress, type RunnerPaths } from '../paths.ts';
import { encodeFrame, FrameReader, type Frame } from '../protocol/frames.ts';
import { PROTOCOL, type Message, type Method, type Methods, type Request } from '../protocol/messages.ts';
import type { LogLine } from '../types.ts';
import { rmSync } from 'node:fs';

/** Bytes that may wait for a platform that does not read. Beyond them it gets no more log events. */
const MOST_UNREAD_BYTES = 1024 * 1024;

/** A connected platform. */
export interface Client {
  send(message: Message): void;
  /** Commands of this client in sandboxes, by request number. They end with the connection. */
  readonly commands: Map<number, AbortController>;
}

/** Functions that answer requests. `onLine` and `abort` are for commands. */
export type Handlers = {
  [M in Method]: (params: Methods[M]['params'], call: Call) => Promise<Methods[M]['result']> | Methods[M]['result'];
};

export interface Call {
  body: Buffer;
  client: Client;
  id: number;
  onLine: (line: LogLine) => void;
}

export interface SocketServer {
  readonly clients: ReadonlySet<Client>;
  sendAll(message: Message): void;
  close(): void;
}

/** Listens on the socket of the data folder. Only its owner (and root) may connect. */
export async function listen(
  paths: RunnerPaths,
  version: string,
  handlers: Handlers,
  onClientsChanged: () => void,
): Promise<SocketServer> {
  const clients = new Set<Client>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const client = connect(socket, handlers);
    clients.add(client);
    client.send({ event: 'welcome', protocol: PROTOCOL, version, runnerPid: process.pid });
    onClientsChanged();
    socket.once('close', () => {
      sockets.delete(socket);
      clients.delete(client);
      for (const abort of client.commands.values()) abort.abort();
      onClientsChanged();
    });
  });
  await bind(server, paths);
  return {
    clients,
    sendAll(message) {
      for (const client of clients) client.send(message);
    },
    close() {
      server.close();
      for (const socket of sockets) socket.end();
    },
  };
}

async function bind(server: Server, paths: RunnerPaths): Promise<void> {
  rmSync(paths.socket, { force: true }); // left by a runner that was killed: we hold the lock
  const { path, release } = socketAddress(paths);
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
  } finally {
    process.umask(before);
    release();
  }
}

function connect(socket: Socket, handlers: Handlers): Client {
  const client: Client = {
    commands: new Map(),
    send(message) {
      // Log events are hints. A platform asks for the log again by itself, so a slow one can miss some.
      if (message.event === 'log' && socket.writableLength > MOST_UNREAD_BYTES) return;
      if (socket.writable) socket.write(encodeFrame(message));
    },
  };
  const reader = new FrameReader((frame) => void answer(client, frame, handlers));
  socket.on('data', (chunk: Buffer) => {
    reader.push(chunk);
  });
  socket.on('error', (error) => {
    console.error(`connection of a platform: ${error.message}`);
  });
  return client;
}

async function answer(client: Client, { header, body }: Frame, handlers: Handlers): Promise<void> {
  const request = header as Request;
  const { id } = request;
  const onLine = (line: LogLine): void => {
    client.send({ event: 'line', id, line });
  };
  try {
    const value = await dispatch(request, { body, client, id, onLine }, handlers);
    client.send({ event: 'answer', id, value });
  } catch (error) {
    const name = error instanceof Error ? error.name : 'Error';
    client.send({ event: 'failed', id, error: { name, message: messageOf(error) } });
  }
}

/** One line per method, so that the compiler checks that parameters and handler belong together. */
async function dispatch(request: Request, call: Call, handlers: Handlers): Promise<unknown> {
  switch (request.method) {
    case 'configure':
      return handlers.configure(request.params, call);
    case 'start':
      return handlers.start(request.params, call);
    case 'cancel':
      return handlers.cancel(request.params, call);
    case 'end':
      return handlers.end(request.params, call);
    case 'list':
      return handlers.list(request.params, call);
    case 'forget':
      return handlers.forget(request.params, call);
    case 'sandboxed':
      return handlers.sandboxed(request.params, call);
    case 'abort':
      return handlers.abort(request.params, call);
    case 'prewarm':
      return handlers.prewarm(request.params, call);
    case 'endWarmPods':
      return handlers.endWarmPods(request.params, call);
    case 'renewRoot':
      return handlers.renewRoot(request.params, call);
    case 'status':
      return handlers.status(request.params, call);
    case 'close':
      return handlers.close(request.params, call);
    case 'retire':
      return handlers.retire(request.params, call);
    default:
      throw new Error('This runner does not know the request; it is of another version than the platform.');
  }
}
