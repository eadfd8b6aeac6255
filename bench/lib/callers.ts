import net from 'node:net';

const HEAD_ENDS = '\r\n\r\n';

/**
 * Requests over kept connections, one at a time on each. The callers share the processors with the measured server, so
 * Node's HTTP client would cost too much. Answers must have a content length.
 */
export class Callers {
  readonly #target: URL;
  readonly #head: string;
  readonly #idle: net.Socket[] = [];
  readonly #all = new Set<net.Socket>();

  /** @param headers of every request; length and host are added. */
  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#target = new URL(url);
    const { pathname, search, host } = this.#target;
    const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#head = `POST ${pathname}${search} HTTP/1.1\r\n${lines.join('')}`;
  }

  post(body: string): Promise<{ readonly status: number; readonly text: string }> {
    const socket = this.#idle.pop() ?? this.#connect();
    return new Promise((resolve, reject) => {
      let received = '';
      const done = (): void => {
        socket.off('data', take);
        socket.off('close', broken);
      };
      const broken = (): void => {
        done();
        reject(new Error(`${this.#target.href} broke the connection`));
      };
      // In latin1 a character is a byte.
      const take = (chunk: string): void => {
        received += chunk;
        const head = received.indexOf(HEAD_ENDS);
        if (head < 0) return;
        const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, head))?.[1];
        if (length === undefined) return void socket.destroy();
        const from = head + HEAD_ENDS.length;
        if (received.length < from + Number(length)) return;
        done();
        this.#idle.push(socket);
        resolve({ status: Number(received.slice(9, 12)), text: received.slice(from) });
      };
      socket.on('data', take);
      socket.on('close', broken);
      socket.write(`${this.#head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    });
  }

  close(): void {
    for (const socket of this.#all) socket.destroy();
  }

  #connect(): net.Socket {
    const socket = net.connect({ host: this.#target.hostname, port: Number(this.#target.port), noDelay: true });
    socket.setEncoding('latin1');
    this.#all.add(socket);
    // `close` reports its end.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#all.delete(socket);
      const at = this.#idle.indexOf(socket);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return socket;
  }
}
