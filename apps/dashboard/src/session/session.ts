import { KethubError, UnreachableError } from '@kethub/client';
import type { ChangeEvent } from '@kethub/contract';
import { forgetAllFiles } from '../data/forget-files.ts';
import { EventStream } from './event-stream.ts';
import type { CameBack } from './realm.ts';
import { issuerOf, signInOf, tokensOf, type SignIn } from './sign-in.ts';
import type { TokenAnswer } from './token-keeper.ts';
import type { Question } from './worker.ts';

/** The session of this browser, as a tab sees it. */
export interface Session {
  /** A token for the platform interface. Throws KethubError of status 401 when the person has to sign in. */
  token(refused?: string | null): Promise<string>;
  /** Addresses of sign-in, for this page and for another tab. */
  readonly signIn: SignIn;
  /** Takes a sign-in that has come back. Returns the path to go on at, and whether it ended well. */
  finishSignIn(query: URLSearchParams): Promise<{ readonly returnTo: string; readonly isSignedIn: boolean }>;
  /** True once a sign-in has come back to this page: one that is refused at once must not begin again by itself. */
  readonly hasComeBack: boolean;
  /** Forgets the token in every tab and leaves for the provider's question about signing out. */
  signOut(): void;
  /** Forgets the token, empties every tab and shows the first page: the session has been ended by a request. */
  leave(): void;
  /** Calls `listener` when the session has ended or is there again. Returns how to stop listening. */
  onChange(listener: (isSignedIn: boolean) => void): () => void;
  /** Calls `listener` with every event of the platform, of all contexts. One stream serves all tabs. */
  followEvents(listener: (event: ChangeEvent) => void): void;
}

interface Answered {
  readonly id?: number;
  readonly answer?: TokenAnswer;
  readonly notice?: 'signed-out';
  readonly event?: ChangeEvent;
}

/** Mark of a tab that has left for the provider's question about signing out. */
const LEAVING = 'kethub-leaving';

/** Removes what belongs to the person from this tab. */
function empty(): void {
  location.replace('/');
}

/** Milliseconds to wait for the shared worker. Without an answer this tab keeps a token of its own. */
const WORKER_TIMEOUT_MS = 15_000;

export function openSession(): Session {
  const listeners = new Set<(isSignedIn: boolean) => void>();
  const notify = (isSignedIn: boolean): void => {
    for (const listener of listeners) listener(isSignedIn);
  };
  const issuer = issuerOf(document);
  const signIn = signInOf(issuer);
  const source = 'SharedWorker' in globalThis ? sharedSource(issuer) : ownSource(issuer);
  let hasComeBack = false;
  return {
    signIn,
    get hasComeBack() {
      return hasComeBack;
    },
    async finishSignIn(query) {
      hasComeBack = true;
      sessionStorage.removeItem(LEAVING);
      const { returnTo, code, failed } = signIn.cameBack(query);
      if (code === null) return { returnTo, isSignedIn: !failed };
      return { returnTo, isSignedIn: 'token' in (await source.redeem(code)) };
    },
    async token(refused = null) {
      // Back from the question about signing out: a token that another tab got meanwhile outlives the session.
      if (sessionStorage.getItem(LEAVING) !== null) source.forget();
      const answer = await source.ask(refused);
      if ('token' in answer) {
        sessionStorage.removeItem(LEAVING);
        notify(true);
        return answer.token;
      }
      if (answer.refused === 'UNREACHABLE') throw new UnreachableError(location.origin, answer.detail, undefined);
      if (sessionStorage.getItem(LEAVING) !== null) {
        sessionStorage.removeItem(LEAVING);
        source.end();
      }
      notify(false);
      throw new KethubError({
        code: 'unauthorized',
        status: 401,
        title: 'Not signed in',
        detail: 'Your session has ended. Sign in again.',
      });
    },
    signOut() {
      // Other tabs are emptied when the provider has sent this one back: the person may decide against it there.
      sessionStorage.setItem(LEAVING, 'true');
      source.forget();
      forgetAllFiles();
      location.assign(signIn.signOutAddress());
    },
    leave() {
      sessionStorage.removeItem(LEAVING);
      source.end();
      empty();
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
  redeem(code: Pick<CameBack, 'code' | 'verifier'>): Promise<TokenAnswer>;
  forget(): void;
  /** Notifies every other tab that the session is over. */
  end(): void;
  follow(listener: (event: ChangeEvent) => void): void;
}

/** The token of this tab alone, where the browser has no shared workers. */
function ownSource(issuer: string | null): TokenSource {
  const tokens = tokensOf(issuer, location.origin);
  let events: EventStream | null = null;
  return {
    async ask(refused) {
      const answer = await tokens.token(refused);
      if ('token' in answer) events?.open();
      return answer;
    },
    redeem: (code) => tokens.redeem(code),
    forget() {
      tokens.forget();
      events?.close();
    },
    end: () => tokens.forget(),
    follow(listener) {
      events ??= new EventStream({ token: (refused) => tokens.token(refused), onEvent: listener }, location.origin);
      events.open();
    },
  };
}

/** The token of all tabs, in their shared worker. */
function sharedSource(issuer: string | null): TokenSource {
  const worker = new SharedWorker(new URL('./worker.ts', import.meta.url), {
    type: 'module',
    // The name tells the worker whose tokens it keeps.
    name: issuer === null ? 'kethub-session' : `kethub-session ${issuer}`,
  });
  const { port } = worker;
  const open = new Map<number, (answer: TokenAnswer) => void>();
  let hear: ((event: ChangeEvent) => void) | null = null;
  let last = 0;
  const send = (question: Question): void => port.postMessage(question);
  port.addEventListener('message', ({ data }: MessageEvent<Answered>) => {
    if (data.notice === 'signed-out') empty();
    if (data.event) hear?.(data.event);
    if (data.id === undefined || !data.answer) return;
    open.get(data.id)?.(data.answer);
    open.delete(data.id);
  });
  port.start();
  addEventListener('pagehide', () => send({ ask: 'close' }));
  // A page that comes back from the cache of the browser listens again.
  addEventListener('pageshow', ({ persisted }) => persisted && hear && send({ ask: 'events' }));
  const own = ownSource(issuer);
  const answered = (question: (id: number) => Question): Promise<TokenAnswer | null> => {
    const id = ++last;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), WORKER_TIMEOUT_MS);
      worker.addEventListener('error', () => resolve(null), { once: true });
      open.set(id, (given) => {
        clearTimeout(timer);
        resolve(given);
      });
      send(question(id));
    });
  };
  return {
    ask: async (refused) => (await answered((id) => ({ id, ask: 'token', refused }))) ?? own.ask(refused),
    redeem: async ({ code, verifier }) =>
      (await answered((id) => ({ id, ask: 'redeem', code, verifier }))) ?? own.redeem({ code, verifier }),
    forget() {
      own.forget();
      send({ ask: 'forget' });
    },
    end() {
      own.forget();
      send({ ask: 'signed-out' });
    },
    follow(listener) {
      hear = listener;
      send({ ask: 'events' });
    },
  };
}
