import { readEvents } from '@kethub/client';
import type { ChangeEvent } from '@kethub/contract';
import type { TokenAnswer } from './token-keeper.ts';

/** Milliseconds until the stream is opened again after it has ended well, and at most after failures. */
const SOON_MS = 1_000;
const LATEST_MS = 15_000;

interface EventStreamOptions {
  token(refused: string | null): Promise<TokenAnswer>;
  onEvent(event: ChangeEvent): void;
}

/**
 * The event stream of one browser, over all contexts of the person. A stream that breaks is taken up after the last
 * event. After a restart of the platform the first event is `reset`.
 */
export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #address: string;
  readonly #fetch: typeof fetch;
  #running: AbortController | null = null;
  #last: string | null = null;

  constructor(
    options: EventStreamOptions,
    origin: string,
    fetchIt: typeof fetch = (input, init) => fetch(input, init),
  ) {
    this.#options = options;
    this.#address = `${origin}/api/events?everywhere=true`;
    this.#fetch = fetchIt;
  }

  /** Begins to follow, unless it does already. */
  open(): void {
    if (this.#running) return;
    const running = new AbortController();
    this.#running = running;
    void this.#follow(running.signal).finally(() => {
      if (this.#running === running) this.#running = null;
    });
  }

  close(): void {
    this.#running?.abort();
    this.#running = null;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let refused: string | null = null;
    let wait = SOON_MS;
    while (!signal.aborted) {
      const answer = await this.#options.token(refused);
      // Nobody is signed in: the next token that a tab gets opens the stream again.
      if ('refused' in answer && answer.refused === 'SIGN_IN_NEEDED') return;
      const outcome = 'token' in answer ? await this.#read(answer.token, signal) : 'FAILED';
      refused = outcome === 'REFUSED' && 'token' in answer ? answer.token : null;
      wait = outcome === 'HEARD' ? SOON_MS : Math.min(wait * 2, LATEST_MS);
      await pause(wait, signal);
    }
  }

  /** Reads one stream to its end. */
  async #read(token: string, signal: AbortSignal): Promise<'HEARD' | 'REFUSED' | 'FAILED'> {
    let heard = false;
    try {
      const response = await this.#fetch(this.#address, {
        cache: 'no-store',
        headers: {
          accept: 'text/event-stream',
          authorization: `Bearer ${token}`,
          ...(this.#last !== null && { 'last-event-id': this.#last }),
        },
        signal,
      });
      if (response.status === 401) return 'REFUSED';
      // The account was rejected or switched off: what is shown is read again, and says so.
      if (response.status === 403) this.#options.onEvent({ event: 'reset' } as ChangeEvent);
      if (!response.ok || !response.body) return 'FAILED';
      heard = true;
      for await (const { event, data, id } of readEvents(response.body)) {
        const isFirst = this.#last === null;
        this.#last = id ?? this.#last;
        // The content shown at the beginning has just been read.
        if (isFirst && event === 'reset') continue;
        this.#options.onEvent({ ...(JSON.parse(data) as object), id, event } as ChangeEvent);
      }
    } catch {
      // The connection broke. It is made anew.
    }
    return heard ? 'HEARD' : 'FAILED';
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
