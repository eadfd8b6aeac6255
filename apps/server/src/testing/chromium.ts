import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** The program of Debian's package `chromium`. */
const PROGRAM = '/usr/bin/chromium';
/** Milliseconds in which a page must load, also on a busy machine. Then the test fails. */
const LOAD_MS = 30_000;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** One tab of a real Chromium without a window, driven by the Chrome DevTools Protocol. */
export class Chromium {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, PromiseWithResolvers<unknown>>();
  #sent = 0;
  #session: string | undefined;
  #loaded: PromiseWithResolvers<void> = Promise.withResolvers();

  private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
    [this.#process, this.#profile, this.#socket] = [process, profile, socket];
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Message));
  }

  /** Starts a browser that has the screen of a telephone: `width` by 667 CSS pixels. Each switch is one of its program. */
  static async start(width: number, ...more: readonly string[]): Promise<Chromium> {
    const profile = await mkdtemp(path.join(os.tmpdir(), 'kethub-chromium-'));
    // The machine may have user namespaces switched off, and the pages are trusted.
    const switches = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
    const process = spawn(PROGRAM, [...switches, ...more, `--user-data-dir=${profile}`, '--remote-debugging-port=0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const socket = new WebSocket(await debuggerOf(process));
    await once(socket, 'open');
    const chromium = new Chromium(process, profile, socket);
    const { targetId } = (await chromium.#send('Target.createTarget', { url: 'about:blank' })) as { targetId: string };
    const attached = await chromium.#send('Target.attachToTarget', { targetId, flatten: true });
    chromium.#session = (attached as { sessionId: string }).sessionId;
    await chromium.#send('Page.enable');
    const screen = { width, height: 667, deviceScaleFactor: 1, mobile: true };
    await chromium.#send('Emulation.setDeviceMetricsOverride', screen);
    return chromium;
  }

  /** Opens an address and waits until its page has loaded, after all redirects. */
  open(url: string): Promise<void> {
    return this.#load(() => this.#send('Page.navigate', { url }));
  }

  /**
   * Runs an expression in the page that leads to another page, such as the click of a button, and waits for that page.
   */
  follow(expression: string): Promise<void> {
    return this.#load(() => this.run(expression));
  }

  /** Evaluates an expression in the page. */
  async run(expression: string): Promise<unknown> {
    const answer = await this.#send('Runtime.evaluate', { expression, returnByValue: true });
    const { result, exceptionDetails } = answer as { result: { value?: unknown }; exceptionDetails?: unknown };
    if (exceptionDetails !== undefined) throw new Error(`${expression} failed: ${JSON.stringify(exceptionDetails)}`);
    return result.value;
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#socket.close();
    this.#process.kill('SIGKILL');
    await ended;
    // Helper processes of the browser may still write for a moment.
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  async #load(begin: () => Promise<unknown>): Promise<void> {
    this.#loaded = Promise.withResolvers();
    const timer = setTimeout(() => this.#loaded.reject(new Error('The page did not load.')), LOAD_MS);
    try {
      await Promise.all([begin(), this.#loaded.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#sent;
    const answer = Promise.withResolvers<unknown>();
    this.#answers.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params, sessionId: this.#session }));
    return answer.promise;
  }

  #receive({ id, method, result, error }: Message): void {
    if (method === 'Page.loadEventFired') this.#loaded.resolve();
    const answer = id === undefined ? undefined : this.#answers.get(id);
    if (id === undefined || !answer) return;
    this.#answers.delete(id);
    if (error) answer.reject(new Error(error.message));
    else answer.resolve(result);
  }
}

/** The address of the debugger, which Chromium prints when it is ready. */
async function debuggerOf({ stderr }: ChildProcess): Promise<string> {
  if (!stderr) throw new Error('Chromium was started without its error output');
  const printed: string[] = [];
  for await (const line of createInterface(stderr)) {
    const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      stderr.resume();
      return address;
    }
    printed.push(line);
  }
  throw new Error(`Chromium did not start: ${printed.join('\n')}`);
}
