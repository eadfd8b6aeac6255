import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * A connection of a simple client, which reads nothing before it has sent all. It shows whether an answer arrives
 * although the server did not read the body.
 */
export class RawConnection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #error: Error | null = null;
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1' });
    this.#socket.pause();
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    this.#socket.on('error', (error) => {
      this.#error = error;
      this.#wake();
    });
    this.#socket.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  /** Writes a head and a body of this size, which begins with `start` and ends with `end`. Reads nothing meanwhile. */
  async send(head: string, bytes: number, start = '', end = ''): Promise<void> {
    this.#socket.write(`${head.replaceAll('\n', '\r\n')}\r\n\r\n${start}`);
    const block = Buffer.alloc(64 * 1024, 'x');
    for (let left = bytes - Buffer.byteLength(start + end); left > 0 && !this.#error; left -= block.length) {
      if (this.#socket.write(block.subarray(0, left))) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#socket.once('drain', resolve);
      });
    }
    this.#socket.write(end);
  }

  /** Reads the next answer. Throws when the connection breaks or ends before the answer is complete. */
  async answer(): Promise<RawAnswer> {
    this.#socket.resume();
    for (;;) {
      const text = this.#received.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(end < 0 ? '' : text.slice(0, end))?.[1] ?? 0);
      if (end >= 0 && text.length >= end + 4 + length) {
        this.#received = this.#received.subarray(end + 4 + length);
        const head = text.slice(0, end);
        return { status: Number(head.split(' ')[1]), head, body: text.slice(end + 4, end + 4 + length) };
      }
      await this.#more();
    }
  }

  /** Resolves once the other side has closed the connection. Throws when it was broken. */
  async end(): Promise<void> {
    this.#socket.resume();
    while (!this.#ended && !this.#error) await this.#more();
    if (this.#error) throw this.#error;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  async #more(): Promise<void> {
    if (this.#error) throw this.#error;
    if (this.#ended) throw new Error('The connection ended before the answer had come');
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
