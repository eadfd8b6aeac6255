import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

/** The program of Debian's package `firefox-esr`. playwright-core drives only a Firefox of its own. */
export const FIREFOX = '/usr/bin/firefox-esr';
/** Milliseconds until something that a step waits for must be there, also on a busy machine. Then the test fails. */
const STEP_MS = 120_000;
const POLL_MS = 50;
/** Keeps Firefox from asking its own services. */
const PREFERENCES = {
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.safebrowsing.update.enabled': false,
  'extensions.systemAddon.update.enabled': false,
  'services.settings.server': 'http://127.0.0.1:1',
  'browser.startup.homepage_override.mstone': 'ignore',
};

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: string;
  readonly message?: string;
}

/** Text by which an element is found: of a button or link, or the label of an input. */
type Name = string | RegExp;

/** One tab of a real Firefox without a window, driven by WebDriver BiDi. */
export class Firefox {
  /** Addresses of every request, and errors of the console: reports of the content security policy among them. */
  readonly requests: string[] = [];
  readonly errors: string[] = [];
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, PromiseWithResolvers<unknown>>();
  #sent = 0;
  #context = '';

  private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
    [this.#process, this.#profile, this.#socket] = [process, profile, socket];
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Message));
  }

  static async start(): Promise<Firefox> {
    const profile = await mkdtemp(path.join(os.tmpdir(), 'kethub-firefox-'));
    const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
    await writeFile(path.join(profile, 'user.js'), lines.join('\n'));
    const options = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'];
    const process = spawn(FIREFOX, options, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...globalThis.process.env, HOME: profile },
    });
    const socket = new WebSocket(`${await listening(process)}/session`);
    await once(socket, 'open');
    const firefox = new Firefox(process, profile, socket);
    await firefox.#send('session.new', { capabilities: {} });
    await firefox.#send('session.subscribe', { events: ['network.beforeRequestSent', 'log.entryAdded'] });
    const { contexts } = (await firefox.#send('browsingContext.getTree', {})) as { contexts: { context: string }[] };
    firefox.#context = contexts[0]?.context ?? '';
    await firefox.#send('browsingContext.setViewport', {
      context: firefox.#context,
      viewport: { width: 1360, height: 860 },
    });
    return firefox;
  }

  async open(url: string): Promise<void> {
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** Waits for a button or link with this name, and clicks it with the mouse. `within` is a selector of what is around it. */
  async click(name: Name, within = 'body'): Promise<void> {
    const until = performance.now() + STEP_MS;
    for (;;) {
      const origin = { type: 'element', element: await this.#find(name, within) };
      const actions = [
        { type: 'pointerMove', x: 0, y: 0, origin },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      const pointer = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions };
      try {
        await this.#send('input.performActions', { context: this.#context, actions: [pointer] });
        // The page has moved the element from under the mouse: once more.
        if ((await this.run('window.elementClicked')) !== false || performance.now() > until) return;
      } catch (error) {
        // The page has drawn the element anew in the meantime.
        const isGone =
          error instanceof Error && /^(?:move target out of bounds|no such node|stale element)/.test(error.message);
        if (!isGone || performance.now() > until) throw error;
      }
    }
  }

  /** Waits for an input with this label, and types into it after what it holds. */
  async type(label: Name, text: string): Promise<void> {
    await this.click(label);
    const keys = Array.from(text).flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#send('input.performActions', {
      context: this.#context,
      actions: [{ type: 'key', id: 'keyboard', actions: keys }],
    });
  }

  /** Gives files to an input with this label. */
  async setFiles(label: Name, files: readonly string[]): Promise<void> {
    const element = await this.#find(label);
    await this.#send('input.setFiles', { context: this.#context, element, files });
  }

  /** Waits until an expression of the page is true. */
  async until(expression: string): Promise<void> {
    await this.#poll(`${expression} ? document.body : null`, expression);
  }

  seesText(text: string): Promise<void> {
    return this.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  /** Evaluates an expression whose value is a text, a number or a truth value. */
  async run(expression: string): Promise<unknown> {
    const { result } = (await this.#evaluate(expression)) as { result?: { value?: unknown } };
    return result?.value;
  }

  /** A picture of the page as PNG. */
  async screenshot(): Promise<Buffer> {
    const { data } = (await this.#send('browsingContext.captureScreenshot', { context: this.#context })) as {
      data: string;
    };
    return Buffer.from(data, 'base64');
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    await this.#send('browser.close', {}).catch(() => this.#process.kill('SIGKILL'));
    await ended;
    await rm(this.#profile, { recursive: true, force: true });
  }

  /** The element that a person would call by this name. Scrolls it into view. */
  #find(name: Name, within = 'body'): Promise<unknown> {
    const fits =
      typeof name === 'string'
        ? `(text) => text.trim() === ${JSON.stringify(name)}`
        : `(text) => ${String(name)}.test(text)`;
    return this.#poll(
      `(() => {
        const fits = ${fits};
        const around = document.querySelector(${JSON.stringify(within)});
        const all = [...(around?.querySelectorAll('button, a, input, textarea, [role=tab]') ?? [])];
        const named = (one) => [one.getAttribute('aria-label') ?? '', one.textContent ?? '', ...[...(one.labels ?? [])].map((label) => label.textContent ?? '')];
        const found = all.find((one) => !one.disabled && (one.type === 'file' || one.getClientRects().length > 0) && named(one).some(fits));
        found?.scrollIntoView({ block: 'center' });
        window.elementClicked = false;
        found?.addEventListener('click', () => { window.elementClicked = true; }, { once: true, capture: true });
        return found ?? null;
      })()`,
      String(name),
    );
  }

  /** Evaluates until the value is an element. */
  async #poll(expression: string, what: string): Promise<unknown> {
    const until = performance.now() + STEP_MS;
    while (performance.now() < until) {
      const { result } = (await this.#evaluate(expression).catch(() => ({}))) as {
        result?: { type: string; sharedId?: string };
      };
      if (result?.type === 'node') return { sharedId: result.sharedId };
      await pause(POLL_MS);
    }
    throw new Error(`Waited ${STEP_MS} ms in vain for ${what} at ${String(await this.run('location.href'))}`);
  }

  #evaluate(expression: string): Promise<unknown> {
    return this.#send('script.evaluate', {
      expression,
      target: { context: this.#context },
      awaitPromise: true,
      serializationOptions: { maxDomDepth: 0 },
    });
  }

  #send(method: string, params: object): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    this.#answers.set(++this.#sent, answer);
    this.#socket.send(JSON.stringify({ id: this.#sent, method, params }));
    return answer.promise;
  }

  #receive({ id, method, params, result, error, message }: Message): void {
    if (method === 'network.beforeRequestSent')
      this.requests.push((params as { request: { url: string } }).request.url);
    if (method === 'log.entryAdded') {
      const { level, text } = params as { level: string; text: string };
      if (level === 'error') this.errors.push(text);
    }
    const answer = id === undefined ? undefined : this.#answers.get(id);
    if (!answer || id === undefined) return;
    this.#answers.delete(id);
    if (error === undefined) answer.resolve(result);
    else answer.reject(new Error(`${error}: ${message}`));
  }
}

/** Address that Firefox names when it listens. */
function listening(process: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (!process.stderr) return reject(new Error('Firefox has no error output'));
    createInterface(process.stderr).on('line', (line) => {
      const [, address] = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    process.once('exit', (status) => reject(new Error(`Firefox ended with status ${status} before it listened`)));
    process.once('error', reject);
  });
}
