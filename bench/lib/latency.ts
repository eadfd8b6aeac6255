import http from 'node:http';

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends requests one after the other over one open connection, and measures the time to the end of each answer. */
export class Stopwatch {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  readonly #base: string;

  /** @param base {base_url} of a platform on this machine. */
  constructor(base: string) {
    this.#base = base.replace('localhost', '127.0.0.1');
  }

  /** Milliseconds. Throws when the answer is not 200. */
  time({ method, path, headers, body }: Request): Promise<number> {
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const request = http.request(this.#base + path, { method, headers: { ...headers }, agent: this.#agent });
      request.on('error', reject);
      request.on('response', (response) => {
        response.resume();
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - began);
          else reject(new Error(`${method} ${path} was answered ${response.statusCode}`));
        });
      });
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
