/**
 * Requests that stay open. A browser opens six connections to one origin, for all tabs together. The event stream has
 * one, these have three at most, and the others stay free.
 */

/** Locks of the browser, one for each connection. */
const FOLLOWING = ['kethub-follow-1', 'kethub-follow-2'];
const WAITING = 'kethub-wait';

/** A connection that this tab may keep open. */
export interface Claim {
  /** Aborted when the page is out of view, or the request is not needed any more. */
  readonly signal: AbortSignal;
  release(): void;
}

/** Waits until the page is in view and one of the connections for following logs is free. Throws when `signal` aborts. */
export async function claimFollowing(signal: AbortSignal): Promise<Claim> {
  await inView(signal);
  for (const name of FOLLOWING) {
    const release = await lock(name, { ifAvailable: true });
    if (release) return whileInView(signal, release);
  }
  const name = FOLLOWING[Math.floor(Math.random() * FOLLOWING.length)] ?? WAITING;
  const release = await lock(name, { signal });
  if (!release) throw new Error('A lock that is waited for is given');
  return whileInView(signal, release);
}

/** The connection for an answer that comes later. null while another tab has it, or the page is out of view. */
export async function claimWaiting(signal: AbortSignal): Promise<Claim | null> {
  if (document.hidden) return null;
  const release = await lock(WAITING, { ifAvailable: true });
  return release && whileInView(signal, release);
}

/** Holds a lock until it is released. null where it is not available at once and that was asked for. */
function lock(name: string, options: LockOptions): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, options, (lock) => {
        if (!lock) return resolve(null);
        return new Promise<void>((release) => resolve(release));
      })
      .catch(reject);
  });
}

function whileInView(signal: AbortSignal, release: () => void): Claim {
  const end = new AbortController();
  const look = (): void => {
    if (document.hidden) end.abort();
  };
  document.addEventListener('visibilitychange', look);
  look();
  return {
    signal: AbortSignal.any([signal, end.signal]),
    release() {
      document.removeEventListener('visibilitychange', look);
      release();
    },
  };
}

/** Resolves when the page is in view. Throws when `signal` aborts. */
function inView(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
    };
    const look = (): void => {
      if (!signal.aborted && document.hidden) return;
      done();
      if (signal.aborted) reject(new DOMException('Not needed any more', 'AbortError'));
      else resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}
