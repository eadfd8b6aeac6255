import { KethubError, UnreachableError } from '@kethub/client';
import type { ChangeEvent } from '@kethub/contract';
import { EventStream } from './event-stream.ts';
import { signOutAddress } from './authorize.ts';
import { TokenKeeper, type TokenAnswer } from './token-keeper.ts';
import type { Question } from './worker.ts';

/** The session of this browser, as a tab sees it. */
export interface Session {
  /** A token for the platform interface. Throws KethubError of status 401 when the person has to sign in. */
  token(refused?: string | null): Promise<string>;
  /** Forgets the token in every tab and leaves for the provider's question about signing out. */
  signOut(): void;
  /** Calls `listener` when the session has ended or is there again. Returns how to stop listening. */
  onChange(listener: (isSignedIn: boolean) => void): () => void;
  /** Calls `listener` with every event of the platform, of all contexts. One stream serves all tabs. */
  followEvents(listener: (event: ChangeEvent) => void): void;
}

interface Answered {
  readonly id?: number;
  readonly answer?: TokenAnswer;
  readonly told?: 'signed-out';
  readonly event?: ChangeEvent;
}

/** Milliseconds after which a shared worker that says nothing is taken for one that could not start. */
const WORKER_PATIENCE_MS = 15_000;

export function openSession(): Session {
  const listeners = new Set<(isSignedIn: boolean) => void>();
  const tell = (isSignedIn: boolean): void => {
    for (const listener of listeners) listener(isSignedIn);
  };
  const source = 'SharedWorker' in globalThis ? sharedSource(() => tell(false)) : ownSource();
  return {
    async token(refused = null) {
      const answer = await source.ask(refused);
      if ('token' in answer) {
        tell(true);
        return answer.token;
      }
      if (answer.refused === 'UNREACHABLE') throw new UnreachableError(location.origin, answer.detail, undefined);
      tell(false);
      throw new KethubError({
        code: 'unauthorized',
        status: 401,
        title: 'Not signed in',
        detail: 'Your session has ended. Sign in again.',
      });
    },
    signOut() {
      source.forget();
      location.assign(signOutAddress(location.origin));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    followEvents: (listener) => source.follow(listener),
  };
}

interface TokenSource {
  ask(refused: string | null): Promise<TokenAnswer>;
  forget(): void;
  follow(listener: (event: ChangeEvent) => void): void;
}

/** The token of this tab alone, where the browser has no shared workers. */
function ownSource(): TokenSource {
  const keeper = new TokenKeeper();
  let events: EventStream | null = null;
  return {
    async ask(refused) {
      const answer = await keeper.token(refused);
      if ('token' in answer) events?.open();
      return answer;
    },
    forget() {
      keeper.forget();
      events?.close();
    },
    follow(listener) {
      events ??= new EventStream({ token: (refused) => keeper.token(refused), tell: listener }, location.origin);
      events.open();
    },
  };
}

/** The token of all tabs, in their shared worker. */
function sharedSource(signedOut: () => void): TokenSource {
  const worker = new SharedWorker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'kethub-session' });
  const { port } = worker;
  const open = new Map<number, (answer: TokenAnswer) => void>();
  let hear: ((event: ChangeEvent) => void) | null = null;
  let last = 0;
  const send = (question: Question): void => port.postMessage(question);
  port.addEventListener('message', ({ data }: MessageEvent<Answered>) => {
    if (data.told === 'signed-out') signedOut();
    if (data.event) hear?.(data.event);
    if (data.id === undefined || !data.answer) return;
    open.get(data.id)?.(data.answer);
    open.delete(data.id);
  });
  port.start();
  addEventListener('pagehide', () => send({ ask: 'close' }));
  // A page that comes back from the cache of the browser listens again.
  addEventListener('pageshow', ({ persisted }) => persisted && hear && send({ ask: 'events' }));
  const own = ownSource();
  return {
    async ask(refused) {
      const id = ++last;
      const answer = await new Promise<TokenAnswer | null>((resolve) => {
        const patience = setTimeout(() => resolve(null), WORKER_PATIENCE_MS);
        worker.addEventListener('error', () => resolve(null), { once: true });
        send({ id, ask: 'token', refused });
        open.set(id, (given) => {
          clearTimeout(patience);
          resolve(given);
        });
      });
      return answer ?? own.ask(refused);
    },
    forget() {
      own.forget();
      send({ ask: 'signed-out' });
    },
    follow(listener) {
      hear = listener;
      send({ ask: 'events' });
    },
  };
}
